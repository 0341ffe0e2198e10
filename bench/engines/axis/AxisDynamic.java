import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.namespace.QName;
import org.apache.axis.Constants;
import org.apache.axis.EngineConfiguration;
import org.apache.axis.client.AxisClient;
import org.apache.axis.client.Call;
import org.apache.axis.client.Service;
import org.apache.axis.encoding.ser.ArrayDeserializerFactory;
import org.apache.axis.encoding.ser.ArraySerializerFactory;
import org.apache.axis.encoding.ser.BeanDeserializerFactory;
import org.apache.axis.encoding.ser.BeanSerializerFactory;

/**
 * Axis's dynamic calls: operations and their parameters are read from the contract when the client starts, and records
 * are beans that it looks into. The server is the static one.
 */
final class AxisDynamic extends Axis {
    private static final String NAMESPACE = "urn:castile:bench:encoded";
    private static final QName SERVICE = new QName(NAMESPACE, "BenchEncodedService");
    private static final QName PORT = new QName(NAMESPACE, "BenchEncodedSoap");

    private final Map<String, Call> calls = new HashMap<>();
    private Service service;

    @Override
    protected Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("Records$" + name);
    }

    @Override
    public Caller caller(String operation, String url) throws Exception {
        if (kind(operation).equals("google") || kind(operation).equals("ring")) {
            throw new Unsupported("left out: no beans of its records");
        }
        Call call = call(operation, url);
        boolean empty = kind(operation).isEmpty();
        return values -> call.invoke(empty ? new Object[0] : new Object[] {values});
    }

    private Call call(String operation, String url) throws Exception {
        Call call = calls.get(operation + url);
        if (call == null) {
            call = (Call) service().createCall();
            register(call);
            call.setOperation(PORT, operation);
            call.setTargetEndpointAddress(url);
            call.setTimeout(0);
            properties().forEach(call::setProperty);
            calls.put(operation + url, call);
        }
        return call;
    }

    private Service service() throws Exception {
        if (service == null) {
            EngineConfiguration configuration = configuration();
            service = new Service(Path.of(System.getenv("BENCH_WSDL"), "encoded.wsdl").toUri().toURL(), SERVICE);
            service.setEngineConfiguration(configuration);
            service.setEngine(new AxisClient(configuration));
            refer(service.getEngine());
        }
        return service;
    }

    private void register(Call call) throws Exception {
        array(call, double.class, Constants.XSD_DOUBLE, "ArrayOfDouble");
        array(call, int.class, Constants.XSD_INT, "ArrayOfInt");
        array(call, String.class, Constants.XSD_STRING, "ArrayOfString");
        for (String name : new String[] {"Mio", "Event", "Attribute", "ClassAdAttribute", "ClassAd"}) {
            Class<?> record = type(name);
            QName element = new QName(NAMESPACE, name);
            call.registerTypeMapping(record, element,
                    new BeanSerializerFactory(record, element), new BeanDeserializerFactory(record, element));
            array(call, record, element, "ArrayOf" + name);
        }
    }

    private static void array(Call call, Class<?> item, QName element, String name) {
        call.registerTypeMapping(Array.newInstance(item, 0).getClass(), new QName(NAMESPACE, name),
                new ArraySerializerFactory(element, null), new ArrayDeserializerFactory());
    }

    @Override
    public void reset() {
        super.reset();
        calls.clear();
        service = null;
    }
}
