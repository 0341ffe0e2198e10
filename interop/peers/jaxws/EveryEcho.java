package interop;

import interop.every.Every;
import interop.every.InteropEveryPortType;
import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;

/** Serves every.wsdl. */
@WebService(endpointInterface = "interop.every.InteropEveryPortType", targetNamespace = "urn:castile:interop:every",
        serviceName = "InteropEvery", portName = "Every11", wsdlLocation = "every.wsdl")
public final class EveryEcho implements InteropEveryPortType {
    @Override
    public void echoEvery(Holder<Every> every) {}
}
