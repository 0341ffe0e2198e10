package interop.every;

/** Gives every simple type back. */
public class InteropEverySoap11Impl implements InteropEveryPortType {
    public Every echoEvery(Every every) {
        return every;
    }
}
