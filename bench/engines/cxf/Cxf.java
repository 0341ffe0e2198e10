import bench.Engine;
import bench.jaxws.Jaxws;
import jakarta.xml.ws.Endpoint;
import java.net.MalformedURLException;
import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import org.apache.cxf.attachment.AttachmentDeserializer;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.ConnectionType;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.apache.cxf.version.Version;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/** Apache CXF, its server in Jetty. Which HTTP client is a property of the command in engine.toml. */
public class Cxf extends Jaxws {
    private static final String USER = "bench";
    private static final CallbackHandler PASSWORDS = callbacks -> {
        WSPasswordCallback asked = (WSPasswordCallback) callbacks[0];
        asked.setPassword(asked.getIdentifier().equals(USER) ? USER : null);
    };
    /** Attachments of a message: by itself it reads 50. */
    private static final Map<String, Object> LIMITS = Map.of(AttachmentDeserializer.ATTACHMENT_MAX_COUNT, "1000");
    private static final Map<String, Object> TOKEN = Map.of(
            ConfigurationConstants.ACTION, ConfigurationConstants.USERNAME_TOKEN,
            ConfigurationConstants.USER, USER,
            ConfigurationConstants.PASSWORD_TYPE, "PasswordText",
            ConfigurationConstants.PW_CALLBACK_REF, PASSWORDS);

    public static void main(String[] args) throws Exception {
        Engine.run(System.getenv("DYNAMIC") != null ? new CxfDynamic() : new Cxf());
    }

    @Override
    public String name() {
        return "Apache CXF " + Version.getCurrentVersion();
    }

    @Override
    protected void prepare(Object port) {
        prepare(ClientProxy.getClient(port));
    }

    /** Settings of a new client, whoever made it. */
    protected final void prepare(Client client) {
        HTTPClientPolicy policy = new HTTPClientPolicy();
        String chunk = settings.get("chunk");
        if (chunk != null) {
            policy.setAllowChunking(!chunk.equals("0"));
            if (!chunk.equals("0")) {
                policy.setChunkLength(Integer.parseInt(chunk));
                policy.setChunkingThreshold(0);
            }
        }
        policy.setConnection("off".equals(settings.get("keepalive")) ? ConnectionType.CLOSE : ConnectionType.KEEP_ALIVE);
        ((HTTPConduit) client.getConduit()).setClient(policy);
        client.getEndpoint().putAll(LIMITS);
        if (secured()) {
            client.getOutInterceptors().add(new WSS4JOutInterceptor(TOKEN));
        }
    }

    /** Without its contract the server looks for the schema of `swaRef` in the net. */
    @Override
    protected void describe(Endpoint endpoint) throws MalformedURLException {
        endpoint.setProperties(LIMITS);
        if (attachments("mime")) {
            ((EndpointImpl) endpoint).setWsdlLocation(wsdl("swa").toString());
        }
    }

    @Override
    protected void served(Endpoint endpoint) {
        if (secured()) {
            ((EndpointImpl) endpoint).getServer().getEndpoint().getInInterceptors().add(new WSS4JInInterceptor(TOKEN));
        }
    }

    @Override
    protected boolean known(String name, String value) {
        return super.known(name, value) || name.equals("security") && value.equals("username");
    }

    private boolean secured() {
        return "username".equals(settings.get("security"));
    }
}
