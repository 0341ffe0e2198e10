package interop;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import interop.interop.InteropPortType;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;
import org.apache.cxf.configuration.security.AuthorizationPolicy;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/** Calls echoString with a token of WSS4J, or by CXF's HTTP digest (test_security.py). */
public final class SecuredClient {
    private static final String NAMESPACE = "urn:castile:interop";

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject answer = new JsonObject();
            try {
                answer.addProperty("result", call(JsonParser.parseString(line).getAsJsonObject()));
            } catch (SOAPFaultException e) {
                answer.addProperty("fault", e.getMessage());
            } catch (Exception e) {
                answer.addProperty("error", e.toString());
            }
            out.println(answer);
        }
        System.exit(0);
    }

    private static String call(JsonObject request) {
        Service service = Service.create(
                SecuredClient.class.getResource("/interop.wsdl"), new QName(NAMESPACE, "Interop"));
        InteropPortType port = service.getPort(new QName(NAMESPACE, "Soap11"), InteropPortType.class);
        ((BindingProvider) port).getRequestContext()
                .put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, request.get("url").getAsString());
        secure(ClientProxy.getClient(port), request);
        Holder<String> text = new Holder<>(request.get("text").getAsString());
        port.echoString(text);
        return text.value;
    }

    private static void secure(Client client, JsonObject request) {
        String user = request.get("user").getAsString();
        String password = request.get("password").getAsString();
        String kind = request.get("kind").getAsString();
        if (kind.equals("http")) {
            AuthorizationPolicy policy = new AuthorizationPolicy();
            policy.setAuthorizationType("Digest");
            policy.setUserName(user);
            policy.setPassword(password);
            ((HTTPConduit) client.getConduit()).setAuthorization(policy);
            return;
        }
        CallbackHandler passwords = callbacks -> ((WSPasswordCallback) callbacks[0]).setPassword(password);
        client.getEndpoint().getOutInterceptors().add(new WSS4JOutInterceptor(Map.of(
                ConfigurationConstants.ACTION, ConfigurationConstants.USERNAME_TOKEN,
                ConfigurationConstants.USER, user,
                ConfigurationConstants.PASSWORD_TYPE, kind.equals("text") ? "PasswordText" : "PasswordDigest",
                ConfigurationConstants.PW_CALLBACK_REF, passwords)));
    }
}
