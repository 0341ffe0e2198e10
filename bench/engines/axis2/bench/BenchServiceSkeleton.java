package bench.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import javax.activation.DataHandler;

/** What the server answers; takes the place of the class that WSDL2Java makes to be filled in. */
public class BenchServiceSkeleton {
    public static volatile GoogleSearchResult found;

    public void echoVoid() {}
    public ArrayOfDouble echoDoubles(ArrayOfDouble values) { return values; }
    public ArrayOfInt echoInts(ArrayOfInt values) { return values; }
    public ArrayOfString echoStrings(ArrayOfString values) { return values; }
    public DataHandler echoBytes(DataHandler values) { return values; }
    public DataHandler echoPacked(DataHandler values) { return values; }
    public ArrayOfMio echoMios(ArrayOfMio values) { return values; }
    public ArrayOfEvent echoEvents(ArrayOfEvent values) { return values; }
    public ArrayOfAttribute echoAttributes(ArrayOfAttribute values) { return values; }
    public ArrayOfClassAd echoClassAds(ArrayOfClassAd values) { return values; }
    public int sendDoubles(ArrayOfDouble values) { return values.getItem().length; }
    public int sendInts(ArrayOfInt values) { return values.getItem().length; }
    public int sendStrings(ArrayOfString values) { return values.getItem().length; }
    public int sendBytes(DataHandler values) { return length(values); }
    public int sendPacked(DataHandler values) { return length(values) / 8; }
    public int sendMios(ArrayOfMio values) { return values.getItem().length; }
    public int sendEvents(ArrayOfEvent values) { return values.getItem().length; }
    public int sendAttributes(ArrayOfAttribute values) { return values.getItem().length; }
    public int sendClassAds(ArrayOfClassAd values) { return values.getItem().length; }

    public GoogleSearchResult doGoogleSearch(String key, String q, int start, int maxResults, boolean filter,
            String restrict, boolean safeSearch, String lr, String ie, String oe) {
        return found;
    }

    private static int length(DataHandler values) {
        int[] bytes = {0};
        try {
            values.writeTo(new OutputStream() {
                @Override
                public void write(int one) {
                    bytes[0]++;
                }

                @Override
                public void write(byte[] some, int from, int count) {
                    bytes[0] += count;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes[0];
    }
}
