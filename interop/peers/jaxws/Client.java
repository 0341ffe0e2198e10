package interop;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import interop.interop.InteropPortType;
import interop.rpc.InteropRpcPortType;
import interop.shapes.InteropShapesPortType;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.WebFault;
import jakarta.xml.ws.WebServiceFeature;
import jakarta.xml.ws.soap.AddressingFeature;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;

/** The client of both toolkits: one JSON call a line in, one JSON answer a line out (../../README.md). */
public final class Client {
    private record Contract(String namespace, String service, String port, Class<?> portType) {}

    private static final Map<String, Contract> CONTRACTS = Map.of(
            "interop", new Contract("urn:castile:interop", "Interop", "Soap", InteropPortType.class),
            "rpc", new Contract("urn:castile:interop:rpc", "InteropRpc", "Rpc", InteropRpcPortType.class),
            "shapes", new Contract("urn:castile:interop:shapes", "InteropShapes", "Shapes", InteropShapesPortType.class));

    private static final String CXF_REPLY_TO = "org.apache.cxf.ws.addressing.replyto";

    private final Map<List<Object>, Object> ports = new HashMap<>();
    private final FaultCode faultCode = new FaultCode();

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a toolkit prints is no answer
        Client client = new Client();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(client.answer(JsonParser.parseString(line).getAsJsonObject()));
        }
        System.exit(0);
    }

    private JsonObject answer(JsonObject request) {
        JsonObject answer = new JsonObject();
        try {
            call(request, answer);
        } catch (InvocationTargetException thrown) {
            try {
                answer.add(isFault(thrown.getCause()) ? "fault" : "error", described(thrown.getCause()));
            } catch (Exception e) {
                answer.add("error", reason(e));
            }
        } catch (Exception e) {
            answer.add("error", reason(e));
        }
        return answer;
    }

    private void call(JsonObject request, JsonObject answer) throws Exception {
        Contract contract = CONTRACTS.get(request.get("contract").getAsString());
        Method method = method(contract.portType, request.get("operation").getAsString());
        Object[] arguments = arguments(method, request);
        Object returned = method.invoke(port(contract, request, method), arguments);
        results(method, arguments, returned, answer);
    }

    private static Method method(Class<?> portType, String operation) {
        for (Method method : portType.getMethods()) {
            if (method.getName().equals(operation)) {
                return method;
            }
        }
        throw new IllegalArgumentException("no operation " + operation);
    }

    private static Object[] arguments(Method method, JsonObject request) throws Exception {
        JsonObject given = request.getAsJsonObject("arguments");
        Parameter[] parameters = method.getParameters();
        Object[] made = new Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            WebParam named = parameters[i].getAnnotation(WebParam.class);
            JsonElement value = named.header() ? request.get("header") : member(bare(method), given, named.name());
            Object sent = named.mode() == WebParam.Mode.OUT ? null : Neutral.toJava(type(parameters[i]), value);
            made[i] = parameters[i].getType() == Holder.class ? new Holder<>(sent) : sent;
        }
        return made;
    }

    /** Results are what came in holders, and what the method returned. */
    private static void results(Method method, Object[] arguments, Object returned, JsonObject answer) throws Exception {
        boolean bare = bare(method);
        JsonObject result = new JsonObject();
        answer.add("result", result);
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            WebParam named = parameters[i].getAnnotation(WebParam.class);
            if (named.mode() != WebParam.Mode.IN) {
                JsonElement value = Neutral.fromJava(type(parameters[i]), ((Holder<?>) arguments[i]).value);
                add(named.header() ? answer : result, bare, named.header() ? "header" : named.name(), value);
            }
        }
        if (method.getReturnType() != void.class) {
            String name = method.getAnnotation(WebResult.class).name();
            add(result, bare, name, Neutral.fromJava(method.getGenericReturnType(), returned));
        }
    }

    /** The one part of a bare message is the whole message when it is a struct. */
    private static JsonElement member(boolean bare, JsonObject arguments, String name) {
        return bare && !arguments.has(name) ? arguments : arguments.get(name);
    }

    private static void add(JsonObject result, boolean bare, String name, JsonElement value) {
        if (bare && value.isJsonObject()) {
            value.getAsJsonObject().entrySet().forEach(member -> result.add(member.getKey(), member.getValue()));
        } else if (!value.isJsonNull()) {
            result.add(name, value);
        }
    }

    /** An element of a simple type has itself as its one member. */
    private static JsonElement whole(String name, JsonElement value) {
        JsonObject made = new JsonObject();
        made.add(name, value);
        return value.isJsonObject() ? value : made;
    }

    private static boolean bare(Method method) {
        SOAPBinding binding = method.getAnnotation(SOAPBinding.class);
        return binding != null && binding.parameterStyle() == SOAPBinding.ParameterStyle.BARE;
    }

    private static Type type(Parameter parameter) {
        Type type = parameter.getParameterizedType();
        return parameter.getType() == Holder.class ? ((ParameterizedType) type).getActualTypeArguments()[0] : type;
    }

    private Object port(Contract contract, JsonObject request, Method method) {
        String url = request.get("url").getAsString();
        String version = request.get("version").getAsString();
        boolean faults = method.getExceptionTypes().length > 0;
        String addressing = request.has("addressing") && !request.get("addressing").isJsonNull()
                ? request.get("addressing").getAsString() : "";
        return ports.computeIfAbsent(List.of(contract, version, url, faults, addressing), key -> {
            String name = request.get("contract").getAsString();
            Service service = Service.create(
                    Client.class.getResource("/" + name + ".wsdl"), new QName(contract.namespace, contract.service));
            String port = contract.port + version.replace(".", "");
            boolean addressed = !addressing.isEmpty();
            WebServiceFeature feature = new AddressingFeature(addressed, addressed);
            Object made = service.getPort(new QName(contract.namespace, port), contract.portType, feature);
            BindingProvider provider = (BindingProvider) made;
            provider.getRequestContext().put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, url);
            if (addressing.equals("callback")) {
                provider.getRequestContext().put(CXF_REPLY_TO, "http://127.0.0.1:" + Server.free() + "/replies");
            }
            if (faults) {
                provider.getBinding().setHandlerChain(List.of(faultCode));
            }
            return made;
        });
    }

    // ---- what went wrong ----

    private static boolean isFault(Throwable thrown) {
        return thrown instanceof SOAPFaultException || thrown.getClass().isAnnotationPresent(WebFault.class);
    }

    private JsonObject described(Throwable thrown) throws Exception {
        JsonObject made = reason(thrown);
        WebFault declared = thrown.getClass().getAnnotation(WebFault.class);
        if (thrown instanceof SOAPFaultException fault) {
            made.addProperty("reason", fault.getFault().getFaultString());
            made.addProperty("code", fault.getFault().getFaultCodeAsQName().getLocalPart());
        } else if (declared != null) {
            Object info = thrown.getClass().getMethod("getFaultInfo").invoke(thrown);
            JsonObject detail = new JsonObject();
            detail.add(declared.name(), whole(declared.name(), Neutral.fromJava(info.getClass(), info)));
            made.addProperty("reason", thrown.getMessage());
            made.addProperty("code", faultCode.last);
            made.add("detail", detail);
        }
        return made;
    }

    private static JsonObject reason(Throwable thrown) {
        thrown.printStackTrace();
        JsonObject made = new JsonObject();
        made.addProperty("reason", thrown.toString());
        return made;
    }
}
