import bench.Bean;
import bench.Engine;
import bench.Search;
import bench.Toolkit;
import bench.Trace;
import bench.encoded.Attribute;
import bench.encoded.BenchEncoded;
import bench.encoded.BenchEncodedServiceLocator;
import bench.encoded.ClassAd;
import bench.encoded.DirectoryCategory;
import bench.encoded.Event;
import bench.encoded.GoogleSearchResult;
import bench.encoded.Mio;
import bench.encoded.Node;
import bench.encoded.ResultElement;
import java.lang.reflect.Array;
import java.net.URL;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import javax.activation.DataHandler;
import javax.mail.util.ByteArrayDataSource;
import org.apache.axis.AxisEngine;
import org.apache.axis.EngineConfiguration;
import org.apache.axis.MessageContext;
import org.apache.axis.SimpleTargetedChain;
import org.apache.axis.Version;
import org.apache.axis.attachments.Attachments;
import org.apache.axis.client.Call;
import org.apache.axis.client.Stub;
import org.apache.axis.configuration.SimpleProvider;
import org.apache.axis.transport.http.CommonsHTTPSender;
import org.apache.axis.transport.http.HTTPConstants;
import org.apache.axis.transport.http.HTTPSender;

/**
 * Apache Axis 1.4: SOAP encoding, and files in literal messages. The property `multirefs` says whether objects go by
 * reference, its default.
 */
public class Axis extends Toolkit {
    static final boolean MULTIREFS = Boolean.getBoolean("multirefs");
    private static final boolean COMMONS = Boolean.getBoolean("commons");

    /** How files go: the words of a client, and what a server's messages are told. */
    private enum Form {
        INLINE(null, Attachments.SEND_TYPE_NOTSET),
        MTOM(Call.ATTACHMENT_ENCAPSULATION_FORMAT_MTOM, Attachments.SEND_TYPE_MTOM),
        MIME(Call.ATTACHMENT_ENCAPSULATION_FORMAT_MIME, Attachments.SEND_TYPE_MIME),
        DIME(Call.ATTACHMENT_ENCAPSULATION_FORMAT_DIME, Attachments.SEND_TYPE_DIME);

        private final String format;
        private final int sendType;

        Form(String format, int sendType) {
            this.format = format;
            this.sendType = sendType;
        }
    }

    /** The same files as values in the envelope and as what goes beside it. */
    private record Files(bench.files.ArrayOfFile inline, bench.parts.ArrayOfFile parts) {}

    private final Map<String, Object> ports = new HashMap<>();
    private Form form = Form.INLINE;
    private boolean keepAlive = true;
    private boolean chunked;
    private AxisContainer container;

    public static void main(String[] args) throws Exception {
        Engine.run(System.getenv("DYNAMIC") != null ? new AxisDynamic() : new Axis());
    }

    @Override
    public String name() {
        return "Apache Axis " + Version.getVersionText().split("\\s")[0];
    }

    // ---- values ----

