package interop;

import jakarta.xml.soap.SOAPElement;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPHeader;
import jakarta.xml.soap.SOAPHeaderElement;
import jakarta.xml.soap.SOAPMessage;
import jakarta.xml.ws.handler.MessageContext;
import jakarta.xml.ws.handler.soap.SOAPHandler;
import jakarta.xml.ws.handler.soap.SOAPMessageContext;
import java.util.Set;
import javax.xml.namespace.QName;

/** Puts the header Expired into faults that are sent, and keeps that of the last one received. */
public final class FaultHeader implements SOAPHandler<SOAPMessageContext> {
    static final String NAMESPACE = "urn:castile:headerfault";
    private static final QName EXPIRED = new QName(NAMESPACE, "Expired", "x");

    /** The session that has expired. */
    static final ThreadLocal<Integer> NUMBER = new ThreadLocal<>();

    /** The header that came with the last fault. */
    SOAPHeaderElement last;

    @Override
    public Set<QName> getHeaders() {
        return Set.of(EXPIRED);
    }

    @Override
    public boolean handleMessage(SOAPMessageContext context) {
        return true;
    }

    @Override
    public boolean handleFault(SOAPMessageContext context) {
        try {
            SOAPMessage message = context.getMessage();
            if ((Boolean) context.get(MessageContext.MESSAGE_OUTBOUND_PROPERTY)) {
                SOAPHeader header = message.getSOAPHeader();
                add(header != null ? header : message.getSOAPPart().getEnvelope().addHeader());
                message.saveChanges();
            } else {
                last = message.getSOAPHeader().examineAllHeaderElements().next();
            }
            return true;
        } catch (SOAPException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void add(SOAPHeader header) throws SOAPException {
        SOAPElement expired = header.addHeaderElement(EXPIRED);
        expired.addChildElement(new QName(NAMESPACE, "number", "x")).setTextContent(String.valueOf(NUMBER.get()));
        expired.addChildElement(new QName(NAMESPACE, "since", "x")).setTextContent("2030-06-01");
    }

    @Override
    public void close(MessageContext context) {}
}
