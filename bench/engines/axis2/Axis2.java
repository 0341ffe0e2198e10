import bench.Bean;
import bench.Engine;
import bench.Search;
import bench.Toolkit;
import bench.Trace;
import bench.bench.ArrayOfAttribute;
import bench.bench.ArrayOfClassAd;
import bench.bench.ArrayOfClassAdAttribute;
import bench.bench.ArrayOfDirectoryCategory;
import bench.bench.ArrayOfDouble;
import bench.bench.ArrayOfEvent;
import bench.bench.ArrayOfInt;
import bench.bench.ArrayOfMio;
import bench.bench.ArrayOfResultElement;
import bench.bench.ArrayOfString;
import bench.bench.Attribute;
import bench.bench.BenchServiceSkeleton;
import bench.bench.BenchServiceStub;
import bench.bench.ClassAd;
import bench.bench.ClassAdAttribute;
import bench.bench.DirectoryCategory;
import bench.bench.Event;
import bench.bench.GoogleSearchResult;
import bench.bench.Mio;
import bench.bench.ResultElement;
import bench.files.ArrayOfFile;
import bench.files.File;
import bench.files.FilesServiceStub;
import bench.swa.Swa;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.activation.DataHandler;
import org.apache.axiom.attachments.ByteArrayDataSource;
import org.apache.axis2.AxisFault;
import org.apache.axis2.Constants;
import org.apache.axis2.client.Options;
import org.apache.axis2.client.Stub;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.ConfigurationContextFactory;
import org.apache.axis2.description.Parameter;
import org.apache.axis2.engine.AxisConfiguration;
import org.apache.axis2.kernel.http.HTTPConstants;
import org.apache.axis2.transport.http.SimpleHTTPServer;

/** Apache Axis2 with its data binding ADB and its own HTTP server. */
public final class Axis2 extends Toolkit {
    private static final String REPOSITORIES = System.getenv("BUILD") + "/repository/";

    /** The same files as values and as what an envelope refers to. */
    private record Files(ArrayOfFile values, Swa.Message beside) {}

    private final Map<String, Stub> stubs = new HashMap<>();
    private String attachments = "inline";
    private String served;
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
            case "bytes", "packed" -> handler(trace);
            case "files" -> files((Object[][]) trace);
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
            default -> throw new Unsupported("left out: the engine has no nested contract");
        };
    }

    private static DataHandler handler(Object bytes) {
        return new DataHandler(new ByteArrayDataSource((byte[]) bytes));
    }

    private static Files files(Object[][] rows) throws ReflectiveOperationException {
        List<String> names = new ArrayList<>();
        List<DataHandler> parts = new ArrayList<>();
        List<Object[]> handled = new ArrayList<>();
        for (Object[] row : rows) {
            names.add((String) row[0]);
            parts.add(handler(row[1]));
            handled.add(new Object[] {row[0], handler(row[1])});
        }
        File[] files = Bean.array(new File[0], "files", handled.toArray(Object[][]::new));
        return new Files(array(new ArrayOfFile(), files), Swa.message(names, parts));
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
        if (result instanceof Swa.Message message) {
            Object[][] rows = Bean.rows(kind, message.files().getItem());
            for (int i = 0; i < rows.length; i++) {
                rows[i][1] = message.parts().get(i).getInputStream().readAllBytes();
            }
            return rows;
        }
        if (result instanceof ArrayOfFile files) {
            Object[][] rows = Bean.rows(kind, files.getItem());
            for (Object[] row : rows) {
                row[1] = ((DataHandler) row[1]).getInputStream().readAllBytes();
            }
            return rows;
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
        if (kind(operation).equals("files")) {
            return files(operation.startsWith("send"), url);
        }
        BenchServiceStub stub = stub(url, BenchServiceStub::new);
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

    private Caller files(boolean sends, String url) throws Exception {
        FilesServiceStub stub = stub(url, FilesServiceStub::new);
        if (attachments.equals("mime")) {
            Swa swa = new Swa(stub._getServiceClient());
            return sends
                    ? values -> swa.send(((Files) values).beside())
                    : values -> swa.echo(((Files) values).beside());
        }
        return sends
                ? values -> stub.sendFiles(((Files) values).values())
                : values -> stub.echoFiles(((Files) values).values());
    }

    /** Makes a stub for a URL. */
    private interface Maker<S> {
        S of(String url) throws AxisFault;
    }

    @SuppressWarnings("unchecked")
    private <S extends Stub> S stub(String url, Maker<S> maker) throws AxisFault {
        Stub stub = stubs.get(url);
        if (stub == null) {
            stub = maker.of(url);
            Options options = stub._getServiceClient().getOptions();
            options.setTimeOutInMilliSeconds(600_000);
            options.setProperty(HTTPConstants.REUSE_HTTP_CLIENT, keepAlive);
            if (chunked != null) {
                options.setProperty(HTTPConstants.CHUNKED, chunked);
            }
            options.setProperty(Constants.Configuration.ENABLE_MTOM, enabled("mtom"));
            options.setProperty(Constants.Configuration.ENABLE_SWA, enabled("mime"));
            stubs.put(url, stub);
        }
        return (S) stub;
    }

    private String enabled(String form) {
        return attachments.equals(form) ? Constants.VALUE_TRUE : Constants.VALUE_FALSE;
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        String repository = contract.equals("files") && attachments.equals("mime") ? "swa" : contract;
        if (!List.of("bench", "files", "swa").contains(repository)) {
            throw new Unsupported("left out: the engine has no nested contract");
        }
        BenchServiceSkeleton.found = search(google);
        ConfigurationContext context = ConfigurationContextFactory.createConfigurationContextFromFileSystem(
                REPOSITORIES + repository, null);
        AxisConfiguration configuration = context.getAxisConfiguration();
        configuration.addParameter(new Parameter(Constants.Configuration.ENABLE_MTOM, enabled("mtom")));
        configuration.addParameter(new Parameter(Constants.Configuration.ENABLE_SWA, enabled("mime")));
        served = repository.equals("bench") ? "BenchService" : "FilesService";
        int port = free();
        server = new SimpleHTTPServer(context, port);
        server.start();
        return port;
    }

    @Override
    public String path() {
        return "/axis2/services/" + served;
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
            case "attachments" -> attachments = value;
            default -> super.set(name, value);
        }
        reset();
    }

    @Override
    public void reset() {
        stubs.clear();
    }
}
