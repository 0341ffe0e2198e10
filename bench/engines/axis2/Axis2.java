import bench.Bean;
import bench.Engine;
import bench.Search;
import bench.Toolkit;
import bench.Trace;
import bench.castile.ArrayOfAttribute;
import bench.castile.ArrayOfClassAd;
import bench.castile.ArrayOfClassAdAttribute;
import bench.castile.ArrayOfDirectoryCategory;
import bench.castile.ArrayOfDouble;
import bench.castile.ArrayOfEvent;
import bench.castile.ArrayOfInt;
import bench.castile.ArrayOfMio;
import bench.castile.ArrayOfResultElement;
import bench.castile.ArrayOfString;
import bench.castile.Attribute;
import bench.castile.BenchServiceSkeleton;
import bench.castile.BenchServiceStub;
import bench.castile.ClassAd;
import bench.castile.ClassAdAttribute;
import bench.castile.DirectoryCategory;
import bench.castile.Event;
import bench.castile.GoogleSearchResult;
import bench.castile.Mio;
import bench.castile.ResultElement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.activation.DataHandler;
import org.apache.axiom.attachments.ByteArrayDataSource;
import org.apache.axis2.client.Options;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.ConfigurationContextFactory;
import org.apache.axis2.kernel.http.HTTPConstants;
import org.apache.axis2.transport.http.SimpleHTTPServer;

/** Apache Axis2 with its data binding ADB and its own HTTP server. */
public final class Axis2 extends Toolkit {
    private static final String REPOSITORY = System.getenv("BUILD") + "/repository";

    private final Map<String, BenchServiceStub> stubs = new HashMap<>();
    private boolean keepAlive = true;
    private Boolean chunked;
    private SimpleHTTPServer server;

    public static void main(String[] args) throws Exception {
        Engine.run(new Axis2());
    }

    @Override
    public String name() {
        return "Apache Axis2 1.8.2";
    }

    // ---- values ----

    @Override
    public Object values(String kind, Object trace) throws Exception {
        return switch (kind) {
            case "doubles" -> array(new ArrayOfDouble(), trace);
            case "ints" -> array(new ArrayOfInt(), trace);
            case "strings" -> array(new ArrayOfString(), trace);
            case "bytes", "packed" -> new DataHandler(new ByteArrayDataSource((byte[]) trace));
            case "mios" -> array(new ArrayOfMio(), Bean.array(new Mio[0], kind, trace));
            case "events" -> array(new ArrayOfEvent(), Bean.array(new Event[0], kind, trace));
            case "attributes" -> array(new ArrayOfAttribute(), Bean.array(new Attribute[0], kind, trace));
            case "classads" -> {
                List<ClassAd> ads = new ArrayList<>();
                for (Object[] row : (Object[][]) trace) {
                    ads.add(classAd(row));
                }
                yield array(new ArrayOfClassAd(), ads.toArray(new ClassAd[0]));
            }
            default -> throw new Unsupported("the engine has the main contract only");
        };
    }

    private static <A> A array(A array, Object items) throws ReflectiveOperationException {
        array.getClass().getMethod("setItem", items.getClass()).invoke(array, items);
        return array;
    }

    private static ClassAd classAd(Object[] row) throws ReflectiveOperationException {
        ClassAd ad = new ClassAd();
        ad.setAttributes(array(new ArrayOfClassAdAttribute(),
                Bean.array(new ClassAdAttribute[0], "attributes", Trace.attributes(row))));
        return ad;
    }

    private static GoogleSearchResult search(Object[][] rows) throws ReflectiveOperationException {
        GoogleSearchResult result = Search.result(GoogleSearchResult.class, rows.length);
        result.setResultElements(array(
                new ArrayOfResultElement(), Search.elements(new ResultElement[0], DirectoryCategory.class, rows)));
        result.setDirectoryCategories(new ArrayOfDirectoryCategory());
        return result;
    }

