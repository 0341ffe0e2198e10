package bench.jaxws;

import bench.Search;
import bench.Toolkit;
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
import jakarta.activation.DataHandler;
import jakarta.activation.DataSource;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPBinding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.xml.namespace.QName;

/** What the two toolkits with the interfaces of JAX-WS share; each has its own classes of the contracts. */
public abstract class Jaxws extends Toolkit {
    private static final Values GENERATED = new Values((contract, name) -> Class.forName(
            Bench.class.getPackageName() + (contract.equals("bench") ? "." : "." + contract + ".") + name));

    /** The same files as values and as what goes beside the envelope. */
    private record Sent(ArrayOfFile values, castile.bench.swa.ArrayOfFile beside) {}

    private record Bytes(byte[] bytes) implements DataSource {
        @Override
        public InputStream getInputStream() {
            return new ByteArrayInputStream(bytes);
        }

        @Override
        public OutputStream getOutputStream() {
            throw new UnsupportedOperationException("only read");
        }

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }

        @Override
        public String getName() {
            return "";
        }
    }

    private final Map<String, Object> ports = new HashMap<>();
    protected final Map<String, String> settings = new HashMap<>();
    private Endpoint endpoint;

    /** Settings of a new port that this toolkit has its own words for: `keepalive`, `chunk`. */
    protected abstract void prepare(Object port);

    @Override
    public Object values(String kind, Object trace) throws Exception {
        Object values = GENERATED.of(kind, trace);
        return kind.equals("files") ? new Sent((ArrayOfFile) values, beside((Object[][]) trace)) : values;
    }

    private static castile.bench.swa.ArrayOfFile beside(Object[][] rows) {
        castile.bench.swa.ArrayOfFile files = new castile.bench.swa.ArrayOfFile();
        for (Object[] row : rows) {
            castile.bench.swa.File file = new castile.bench.swa.File();
            file.setName((String) row[0]);
            file.setData(new DataHandler(new Bytes((byte[]) row[1])));
            files.getItem().add(file);
        }
        return files;
    }

    /** The rows of files that came beside the envelope, which are read only now. */
    private static Object[][] rows(castile.bench.swa.ArrayOfFile files) throws IOException {
        List<Object[]> rows = new ArrayList<>();
        for (castile.bench.swa.File file : files.getItem()) {
            rows.add(new Object[] {file.getName(), file.getData().getInputStream().readAllBytes()});
        }
        return rows.toArray(Object[][]::new);
    }

    @Override
    public Object trace(String kind, Object result) throws Exception {
        return result instanceof Object[][] rows ? rows : Values.trace(kind, result);
    }

    @Override
    public Caller caller(String operation, String url) throws Exception {
        return switch (contract(operation)) {
            case "nested" -> {
                Nested nested = port("nested", url, Nested.class);
                yield operation.startsWith("send")
                        ? values -> nested.sendNested((Level) values)
                        : values -> nested.echoNested((Level) values);
            }
            case "files" -> files(operation.startsWith("send"), url);
            default -> caller(operation, port("bench", url, Bench.class));
        };
    }

    private Caller files(boolean sends, String url) throws Exception {
        if (attachments("mime")) {
            castile.bench.swa.Files port = port("swa", url, castile.bench.swa.Files.class);
            return sends
                    ? values -> port.sendFiles(((Sent) values).beside())
                    : values -> rows(port.echoFiles(((Sent) values).beside()));
        }
        Files port = port("files", url, Files.class);
        return sends
                ? values -> port.sendFiles(((Sent) values).values())
                : values -> port.echoFiles(((Sent) values).values());
    }

    private static Caller caller(String operation, Bench port) {
        return switch (operation) {
            case "echoVoid" -> values -> {
                port.echoVoid();
                return null;
            };
            case "doGoogleSearch" -> rows ->
                    port.doGoogleSearch(Search.KEY, Search.QUERY, 0, (Integer) rows, true, "", false, "", "", "");
            case "echoDoubles" -> values -> port.echoDoubles((ArrayOfDouble) values);
            case "sendDoubles" -> values -> port.sendDoubles((ArrayOfDouble) values);
            case "echoInts" -> values -> port.echoInts((ArrayOfInt) values);
            case "sendInts" -> values -> port.sendInts((ArrayOfInt) values);
            case "echoStrings" -> values -> port.echoStrings((ArrayOfString) values);
            case "sendStrings" -> values -> port.sendStrings((ArrayOfString) values);
            case "echoBytes" -> values -> port.echoBytes((byte[]) values);
            case "sendBytes" -> values -> port.sendBytes((byte[]) values);
            case "echoPacked" -> values -> port.echoPacked((byte[]) values);
            case "sendPacked" -> values -> port.sendPacked((byte[]) values);
            case "echoMios" -> values -> port.echoMios((ArrayOfMio) values);
            case "sendMios" -> values -> port.sendMios((ArrayOfMio) values);
            case "echoEvents" -> values -> port.echoEvents((ArrayOfEvent) values);
            case "sendEvents" -> values -> port.sendEvents((ArrayOfEvent) values);
            case "echoAttributes" -> values -> port.echoAttributes((ArrayOfAttribute) values);
            case "sendAttributes" -> values -> port.sendAttributes((ArrayOfAttribute) values);
            case "echoClassAds" -> values -> port.echoClassAds((ArrayOfClassAd) values);
            case "sendClassAds" -> values -> port.sendClassAds((ArrayOfClassAd) values);
            default -> throw new Unsupported("no operation " + operation);
        };
    }

    private <T> T port(String contract, String url, Class<T> type) throws Exception {
        Object port = ports.get(url);
        if (port == null) {
            Service service = Service.create(wsdl(contract), named(contract, "Service"));
            port = service.getPort(named(contract, "Soap"), type);
            BindingProvider provider = (BindingProvider) port;
            provider.getRequestContext().put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, url);
            ((SOAPBinding) provider.getBinding()).setMTOMEnabled(attachments("mtom"));
            prepare(port);
            ports.put(url, port);
        }
        return type.cast(port);
    }

    /** Where a contract is; `swa` is that of files, but their data are references. */
    protected static URL wsdl(String contract) throws MalformedURLException {
        return Path.of(System.getenv("BUILD"), contract + ".wsdl").toUri().toURL();
    }

    /** The name of a contract's service or port. */
    protected static QName named(String of, String what) {
        String contract = of.equals("swa") ? "files" : of;
        String namespace = "urn:castile:bench" + (contract.equals("bench") ? "" : ":" + contract);
        return new QName(namespace, Character.toUpperCase(contract.charAt(0)) + contract.substring(1) + what);
    }

    /** Whether files go in this form. */
    protected final boolean attachments(String form) {
        return settings.getOrDefault("attachments", "inline").equals(form);
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        Object handler = switch (contract) {
            case "bench" -> new Handlers.OfBench((GoogleSearchResult) GENERATED.search(google));
            case "nested" -> new Handlers.OfNested();
            case "files" -> attachments("mime") ? new Handlers.OfSwa() : new Handlers.OfFiles();
            default -> throw new Unsupported("no SOAP encoding");
        };
        int port = free();
        endpoint = Endpoint.create(handler);
        endpoint.setExecutor(Executors.newCachedThreadPool());
        describe(endpoint);
        endpoint.publish("http://127.0.0.1:" + port + "/");
        ((SOAPBinding) endpoint.getBinding()).setMTOMEnabled(attachments("mtom"));
        served(endpoint);
        return port;
    }

    /** What this toolkit must know of a server before it is one. */
    protected void describe(Endpoint endpoint) throws Exception {}

    /** What this toolkit adds to a server by its settings. */
    protected void served(Endpoint endpoint) {}

    @Override
    public void stop() {
        endpoint.stop();
    }

    @Override
    public void set(String name, String value) {
        if (!known(name, value)) {
            throw new Unsupported("no " + name + "=" + value);
        }
        settings.put(name, value);
        reset();
    }

    /** Whether there is such a setting. */
    protected boolean known(String name, String value) {
        return List.of("keepalive", "chunk").contains(name)
                || List.of("security none", "attachments inline", "attachments mtom", "attachments mime")
                        .contains(name + " " + value);
    }

    @Override
    public void reset() {
        ports.clear();
    }
}
