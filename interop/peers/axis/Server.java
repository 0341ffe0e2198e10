package interop.encoded;

import java.io.FileInputStream;
import java.net.ServerSocket;
import org.apache.axis.MessageContext;
import org.apache.axis.configuration.FileProvider;
import org.apache.axis.server.AxisServer;
import org.apache.axis.transport.http.SimpleAxisServer;
import org.apache.axis.utils.Admin;
import org.apache.axis.utils.XMLUtils;

/** Axis 1.4's own small server; says "READY PORT" and ends with its standard input. */
public class Server {
    public static void main(String[] args) throws Exception {
        SimpleAxisServer server = new SimpleAxisServer();
        ServerSocket socket = new ServerSocket(0);
        server.setServerSocket(socket);
        // Axis's own configuration, which this way it does not write back to a file.
        server.setMyConfig(new FileProvider(AxisServer.class.getResourceAsStream("server-config.wsdd")));
        AxisServer engine = server.getAxisServer();
        for (String file : args) {
            try (FileInputStream deployment = new FileInputStream(file)) {
                new Admin().process(new MessageContext(engine), XMLUtils.newDocument(deployment).getDocumentElement());
            }
        }
        Thread thread = new Thread(server);
        thread.setDaemon(true);
        thread.start();
        System.out.println("READY " + socket.getLocalPort());
        System.out.flush();
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
