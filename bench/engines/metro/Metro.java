import bench.Engine;
import bench.jaxws.Jaxws;
import com.sun.xml.ws.developer.JAXWSProperties;
import com.sun.xml.ws.util.RuntimeVersion;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.handler.MessageContext;
import java.util.List;
import java.util.Map;

/** The reference implementation of JAX-WS (Metro's), its server the one of the JDK. */
public final class Metro extends Jaxws {
    public static void main(String[] args) throws Exception {
        Engine.run(new Metro());
    }

    @Override
    public String name() {
        return RuntimeVersion.VERSION.toString();
    }

    @Override
    protected void prepare(Object port) {
        Map<String, Object> context = ((BindingProvider) port).getRequestContext();
        String chunk = settings.getOrDefault("chunk", "0");
        if (!chunk.equals("0")) {
            context.put(JAXWSProperties.HTTP_CLIENT_STREAMING_CHUNK_SIZE, Integer.valueOf(chunk));
        }
        if ("off".equals(settings.get("keepalive"))) {
            context.put(MessageContext.HTTP_REQUEST_HEADERS, Map.of("Connection", List.of("close")));
        }
    }
}
