package interop;

import interop.interop.Event;
import interop.interop.InteropPortType;
import interop.interop.Mio;
import interop.interop.Person;
import interop.interop.Scalars;
import interop.interop.ServiceFault;
import interop.interop.ServiceFault_Exception;
import interop.interop.SessionState;
import interop.interop.SessionToken;
import jakarta.jws.WebService;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.ws.BindingType;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.soap.SOAPBinding;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.xml.namespace.QName;

/** Serves interop.wsdl. What comes in a holder goes out in it, so most methods have nothing to do. */
abstract class InteropEcho implements InteropPortType {
    private record Notice(int count, String text, double value) {}

    private static final Map<String, Notice> NOTICES = new ConcurrentHashMap<>();

    private final String protocol;
    private final QName receiver;

    private InteropEcho(String protocol, QName receiver) {
        this.protocol = protocol;
        this.receiver = receiver;
    }

    @WebService(endpointInterface = "interop.interop.InteropPortType", targetNamespace = "urn:castile:interop",
            serviceName = "Interop", portName = "Soap11", wsdlLocation = "interop.wsdl")
    public static final class Soap11 extends InteropEcho {
        public Soap11() {
            super(SOAPConstants.SOAP_1_1_PROTOCOL, new QName(SOAPConstants.URI_NS_SOAP_1_1_ENVELOPE, "Server"));
        }
    }

    @WebService(endpointInterface = "interop.interop.InteropPortType", targetNamespace = "urn:castile:interop",
            serviceName = "Interop", portName = "Soap12", wsdlLocation = "interop.wsdl")
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    public static final class Soap12 extends InteropEcho {
        public Soap12() {
            super(SOAPConstants.SOAP_1_2_PROTOCOL, SOAPConstants.SOAP_RECEIVER_FAULT);
        }
    }

    @Override
    public void echoVoid() {}

    @Override
    public void echoDoubles(Holder<List<Double>> value) {}

    @Override
    public void echoInts(Holder<List<Integer>> value) {}

    @Override
    public void echoStrings(Holder<List<String>> value) {}

    @Override
    public void echoString(Holder<String> text) {}

    @Override
    public void echoMios(Holder<List<Mio>> mio) {}

    @Override
    public void echoEvents(Holder<List<Event>> event) {}

    @Override
    public void echoPerson(Holder<Person> person) {}

    @Override
    public void echoScalars(Holder<Scalars> scalars) {}

    @Override
    public void failDeclared(int code, String reason, List<String> path) throws ServiceFault_Exception {
        ServiceFault fault = new ServiceFault();
        fault.setCode(code);
        fault.setReason(reason);
        fault.getPath().addAll(path == null ? List.of() : path);
        throw new ServiceFault_Exception(reason, fault);
    }

    @Override
    public void failUndeclared(String reason) {
        try {
            throw new SOAPFaultException(SOAPFactory.newInstance(protocol).createFault(reason, receiver));
        } catch (SOAPException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void useSession(Holder<String> text, SessionToken token, Holder<SessionState> state) {
        state.value = new SessionState();
        state.value.setToken(token.getToken());
        state.value.setSequence(token.getSequence() + 1);
    }

    @Override
    public void notify(String key, String text, double value) {
        NOTICES.compute(key, (same, last) -> new Notice(last == null ? 1 : last.count + 1, text, value));
    }

    @Override
    public void lastNotice(String key, Holder<Integer> count, Holder<String> text, Holder<Double> value) {
        Notice last = NOTICES.getOrDefault(key, new Notice(0, null, 0));
        count.value = last.count;
        text.value = last.text;
        value.value = last.count == 0 ? null : last.value;
    }
}
