package interop.maps;

import java.net.URL;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Vector;
import org.apache.axis.AxisEngine;

/** Calls each operation of an echo server of maps.wsdl; a line each: "ok NAME", or "FAILED NAME why". */
public class MapsClient {
    interface Check {
        boolean run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        for (String multi : new String[] {"refs", "plain"}) {
            Maps_ServiceLocator service = new Maps_ServiceLocator();
            service.getEngine().setOption(AxisEngine.PROP_DOMULTIREFS, multi.equals("refs"));
            Maps_PortType port = service.getMaps(new URL(args[0]));
            HashMap map = new HashMap();
            map.put("text", "a & b");
            map.put("number", 7);
            map.put("fraction", 0.5);
            map.put("truth", true);
            map.put("none", null);
            map.put(3, "three");
            check("map-" + multi, () -> port.echoMap(map).equals(map));
            check("map-none-" + multi, () -> port.echoMap(new HashMap()).isEmpty());
            HashMap outer = new HashMap();
            outer.put("inner", new HashMap(map));
            check("map-in-map-" + multi, () -> port.echoMap(outer).equals(outer));
            Vector vector = new Vector(Arrays.asList("a", 1, 2.5, null, true));
            check("vector-" + multi, () -> port.echoVector(vector).equals(vector));
            check("vector-none-" + multi, () -> port.echoVector(new Vector()).isEmpty());
            Vector vectors = new Vector(List.of(vector, map));
            check("vector-of-both-" + multi, () -> port.echoVector(vectors).equals(vectors));
        }
    }

    static void check(String name, Check check) {
        try {
            System.out.println((check.run() ? "ok " : "FAILED ") + name);
        } catch (Exception e) {
            System.out.println("FAILED " + name + " " + String.valueOf(e.getMessage()).replace('\n', ' '));
        }
    }
}