    /** A record of the contract. */
    protected Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(Mio.class.getPackageName() + "." + name);
    }

    @Override
    public Object values(String kind, Object trace) throws Exception {
        return switch (kind) {
            case "mios" -> Bean.array(none("Mio"), kind, trace);
            case "events" -> Bean.array(none("Event"), kind, trace);
            case "attributes" -> Bean.array(none("Attribute"), kind, trace);
            case "classads" -> {
                List<Object> ads = new ArrayList<>();
                for (Object[] row : (Object[][]) trace) {
                    Object attributes = Bean.array(none("ClassAdAttribute"), "attributes", Trace.attributes(row));
                    ads.add(Bean.of(type("ClassAd"), new String[] {"attributes"}, attributes));
                }
                yield ads.toArray(none("ClassAd"));
            }
            case "ring" -> ring((String[]) trace);
            case "files" -> files((Object[][]) trace);
            case "nested" -> throw new Unsupported("SOAP encoding has no attributes of one's own");
            default -> trace;
        };
    }

    private static Files files(Object[][] rows) throws ReflectiveOperationException {
        List<Object[]> handled = new ArrayList<>();
        for (Object[] row : rows) {
            DataHandler data = new DataHandler(new ByteArrayDataSource((byte[]) row[1], "application/octet-stream"));
            handled.add(new Object[] {row[0], data});
        }
        return new Files(
                new bench.files.ArrayOfFile(Bean.array(new bench.files.File[0], "files", rows)),
                new bench.parts.ArrayOfFile(
                        Bean.array(new bench.parts.File[0], "files", handled.toArray(Object[][]::new))));
    }

    private Object[] none(String name) throws ClassNotFoundException {
        return (Object[]) Array.newInstance(type(name), 0);
    }

    private static Node ring(String[] names) {
        if (!MULTIREFS) {
            throw new Unsupported("sends no references in this variant");
        }
        Node last = new Node(names[names.length - 1], null);
        Node first = last;
        for (int i = names.length - 2; i >= 0; i--) {
            first = new Node(names[i], first);
        }
        last.setNext(first);
        return first;
    }

    static GoogleSearchResult search(Object[][] rows) throws Exception {
        GoogleSearchResult result = Search.result(GoogleSearchResult.class, rows.length);
        result.setResultElements(Search.elements(new ResultElement[0], DirectoryCategory.class, rows));
        result.setDirectoryCategories(new DirectoryCategory[0]);
        return result;
    }

    @Override
    public Object trace(String kind, Object result) throws Exception {
        return switch (kind) {
            case "ring" -> names((Node) result);
            case "classads" -> {
                List<Object[]> rows = new ArrayList<>();
                for (Object ad : (Object[]) result) {
                    rows.add(Trace.ad(Bean.rows("attributes", Bean.row(ad, "attributes")[0])));
                }
                yield rows.toArray(Object[][]::new);
            }
            case "google" -> Bean.rows(kind, ((GoogleSearchResult) result).getResultElements());
            case "mios", "events", "attributes" -> Bean.rows(kind, result);
            case "files" -> {
                Object[][] rows = Bean.rows(kind, Bean.row(result, "item")[0]);
                for (Object[] row : rows) {
                    if (row[1] instanceof DataHandler data) {
                        row[1] = data.getInputStream().readAllBytes();
                    }
                }
                yield rows;
            }
            default -> result;
        };
    }

    private static String[] names(Node first) {
        List<String> names = new ArrayList<>();
        Node node = first;
        do {
            names.add(node.getName());
            node = node.getNext();
        } while (node != first);
        return names.toArray(String[]::new);
    }

    // ---- both roles ----

    @Override
    public Caller caller(String operation, String url) throws Exception {
        if (kind(operation).equals("files")) {
            return files(operation.startsWith("send"), url);
        }
        BenchEncoded port = encoded(url);
        return switch (operation) {
            case "echoVoid" -> values -> {
                port.echoVoid();
                return null;
            };
            case "doGoogleSearch" -> rows ->
                    port.doGoogleSearch(Search.KEY, Search.QUERY, 0, (Integer) rows, true, "", false, "", "", "");
            case "echoDoubles" -> values -> port.echoDoubles((double[]) values);
            case "sendDoubles" -> values -> port.sendDoubles((double[]) values);
            case "echoInts" -> values -> port.echoInts((int[]) values);
            case "sendInts" -> values -> port.sendInts((int[]) values);
            case "echoStrings" -> values -> port.echoStrings((String[]) values);
            case "sendStrings" -> values -> port.sendStrings((String[]) values);
            case "echoBytes" -> values -> port.echoBytes((byte[]) values);
            case "sendBytes" -> values -> port.sendBytes((byte[]) values);
            case "echoPacked" -> values -> port.echoPacked((byte[]) values);
            case "sendPacked" -> values -> port.sendPacked((byte[]) values);
            case "echoMios" -> values -> port.echoMios((Mio[]) values);
            case "sendMios" -> values -> port.sendMios((Mio[]) values);
            case "echoEvents" -> values -> port.echoEvents((Event[]) values);
            case "sendEvents" -> values -> port.sendEvents((Event[]) values);
            case "echoAttributes" -> values -> port.echoAttributes((Attribute[]) values);
            case "sendAttributes" -> values -> port.sendAttributes((Attribute[]) values);
            case "echoClassAds" -> values -> port.echoClassAds((ClassAd[]) values);
            case "sendClassAds" -> values -> port.sendClassAds((ClassAd[]) values);
            case "echoRing" -> values -> port.echoRing((Node) values);
            case "sendRing" -> values -> port.sendRing((Node) values);
            default -> throw new Unsupported("no operation " + operation);
        };
    }

    private Caller files(boolean sends, String url) throws Exception {
        if (form == Form.INLINE) {
            bench.files.Files port = inline(url);
            return sends
                    ? values -> port.sendFiles(((Files) values).inline())
                    : values -> port.echoFiles(((Files) values).inline());
        }
        bench.parts.Files port = parts(url);
        return sends
                ? values -> port.sendFiles(((Files) values).parts())
                : values -> port.echoFiles(((Files) values).parts());
    }

    private BenchEncoded encoded(String url) throws Exception {
        BenchEncoded port = (BenchEncoded) ports.get(url);
        if (port == null) {
            BenchEncodedServiceLocator service = new BenchEncodedServiceLocator(configuration());
            port = service.getBenchEncodedSoap(new URL(url));
            prepare(port, service.getEngine(), url);
        }
        return port;
    }

    private bench.files.Files inline(String url) throws Exception {
        bench.files.Files port = (bench.files.Files) ports.get(url);
        if (port == null) {
            bench.files.FilesServiceLocator service = new bench.files.FilesServiceLocator(configuration());
            port = service.getFilesSoap(new URL(url));
            prepare(port, service.getEngine(), url);
        }
        return port;
    }

    private bench.parts.Files parts(String url) throws Exception {
        bench.parts.Files port = (bench.parts.Files) ports.get(url);
        if (port == null) {
            bench.parts.FilesServiceLocator service = new bench.parts.FilesServiceLocator(configuration());
            port = service.getFilesSoap(new URL(url));
            prepare(port, service.getEngine(), url);
            ((Stub) port)._setProperty(Call.ATTACHMENT_ENCAPSULATION_FORMAT, form.format);
        }
        return port;
    }

    private void prepare(Object port, AxisEngine engine, String url) {
        refer(engine);
        Stub stub = (Stub) port;
        stub.setTimeout(0);
        properties().forEach(stub::_setProperty);
        ports.put(url, port);
    }

    /** What a client is made with: the sender of messages. */
    protected static EngineConfiguration configuration() {
        SimpleProvider configuration = new SimpleProvider();
        configuration.deployTransport(
                "http", new SimpleTargetedChain(COMMONS ? new CommonsHTTPSender() : new HTTPSender()));
        return configuration;
    }

    /** Tells a client's engine whether objects go by reference. */
    protected static void refer(AxisEngine engine) {
        engine.setOption(AxisEngine.PROP_DOMULTIREFS, MULTIREFS);
    }

    /** Properties of every call. */
    protected final Map<String, Object> properties() {
        Hashtable<String, String> headers = new Hashtable<>();
        headers.put(HTTPConstants.HEADER_TRANSFER_ENCODING_CHUNKED, String.valueOf(chunked));
        if (!keepAlive) {
            headers.put(HTTPConstants.HEADER_CONNECTION, HTTPConstants.HEADER_CONNECTION_CLOSE);
        }
        return Map.of(
                MessageContext.HTTP_TRANSPORT_VERSION, HTTPConstants.HEADER_PROTOCOL_V11,
                HTTPConstants.REQUEST_HEADERS, headers);
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        bench.encoded.BenchEncodedSoapImpl.found = search(google);
        bench.parts.FilesSoapImpl.form = form.sendType;
        container = switch (contract) {
            case "encoded" -> new AxisContainer("encoded.wsdd", "BenchEncodedSoap");
            case "files" -> new AxisContainer(form == Form.INLINE ? "files.wsdd" : "parts.wsdd", "FilesSoap");
            default -> throw new Unsupported("of the literal contracts the engine has that of files only");
        };
        return container.start();
    }

    @Override
    public void stop() throws Exception {
        container.stop();
    }

    @Override
    public void set(String name, String value) {
        switch (name) {
            case "keepalive" -> keepAlive = value.equals("on");
            case "chunk" -> chunked = !value.equals("0");
            case "attachments" -> form = Form.valueOf(value.toUpperCase());
            default -> super.set(name, value);
        }
        reset();
    }

    @Override
    public void reset() {
        ports.clear();
    }
}
