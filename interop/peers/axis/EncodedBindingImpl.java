package interop.encoded;

/** Gives every argument back. */
public class EncodedBindingImpl implements EncodedPortType {
    public double[] encDoubles(double[] values) {
        return values;
    }

    public String[] encStrings(String[] values) {
        return values;
    }

    public Mio encMio(Mio mio) {
        return mio;
    }

    public Mio[] encMios(Mio[] mios) {
        return mios;
    }

    public double[][] encMatrix(double[][] matrix) {
        return matrix;
    }

    public Node encNode(Node node) {
        return node;
    }

    public Pair encPair(Pair pair) {
        return pair;
    }

    public String encText(String text) {
        return text;
    }
}
