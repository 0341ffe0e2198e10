package interop.encoded;

import java.net.URL;
import java.util.Arrays;
import org.apache.axis.AxisEngine;

/** Calls each operation of an echo server; a line each: "ok NAME", or "FAILED NAME why". */
public class Client {
    interface Check {
        boolean run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        // What Axis does of itself, every object by reference, and without references.
        for (String multi : new String[] {"refs", "plain"}) {
            InteropEncodedLocator service = new InteropEncodedLocator();
            service.getEngine().setOption(AxisEngine.PROP_DOMULTIREFS, multi.equals("refs"));
            EncodedPortType port = service.getEncodedPort(new URL(args[0]));
            checks(port, multi);
        }
    }

    static void checks(EncodedPortType port, String multi) {
        double[] numbers = {0.1, -0.0, 1e300, Double.POSITIVE_INFINITY, 5};
        check("doubles-" + multi, () -> Arrays.equals(port.encDoubles(numbers), numbers));
        check("doubles-none-" + multi, () -> port.encDoubles(new double[0]).length == 0);
        String[] texts = {"a", "", "<&>\u00e9", null};
        check("strings-" + multi, () -> Arrays.equals(port.encStrings(texts), texts));
        check("text-" + multi, () -> "one & two".equals(port.encText("one & two")));
        Mio mio = new Mio(1, 2, 0.5);
        check("mio-" + multi, () -> mio.equals(port.encMio(mio)));
        Mio[] mios = {mio, new Mio(3, 4, 1.5), mio};
        check("mios-" + multi, () -> Arrays.equals(port.encMios(mios), mios));
        double[][] matrix = {{1, 2, 3}, {4, 5, 6}};
        check("matrix-" + multi, () -> Arrays.deepEquals(port.encMatrix(matrix), matrix));
        Node chain = new Node("a", new Node("b", new Node("c", null)));
        check("chain-" + multi, () -> chain.equals(port.encNode(chain)));
        if (multi.equals("plain")) {
            return;
        }
        Node shared = new Node("shared", null);
        check("pair-shared", () -> {
            Pair back = port.encPair(new Pair(shared, shared));
            return back.getFirst() == back.getSecond() && back.getFirst().getName().equals("shared");
        });
        check("pair-apart", () -> {
            Pair back = port.encPair(new Pair(new Node("x", null), new Node("x", null)));
            return back.getFirst() != back.getSecond();
        });
        Node ring = new Node("ring", null);
        ring.setNext(ring);
        check("ring", () -> {
            Node back = port.encNode(ring);
            return back.getNext() == back && back.getName().equals("ring");
        });
        Node one = new Node("one", null);
        one.setNext(new Node("two", one));
        check("circle", () -> {
            Node back = port.encNode(one);
            return back.getNext().getNext() == back && back.getNext().getName().equals("two");
        });
    }

    static void check(String name, Check check) {
        try {
            System.out.println((check.run() ? "ok " : "FAILED ") + name);
        } catch (Exception e) {
            System.out.println("FAILED " + name + " " + String.valueOf(e.getMessage()).replace('\n', ' '));
        }
    }
}
