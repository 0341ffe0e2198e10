package interop;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import interop.headerfault.HeaderFaultPortType;
import interop.headerfault.Session;
import jakarta.xml.soap.SOAPElement;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.handler.Handler;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.namespace.QName;

/** Calls the operation of headerfault.wsdl (test_header_faults.py). */
public final class HeaderFaultClient {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(JsonParser.parseString(line).getAsJsonObject()));
        }
        System.exit(0);
    }

    private static JsonObject answer(JsonObject request) {
        JsonObject answer = new JsonObject();
        FaultHeader fault = new FaultHeader();
        try {
            Service service = Service.create(
                    HeaderFaultClient.class.getResource("/headerfault.wsdl"),
                    new QName(FaultHeader.NAMESPACE, "HeaderFaultService"));
            HeaderFaultPortType port = service.getPort(HeaderFaultPortType.class);
            BindingProvider provider = (BindingProvider) port;
            provider.getRequestContext()
                    .put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, request.get("url").getAsString());
            provider.getBinding().setHandlerChain(List.<Handler>of(fault));
            Session session = new Session();
            session.setNumber(request.get("number").getAsInt());
            answer.addProperty("result", port.ask(request.get("question").getAsString(), session));
        } catch (SOAPFaultException e) {
            answer.addProperty("fault", e.getFault().getFaultString());
            answer.add("header", header(fault.last));
        } catch (Exception e) {
            answer.addProperty("error", e.toString());
        }
        return answer;
    }

    private static JsonObject header(SOAPElement expired) {
        JsonObject header = new JsonObject();
        header.addProperty("name", expired.getElementQName().toString());
        header.addProperty("number", Integer.parseInt(text(expired, "number")));
        header.addProperty("since", text(expired, "since"));
        return header;
    }

    private static String text(SOAPElement expired, String name) {
        return expired.getElementsByTagNameNS(FaultHeader.NAMESPACE, name).item(0).getTextContent();
    }
}
