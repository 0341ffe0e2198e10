import bench.Engine;
import bench.jaxws.Jaxws;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.ConnectionType;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.apache.cxf.version.Version;

/** Apache CXF, its server in Jetty. Which HTTP client is a property of the command in engine.toml. */
public final class Cxf extends Jaxws {
    public static void main(String[] args) throws Exception {
        Engine.run(new Cxf());
    }

    @Override
    public String name() {
        return "Apache CXF " + Version.getCurrentVersion();
    }

    @Override
    protected void prepare(Object port) {
        HTTPClientPolicy policy = new HTTPClientPolicy();
        String chunk = settings.get("chunk");
        if (chunk != null) {
            policy.setAllowChunking(!chunk.equals("0"));
            if (!chunk.equals("0")) {
                policy.setChunkLength(Integer.parseInt(chunk));
                policy.setChunkingThreshold(0);
            }
        }
        policy.setConnection("off".equals(settings.get("keepalive")) ? ConnectionType.CLOSE : ConnectionType.KEEP_ALIVE);
        ((HTTPConduit) ClientProxy.getClient(port).getConduit()).setClient(policy);
    }
}
