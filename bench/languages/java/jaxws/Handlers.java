package bench.jaxws;

import castile.bench.ArrayOfAttribute;
import castile.bench.ArrayOfClassAd;
import castile.bench.ArrayOfDouble;
import castile.bench.ArrayOfEvent;
import castile.bench.ArrayOfInt;
import castile.bench.ArrayOfMio;
import castile.bench.ArrayOfString;
import castile.bench.Bench;
import castile.bench.GoogleSearchResult;
import castile.bench.files.ArrayOfFile;
import castile.bench.files.Files;
import castile.bench.nested.Level;
import castile.bench.nested.Nested;
import jakarta.jws.WebService;

/** What servers answer: a class for each contract, as the generated interfaces want it. */
public final class Handlers {
    @WebService(endpointInterface = "castile.bench.Bench", serviceName = "BenchService", portName = "BenchSoap",
            targetNamespace = "urn:castile:bench")
    public static final class OfBench implements Bench {
        private final GoogleSearchResult found;

        public OfBench(GoogleSearchResult found) {
            this.found = found;
        }

        @Override public void echoVoid() {}
        @Override public ArrayOfDouble echoDoubles(ArrayOfDouble values) { return values; }
        @Override public ArrayOfInt echoInts(ArrayOfInt values) { return values; }
        @Override public ArrayOfString echoStrings(ArrayOfString values) { return values; }
        @Override public byte[] echoBytes(byte[] values) { return values; }
        @Override public byte[] echoPacked(byte[] values) { return values; }
        @Override public ArrayOfMio echoMios(ArrayOfMio values) { return values; }
        @Override public ArrayOfEvent echoEvents(ArrayOfEvent values) { return values; }
        @Override public ArrayOfAttribute echoAttributes(ArrayOfAttribute values) { return values; }
        @Override public ArrayOfClassAd echoClassAds(ArrayOfClassAd values) { return values; }
        @Override public int sendDoubles(ArrayOfDouble values) { return values.getItem().size(); }
        @Override public int sendInts(ArrayOfInt values) { return values.getItem().size(); }
        @Override public int sendStrings(ArrayOfString values) { return values.getItem().size(); }
        @Override public int sendBytes(byte[] values) { return values.length; }
        @Override public int sendPacked(byte[] values) { return values.length / 8; }
        @Override public int sendMios(ArrayOfMio values) { return values.getItem().size(); }
        @Override public int sendEvents(ArrayOfEvent values) { return values.getItem().size(); }
        @Override public int sendAttributes(ArrayOfAttribute values) { return values.getItem().size(); }
        @Override public int sendClassAds(ArrayOfClassAd values) { return values.getItem().size(); }

        @Override
        public GoogleSearchResult doGoogleSearch(String key, String q, int start, int maxResults, boolean filter,
                String restrict, boolean safeSearch, String lr, String ie, String oe) {
            return found;
        }
    }

    @WebService(endpointInterface = "castile.bench.nested.Nested", serviceName = "NestedService",
            portName = "NestedSoap", targetNamespace = "urn:castile:bench:nested")
    public static final class OfNested implements Nested {
        @Override public Level echoNested(Level values) { return values; }

        @Override
        public int sendNested(Level values) {
            int levels = 0;
            for (Level level = values; level != null; level = level.getLevel()) {
                levels++;
            }
            return levels;
        }
    }

    @WebService(endpointInterface = "castile.bench.files.Files", serviceName = "FilesService", portName = "FilesSoap",
            targetNamespace = "urn:castile:bench:files")
    public static final class OfFiles implements Files {
        @Override public ArrayOfFile echoFiles(ArrayOfFile values) { return values; }
        @Override public int sendFiles(ArrayOfFile values) { return values.getItem().size(); }
    }

    @WebService(endpointInterface = "castile.bench.swa.Files", serviceName = "FilesService", portName = "FilesSoap",
            targetNamespace = "urn:castile:bench:files")
    public static final class OfSwa implements castile.bench.swa.Files {
        @Override
        public castile.bench.swa.ArrayOfFile echoFiles(castile.bench.swa.ArrayOfFile values) {
            return values;
        }

        @Override
        public int sendFiles(castile.bench.swa.ArrayOfFile values) {
            return values.getItem().size();
        }
    }

    private Handlers() {}
}