    @Override
    public Object trace(String kind, Object result) throws Exception {
        if (result instanceof DataHandler bytes) {
            return bytes.getInputStream().readAllBytes();
        }
        if (result instanceof ArrayOfClassAd ads) {
            List<Object[]> rows = new ArrayList<>();
            for (ClassAd ad : ads.getItem()) {
                rows.add(Trace.ad(Bean.rows("attributes", ad.getAttributes().getItem())));
            }
            return rows.toArray(Object[][]::new);
        }
        Object array = result instanceof GoogleSearchResult found ? found.getResultElements() : result;
        Object items = Bean.row(array, "item")[0];
        return Trace.FIELDS.containsKey(kind) ? Bean.rows(kind, items) : items;
    }

    // ---- both roles ----

    @Override
    public Caller caller(String operation, String url) throws Exception {
        BenchServiceStub stub = stub(url);
        return switch (operation) {
            case "echoVoid" -> values -> {
                stub.echoVoid();
                return null;
            };
            case "doGoogleSearch" -> rows ->
                    stub.doGoogleSearch(Search.KEY, Search.QUERY, 0, (Integer) rows, true, "", false, "", "", "");
            case "echoDoubles" -> values -> stub.echoDoubles((ArrayOfDouble) values);
            case "sendDoubles" -> values -> stub.sendDoubles((ArrayOfDouble) values);
            case "echoInts" -> values -> stub.echoInts((ArrayOfInt) values);
            case "sendInts" -> values -> stub.sendInts((ArrayOfInt) values);
            case "echoStrings" -> values -> stub.echoStrings((ArrayOfString) values);
            case "sendStrings" -> values -> stub.sendStrings((ArrayOfString) values);
            case "echoBytes" -> values -> stub.echoBytes((DataHandler) values);
            case "sendBytes" -> values -> stub.sendBytes((DataHandler) values);
            case "echoPacked" -> values -> stub.echoPacked((DataHandler) values);
            case "sendPacked" -> values -> stub.sendPacked((DataHandler) values);
            case "echoMios" -> values -> stub.echoMios((ArrayOfMio) values);
            case "sendMios" -> values -> stub.sendMios((ArrayOfMio) values);
            case "echoEvents" -> values -> stub.echoEvents((ArrayOfEvent) values);
            case "sendEvents" -> values -> stub.sendEvents((ArrayOfEvent) values);
            case "echoAttributes" -> values -> stub.echoAttributes((ArrayOfAttribute) values);
            case "sendAttributes" -> values -> stub.sendAttributes((ArrayOfAttribute) values);
            case "echoClassAds" -> values -> stub.echoClassAds((ArrayOfClassAd) values);
            case "sendClassAds" -> values -> stub.sendClassAds((ArrayOfClassAd) values);
            default -> throw new Unsupported("no operation " + operation);
        };
    }

    private BenchServiceStub stub(String url) throws Exception {
        BenchServiceStub stub = stubs.get(url);
        if (stub == null) {
            stub = new BenchServiceStub(url);
            Options options = stub._getServiceClient().getOptions();
            options.setTimeOutInMilliSeconds(600_000);
            options.setProperty(HTTPConstants.REUSE_HTTP_CLIENT, keepAlive);
            if (chunked != null) {
                options.setProperty(HTTPConstants.CHUNKED, chunked);
            }
            stubs.put(url, stub);
        }
        return stub;
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        if (!contract.equals("bench")) {
            throw new Unsupported("the engine has the main contract only");
        }
        BenchServiceSkeleton.found = search(google);
        ConfigurationContext context =
                ConfigurationContextFactory.createConfigurationContextFromFileSystem(REPOSITORY, null);
        int port = free();
        server = new SimpleHTTPServer(context, port);
        server.start();
        return port;
    }

    @Override
    public String path() {
        return "/axis2/services/BenchService";
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public void set(String name, String value) {
        switch (name) {
            case "keepalive" -> keepAlive = value.equals("on");
            case "chunk" -> chunked = !value.equals("0");
            default -> super.set(name, value);
        }
        reset();
    }

    @Override
    public void reset() {
        stubs.clear();
    }
}
