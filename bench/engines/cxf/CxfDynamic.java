import bench.Search;
import bench.jaxws.Values;
import java.util.HashMap;
import java.util.Map;
import org.apache.cxf.BusFactory;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.endpoint.ClientImpl;
import org.apache.cxf.endpoint.Endpoint;
import org.apache.cxf.jaxws.endpoint.dynamic.JaxWsDynamicClientFactory;
import org.apache.cxf.message.Message;

/**
 * CXF's dynamic client: it reads the contract when it starts, generates, compiles and loads classes of its types, and is
 * called by the names of operations. The server is the static one.
 */
final class CxfDynamic extends Cxf {
    private record Compiled(Endpoint endpoint, ClassLoader classes) {}

    private final Map<String, Compiled> contracts = new HashMap<>();
    private final Map<String, Client> clients = new HashMap<>();
    private final Values values = new Values((contract, name) ->
            Class.forName(inPackage(contract) + "." + name, true, compiled(contract).classes()));

    @Override
    public Object values(String kind, Object trace) throws Exception {
        return values.of(kind, trace);
    }

    @Override
    public Caller caller(String operation, String url) throws Exception {
        Client client = client(contract(operation), url);
        return switch (operation) {
            case "echoVoid" -> values -> client.invoke(operation);
            case "doGoogleSearch" -> rows -> client.invoke(
                    operation, Search.KEY, Search.QUERY, 0, rows, true, "", false, "", "", "")[0];
            default -> values -> client.invoke(operation, values)[0];
        };
    }

    private Client client(String name, String url) throws Exception {
        Client client = clients.get(url);
        if (client == null) {
            Endpoint endpoint = compiled(name).endpoint();
            client = new ClientImpl(BusFactory.getDefaultBus(), endpoint);
            client.getRequestContext().put(Message.ENDPOINT_ADDRESS, url);
            client.getRequestContext().put(Message.MTOM_ENABLED, attachments("mtom"));
            prepare(client);
            clients.put(url, client);
        }
        return client;
    }

    /** What the factory makes is kept, for loaded values are of its classes; calls have clients of their own. */
    private Compiled compiled(String name) throws Exception {
        if (name.equals("nested")) {
            throw new Unsupported("left out: names that are alike want a binding file");
        }
        Compiled contract = contracts.get(name);
        if (contract == null) {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            JaxWsDynamicClientFactory factory = JaxWsDynamicClientFactory.newInstance();
            factory.setSchemaCompilerOptions(new String[] {"-p", inPackage(name)});
            Client made = factory.createClient(wsdl(name), named(name, "Service"), before, named(name, "Soap"));
            contract = new Compiled(made.getEndpoint(), thread.getContextClassLoader());
            thread.setContextClassLoader(before);
            contracts.put(name, contract);
        }
        return contract;
    }

    /** Not the package of the classes that the server was compiled with. */
    private static String inPackage(String contract) {
        return "dynamic." + contract;
    }

    @Override
    public void reset() {
        super.reset();
        clients.clear();
    }
}
