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
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPBinding;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.xml.namespace.QName;

/** What the two toolkits with the interfaces of JAX-WS share; each has its own classes of the contracts. */
public abstract class Jaxws extends Toolkit {
    private static final Values GENERATED = new Values((contract, name) -> Class.forName(
            Bench.class.getPackageName() + (contract.equals("bench") ? "." : "." + contract + ".") + name));

    private final Map<String, Object> ports = new HashMap<>();
    protected final Map<String, String> settings = new HashMap<>();
    private Endpoint endpoint;

    /** Settings of a new port that this toolkit has its own words for: `keepalive`, `chunk`. */
    protected abstract void prepare(Object port);

    @Override
    public Object values(String kind, Object trace) throws Exception {
        return GENERATED.of(kind, trace);
    }

    @Override
    public Object trace(String kind, Object result) throws Exception {
        return Values.trace(kind, result);
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
            case "files" -> {
                Files files = port("files", url, Files.class);
                yield operation.startsWith("send")
                        ? values -> files.sendFiles((ArrayOfFile) values)
                        : values -> files.echoFiles((ArrayOfFile) values);
            }
            default -> caller(operation, port("bench", url, Bench.class));
        };
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
            ((SOAPBinding) provider.getBinding()).setMTOMEnabled(mtom());
            prepare(port);
            ports.put(url, port);
        }
        return type.cast(port);
    }

    /** Where a contract is. */
    protected static URL wsdl(String contract) throws MalformedURLException {
        return Path.of(System.getenv("BENCH_WSDL"), contract + ".wsdl").toUri().toURL();
    }

    /** The name of a contract's service or port. */
    protected static QName named(String contract, String what) {
        String namespace = "urn:castile:bench" + (contract.equals("bench") ? "" : ":" + contract);
        return new QName(namespace, Character.toUpperCase(contract.charAt(0)) + contract.substring(1) + what);
    }

    protected boolean mtom() {
        return settings.getOrDefault("attachments", "inline").equals("mtom");
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        Object handler = switch (contract) {
            case "bench" -> new Handlers.OfBench((GoogleSearchResult) GENERATED.search(google));
            case "nested" -> new Handlers.OfNested();
            case "files" -> new Handlers.OfFiles();
            default -> throw new Unsupported("no SOAP encoding");
        };
        int port = free();
        endpoint = Endpoint.create(handler);
        endpoint.setExecutor(Executors.newCachedThreadPool());
        endpoint.publish("http://127.0.0.1:" + port + "/");
        ((SOAPBinding) endpoint.getBinding()).setMTOMEnabled(mtom());
        served(endpoint);
        return port;
    }

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
                || List.of("security none", "attachments inline", "attachments mtom").contains(name + " " + value);
    }

    @Override
    public void reset() {
        ports.clear();
    }
}
