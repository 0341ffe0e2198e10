package bench.encoded;

/** What the server answers; takes the place of the class that WSDL2Java makes to be filled in. */
public final class BenchEncodedSoapImpl implements BenchEncoded {
    public static volatile GoogleSearchResult found;

    @Override public void echoVoid() {}
    @Override public double[] echoDoubles(double[] values) { return values; }
    @Override public int[] echoInts(int[] values) { return values; }
    @Override public String[] echoStrings(String[] values) { return values; }
    @Override public byte[] echoBytes(byte[] values) { return values; }
    @Override public byte[] echoPacked(byte[] values) { return values; }
    @Override public Mio[] echoMios(Mio[] values) { return values; }
    @Override public Event[] echoEvents(Event[] values) { return values; }
    @Override public Attribute[] echoAttributes(Attribute[] values) { return values; }
    @Override public ClassAd[] echoClassAds(ClassAd[] values) { return values; }
    @Override public Node echoRing(Node values) { return values; }
    @Override public int sendDoubles(double[] values) { return values.length; }
    @Override public int sendInts(int[] values) { return values.length; }
    @Override public int sendStrings(String[] values) { return values.length; }
    @Override public int sendBytes(byte[] values) { return values.length; }
    @Override public int sendPacked(byte[] values) { return values.length / 8; }
    @Override public int sendMios(Mio[] values) { return values.length; }
    @Override public int sendEvents(Event[] values) { return values.length; }
    @Override public int sendAttributes(Attribute[] values) { return values.length; }
    @Override public int sendClassAds(ClassAd[] values) { return values.length; }

    @Override
    public int sendRing(Node values) {
        int nodes = 0;
        Node node = values;
        do {
            nodes++;
            node = node.getNext();
        } while (node != values);
        return nodes;
    }

    @Override
    public GoogleSearchResult doGoogleSearch(String key, String q, int start, int maxResults, boolean filter,
            String restrict, boolean safeSearch, String lr, String ie, String oe) {
        return found;
    }
}
