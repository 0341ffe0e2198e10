package bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** One toolkit: what the protocol (../../../PROTOCOL.md) asks of it. What a toolkit leaves out throws `Unsupported`. */
public abstract class Toolkit {
    /** Calls an operation with values that `values` made and gives its result. */
    public interface Caller {
        Object call(Object values) throws Exception;
    }

    public static final class Unsupported extends RuntimeException {
        public Unsupported(String why) {
            super(why);
        }
    }

    /** Toolkit and version. */
    public abstract String name();

    /** What a call is handed, made of a trace (see `Trace`). */
    public abstract Object values(String kind, Object trace) throws Exception;

    /** The trace of a result. */
    public abstract Object trace(String kind, Object result) throws Exception;

    public abstract Caller caller(String operation, String url) throws Exception;

    /** Starts a server of a contract and gives its port; `google` are the rows that a search finds. */
    public abstract int serve(String contract, Object[][] google) throws Exception;

    /** The path at which the server answers, where not at any. */
    public String path() {
        return "";
    }

    public void stop() throws Exception {
        throw new Unsupported("the server ends with the engine");
    }

    /** A setting that is no default. */
    public void set(String name, String value) {
        throw new Unsupported("no " + name + "=" + value);
    }

    /** Forgets connections and all that earlier calls left. */
    public void reset() {}

    /** A free port, for servers that do not say which they took when they are given port 0. */
    protected static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What an operation takes: `echoMios` gives `mios`, `echoVoid` nothing. */
    public static String kind(String operation) {
        if (operation.equals("doGoogleSearch")) {
            return "google";
        }
        String kind = operation.replaceFirst("^(echo|send)", "").toLowerCase();
        return kind.equals("void") ? "" : kind;
    }

    /** The contract that has an operation, of those in literal messages. */
    public static String contract(String operation) {
        String kind = kind(operation);
        return kind.equals("nested") || kind.equals("files") ? kind : "bench";
    }
}
