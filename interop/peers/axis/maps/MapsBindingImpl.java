package interop.maps;

import java.util.HashMap;
import java.util.Vector;

/** Gives every argument back. */
public class MapsBindingImpl implements Maps_PortType {
    public HashMap echoMap(HashMap value) {
        return value;
    }

    public Vector echoVector(Vector value) {
        return value;
    }
}
