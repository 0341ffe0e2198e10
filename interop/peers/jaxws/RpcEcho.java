package interop;

import interop.rpc.Doubles;
import interop.rpc.InteropRpcPortType;
import interop.rpc.Mios;
import interop.rpc.RpcFault;
import interop.rpc.RpcFault_Exception;
import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;

/** Serves rpc.wsdl. */
@WebService(endpointInterface = "interop.rpc.InteropRpcPortType", targetNamespace = "urn:castile:interop:rpc",
        serviceName = "InteropRpc", portName = "Rpc11", wsdlLocation = "rpc.wsdl")
public final class RpcEcho implements InteropRpcPortType {
    @Override
    public void rpcVoid() {}

    @Override
    public void rpcScalars(Holder<Integer> number, Holder<Double> amount, Holder<String> text) {}

    @Override
    public void rpcDoubles(Holder<Doubles> doubles) {}

    @Override
    public void rpcMios(Holder<Mios> mios) {}

    @Override
    public void rpcFail(String reason) throws RpcFault_Exception {
        RpcFault fault = new RpcFault();
        fault.setReason(reason);
        throw new RpcFault_Exception(reason, fault);
    }
}
