import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;
import javax.servlet.http.HttpServletResponse;
import org.apache.axis.AxisEngine;
import org.apache.axis.MessageContext;
import org.apache.axis.configuration.FileProvider;
import org.apache.axis.server.AxisServer;
import org.apache.axis.transport.http.AxisServlet;
import org.apache.axis.utils.Admin;
import org.apache.axis.utils.XMLUtils;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** Axis's servlet in Jetty: its own small server keeps no connections. */
final class AxisContainer {
    private final Server server = new Server();
    private final String deployment;
    private final String service;

    /** Of one service, which a file in the folder of what was built deploys. */
    AxisContainer(String deployment, String service) {
        this.deployment = deployment;
        this.service = service;
    }

    int start() throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler handler = new ServletContextHandler();
        handler.addServlet(new ServletHolder(new AnyPath()), "/*");
        server.setHandler(handler);
        server.start();
        return connector.getLocalPort();
    }

    void stop() throws Exception {
        server.stop();
    }

    /** The one service, whatever the path. */
    private final class AnyPath extends AxisServlet {
        private AxisServer engine;

        @Override
        public synchronized AxisServer getEngine() throws org.apache.axis.AxisFault {
            if (engine == null) {
                engine = new AxisServer(new FileProvider(AxisServer.class.getResourceAsStream("server-config.wsdd")));
                engine.setOption(AxisEngine.PROP_DOMULTIREFS, Axis.MULTIREFS);
                try (InputStream file = Files.newInputStream(Path.of(System.getenv("BUILD"), deployment))) {
                    new Admin().process(new MessageContext(engine), XMLUtils.newDocument(file).getDocumentElement());
                } catch (Exception e) {
                    throw org.apache.axis.AxisFault.makeFault(e);
                }
            }
            return engine;
        }

        @Override
        public void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, java.io.IOException {
            super.doPost(new HttpServletRequestWrapper(request) {
                @Override
                public String getPathInfo() {
                    return "/" + service;
                }
            }, response);
        }
    }
}
