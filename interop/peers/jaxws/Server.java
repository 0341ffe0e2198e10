package interop;

import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.soap.AddressingFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** The server of both toolkits: says "READY PORT" and ends with its standard input. */
public final class Server {
    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // what a toolkit prints is no answer
        int port = free();
        String base = "http://127.0.0.1:" + port;
        Endpoint.publish(base + "/soap11", new InteropEcho.Soap11());
        Endpoint.publish(base + "/soap12", new InteropEcho.Soap12());
        Endpoint.publish(base + "/rpc11", new RpcEcho());
        Endpoint.publish(base + "/shapes11", new ShapesEcho.Soap11());
        Endpoint.publish(base + "/shapes12", new ShapesEcho.Soap12());
        Endpoint.publish(base + "/every11", new EveryEcho());
        AddressingFeature required = new AddressingFeature(true, true);
        Endpoint.create(new InteropEcho.Soap11(), required).publish(base + "/addressed11");
        Endpoint.create(new InteropEcho.Soap12(), required).publish(base + "/addressed12");
        out.println("READY " + port);
        out.flush();
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    /** Neither toolkit says which port it took when it is given port 0. */
    static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
