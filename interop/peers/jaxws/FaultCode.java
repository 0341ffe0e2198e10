package interop;

import jakarta.xml.soap.SOAPException;
import jakarta.xml.ws.handler.MessageContext;
import jakarta.xml.ws.handler.soap.SOAPHandler;
import jakarta.xml.ws.handler.soap.SOAPMessageContext;
import java.util.Set;
import javax.xml.namespace.QName;

/** Keeps the code of the last fault: exceptions of declared faults don't say it. */
final class FaultCode implements SOAPHandler<SOAPMessageContext> {
    String last = "";

    @Override
    public boolean handleFault(SOAPMessageContext context) {
        try {
            last = context.getMessage().getSOAPBody().getFault().getFaultCodeAsQName().getLocalPart();
        } catch (SOAPException e) {
            last = e.toString();
        }
        return true;
    }

    @Override
    public boolean handleMessage(SOAPMessageContext context) {
        return true;
    }

    @Override
    public void close(MessageContext context) {}

    @Override
    public Set<QName> getHeaders() {
        return Set.of();
    }
}
