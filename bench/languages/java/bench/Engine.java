package bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The protocol (../../../PROTOCOL.md): lines of words in, a line of words out for each. */
public final class Engine {
    private final Toolkit toolkit;
    private final List<Object> sets = new ArrayList<>();
    private Object[][] google = {};
    private String lastOperation = "";
    private Object lastResult;

    private Engine(Toolkit toolkit) {
        this.toolkit = toolkit;
    }

    public static void run(Toolkit toolkit) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a toolkit prints is no answer
        Engine engine = new Engine(toolkit);
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            out.println(engine.answerOrWhy(line.split(" ")));
        }
        out.println("ok");
        System.exit(0);
    }

    private String answerOrWhy(String[] words) {
        try {
            return "ok" + answer(words);
        } catch (Toolkit.Unsupported why) {
            return "unsupported " + why.getMessage();
        } catch (Throwable problem) { // whatever it is, the harness must hear of it
            problem.printStackTrace();
            return ("error " + problem).replaceAll("\\s+", " ");
        }
    }

    private Object answer(String[] words) throws Exception {
        switch (words[0]) {
            case "hello":
                return " 1 " + toolkit.name() + ", Java " + Runtime.version();
            case "load":
                return " " + load(words[1], words[2]);
            case "clear":
                sets.clear();
                google = new Object[0][];
                return "";
            case "set":
                set(words[1], words[2]);
                return "";
            case "serve":
                return " " + toolkit.serve(words[1], google) + " " + toolkit.path();
            case "stop":
                toolkit.stop();
                return "";
            case "call":
                return call(words[1], words[2], Integer.parseInt(words[3]));
            case "dump":
                return " " + dump(words[1]);
            case "reset":
                toolkit.reset();
                return "";
            default:
                throw new Toolkit.Unsupported("no command " + words[0]);
        }
    }

    private int load(String kind, String path) throws Exception {
        Object trace = Trace.read(kind, path);
        if (kind.equals("google")) {
            google = (Object[][]) trace;
            sets.add(google.length);
        } else {
            sets.add(toolkit.values(kind, trace));
        }
        return Trace.count(kind, trace);
    }

    /** Settings that change nothing need not be known. */
    private void set(String name, String value) {
        boolean plain = List.of("security none", "attachments inline", "keepalive on").contains(name + " " + value);
        try {
            toolkit.set(name, value);
        } catch (Toolkit.Unsupported why) {
            if (!plain) {
                throw why;
            }
        }
    }

    /** What a search is handed is how many results it may have. */
    private String call(String operation, String url, int calls) throws Exception {
        Toolkit.Caller caller = toolkit.caller(operation, url);
        List<Object> values = Toolkit.kind(operation).isEmpty() || sets.isEmpty() && operation.equals("doGoogleSearch")
                ? List.of(1) : sets;
        StringBuilder samples = new StringBuilder();
        for (int i = 0; i < calls; i++) {
            Object set = values.get(i % values.size());
            long start = System.nanoTime();
            lastResult = caller.call(set);
            long end = System.nanoTime();
            samples.append(' ').append(start).append(',').append(end);
        }
        lastOperation = operation;
        return samples.toString();
    }

    private int dump(String path) throws Exception {
        String kind = Toolkit.kind(lastOperation);
        if (lastOperation.startsWith("send")) {
            return Trace.write("ints", new int[] {(Integer) lastResult}, path);
        }
        Object trace = kind.isEmpty() ? new String[0] : toolkit.trace(kind, lastResult);
        return Trace.write(kind, trace, path);
    }
}
