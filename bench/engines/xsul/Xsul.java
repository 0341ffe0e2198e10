import bench.Engine;
import bench.Toolkit;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.xmlpull.v1.builder.XmlElement;
import org.xmlpull.v1.builder.XmlInfosetBuilder;
import org.xmlpull.v1.builder.XmlNamespace;
import xsul.XmlConstants;
import xsul.common_type_handler.CommonTypeHandlerRegistry;
import xsul.invoker.soap_over_http.SoapHttpDynamicInfosetInvoker;
import xsul.processor.DynamicInfosetProcessorException;
import xsul.processor.soap_over_http.SoapHttpDynamicInfosetProcessor;
import xsul.soaprpc_client.SoapRpcInvocationHandler;
import xsul.soaprpc_server.SoapRpcReflectionBasedService;
import xsul.type_handler.TypeHandlerRegistry;

/** XSUL: SOAP encoding by reflection over a Java interface, its own HTTP on both sides. It has no arrays of records. */
public final class Xsul extends Toolkit {
    /** The operations of the contract that it can do. */
    public interface Operations {
        void echoVoid();
        double[] echoDoubles(double[] values);
        int[] echoInts(int[] values);
        String[] echoStrings(String[] values);
        byte[] echoBytes(byte[] values);
        byte[] echoPacked(byte[] values);
        int sendDoubles(double[] values);
        int sendInts(int[] values);
        int sendStrings(String[] values);
        int sendBytes(byte[] values);
        int sendPacked(byte[] values);
    }

    public static final class Handler implements Operations {
        @Override public void echoVoid() {}
        @Override public double[] echoDoubles(double[] values) { return values; }
        @Override public int[] echoInts(int[] values) { return values; }
        @Override public String[] echoStrings(String[] values) { return values; }
        @Override public byte[] echoBytes(byte[] values) { return values; }
        @Override public byte[] echoPacked(byte[] values) { return values; }
        @Override public int sendDoubles(double[] values) { return values.length; }
        @Override public int sendInts(int[] values) { return values.length; }
        @Override public int sendStrings(String[] values) { return values.length; }
        @Override public int sendBytes(byte[] values) { return values.length; }
        @Override public int sendPacked(byte[] values) { return values.length / 8; }
    }

    private static final XmlInfosetBuilder BUILDER = XmlConstants.BUILDER;
    private static final TypeHandlerRegistry REGISTRY = CommonTypeHandlerRegistry.getInstance();

    private final Map<String, Operations> ports = new HashMap<>();
    private boolean keepAlive = true;
    private SoapHttpDynamicInfosetProcessor server;

    public static void main(String[] args) throws Exception {
        Engine.run(new Xsul());
    }

    @Override
    public String name() {
        return "XSUL 2.10.7";
    }

    @Override
    public Object values(String kind, Object trace) {
        if (trace instanceof Object[][] || kind.equals("ring")) {
            throw new Unsupported("no arrays of records and no references");
        }
        return trace;
    }

    @Override
    public Object trace(String kind, Object result) {
        return result;
    }

    @Override
    public Caller caller(String operation, String url) throws Exception {
        Operations port = port(url);
        return switch (operation) {
            case "echoVoid" -> values -> {
                port.echoVoid();
                return null;
            };
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
            default -> throw new Unsupported("no arrays of records and no references");
        };
    }

    private Operations port(String url) throws Exception {
        Operations port = ports.get(url);
        if (port == null) {
            SoapHttpDynamicInfosetInvoker invoker = new SoapHttpDynamicInfosetInvoker(url);
            invoker.setKeepAlive(keepAlive);
            invoker.setTimeout(600_000);
            port = (Operations) Proxy.newProxyInstance(
                    Xsul.class.getClassLoader(), new Class<?>[] {Operations.class}, new Named(invoker));
            ports.put(url, port);
        }
        return port;
    }

    /** Arguments are called as in the contract, not by their numbers. */
    private static final class Named extends SoapRpcInvocationHandler {
        Named(SoapHttpDynamicInfosetInvoker invoker) {
            super(invoker, REGISTRY, BUILDER.newNamespace("urn:castile:bench:encoded"));
        }

        @Override
        protected String getArgumentName(int position, Method method, Object[] arguments) {
            return "values";
        }
    }

    /** Results are called as in the contract. */
    private static final class NamedService extends SoapRpcReflectionBasedService {
        NamedService() {
            super(new Handler(), Operations.class, REGISTRY);
        }

        @Override
        protected XmlElement produceSoapResponseMessage(
                XmlNamespace namespace, String name, Method method, Object result) {
            XmlElement response = super.produceSoapResponseMessage(namespace, name, method, result);
            XmlElement value = response.element(null, "result");
            if (value != null) {
                value.setName(method.getName().startsWith("send") ? "count" : "return");
            }
            return response;
        }
    }

    @Override
    public int serve(String contract, Object[][] google) throws Exception {
        if (!contract.equals("encoded")) {
            throw new Unsupported("the engine speaks SOAP encoding");
        }
        SoapRpcReflectionBasedService service = new NamedService();
        server = new SoapHttpDynamicInfosetProcessor(0) {
            @Override
            public XmlElement processMessage(XmlElement message) throws DynamicInfosetProcessorException {
                return service.processMessage(message);
            }
        };
        server.start();
        return server.getServerPort();
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }

    @Override
    public void set(String name, String value) {
        if (!name.equals("keepalive")) {
            super.set(name, value);
        }
        keepAlive = value.equals("on");
        reset();
    }

    @Override
    public void reset() {
        ports.clear();
    }
}
