package interop;

import jakarta.xml.ws.Endpoint;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.security.Constraint;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.SecurityHandler;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.security.authentication.DigestAuthenticator;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.security.Credential;

/** interop.wsdl for whom WSS4J knows by a token, and echoString for whom Jetty knows by HTTP digest (test_security.py). */
public final class SecuredServer {
    private static final String USER = "ana";
    private static final String PASSWORD = "secret";

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        String base = "http://127.0.0.1:" + Server.free();
        publish(base + "/text", "PasswordText");
        publish(base + "/digest", "PasswordDigest");
        out.println("READY " + base + "/text " + base + "/digest " + jetty());
        out.flush();
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    private static void publish(String url, String kind) {
        EndpointImpl endpoint = (EndpointImpl) Endpoint.publish(url, new InteropEcho.Soap11());
        CallbackHandler passwords = callbacks -> {
            WSPasswordCallback asked = (WSPasswordCallback) callbacks[0];
            asked.setPassword(asked.getIdentifier().equals(USER) ? PASSWORD : null);
        };
        endpoint.getServer().getEndpoint().getInInterceptors().add(new WSS4JInInterceptor(Map.of(
                ConfigurationConstants.ACTION, ConfigurationConstants.USERNAME_TOKEN,
                ConfigurationConstants.PASSWORD_TYPE, kind,
                ConfigurationConstants.PW_CALLBACK_REF, passwords)));
    }

    private static String jetty() throws Exception {
        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        UserStore users = new UserStore();
        users.addUser(USER, Credential.getCredential(PASSWORD), new String[] {"caller"});
        HashLoginService login = new HashLoginService("interop");
        login.setUserStore(users);
        SecurityHandler.PathMapped security = new SecurityHandler.PathMapped();
        security.setLoginService(login);
        security.setAuthenticator(new DigestAuthenticator());
        security.put("/*", Constraint.from("caller"));
        security.setHandler(new Echo());
        server.setHandler(security);
        server.start();
        return "http://127.0.0.1:" + connector.getLocalPort() + "/";
    }

    /** Gives the request back, as the answer that it is in all but its name. */
    private static final class Echo extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String body = Content.Source.asString(request, StandardCharsets.UTF_8);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/xml; charset=utf-8");
            Content.Sink.write(response, true, body.replace("echoString", "echoStringResponse"), callback);
            return true;
        }
    }
}
