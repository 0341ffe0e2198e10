package interop;

import interop.headerfault.HeaderFaultPortType;
import interop.headerfault.Session;
import jakarta.jws.HandlerChain;
import jakarta.jws.WebService;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.PrintStream;
import javax.xml.namespace.QName;

/** headerfault.wsdl, whose sessions with odd numbers have expired (test_header_faults.py). */
public final class HeaderFaultServer {
    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        String url = "http://127.0.0.1:" + Server.free() + "/headerfault";
        Endpoint.publish(url, new Asked());
        out.println("READY " + url);
        out.flush();
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    // CXF has a binding to set handlers of only when all is published, Metro only before.
    @HandlerChain(file = "/fault-header.xml")
    @WebService(
            endpointInterface = "interop.headerfault.HeaderFaultPortType",
            targetNamespace = "urn:castile:headerfault",
            serviceName = "HeaderFaultService",
            portName = "HeaderFaultSoap11",
            wsdlLocation = "headerfault.wsdl")
    public static final class Asked implements HeaderFaultPortType {
        @Override
        public String ask(String question, Session session) {
            if (session.getNumber() % 2 == 0) {
                return question;
            }
            FaultHeader.NUMBER.set(session.getNumber());
            try {
                QName client = new QName("http://schemas.xmlsoap.org/soap/envelope/", "Client");
                throw new SOAPFaultException(SOAPFactory.newInstance().createFault(question, client));
            } catch (SOAPException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
