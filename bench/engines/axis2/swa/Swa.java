package bench.swa;

import java.util.ArrayList;
import java.util.List;
import javax.activation.DataHandler;
import javax.xml.namespace.QName;
import org.apache.axiom.om.OMAbstractFactory;
import org.apache.axiom.om.OMElement;
import org.apache.axiom.soap.SOAPEnvelope;
import org.apache.axiom.soap.SOAPFactory;
import org.apache.axis2.AxisFault;
import org.apache.axis2.client.OperationClient;
import org.apache.axis2.client.ServiceClient;
import org.apache.axis2.context.MessageContext;
import org.apache.axis2.databinding.ADBBean;
import org.apache.axis2.kernel.TransportUtils;
import org.apache.axis2.wsdl.WSDLConstants;

/**
 * Files beside the envelope by SwA, which Axis2 has for messages that its user puts together: stubs have no place for
 * attachments. The envelope's content is of generated types all the same.
 */
public final class Swa {
    /** Files of a message: what the envelope says of them, and their parts. */
    public record Message(ArrayOfFile files, List<DataHandler> parts) {}

    private static final String NAMESPACE = EchoFiles.MY_QNAME.getNamespaceURI();

    private final ServiceClient client;

    /** Calls with the client of a stub, whose options say where, and that SwA is on. */
    public Swa(ServiceClient client) {
        this.client = client;
    }

    /** A message of these files. */
    public static Message message(List<String> names, List<DataHandler> parts) {
        ArrayOfFile files = new ArrayOfFile();
        for (int i = 0; i < names.size(); i++) {
            Part data = new Part();
            data.setHref("cid:" + i + "@bench");
            File file = new File();
            file.setName(names.get(i));
            file.setData(data);
            files.addItem(file);
        }
        return new Message(files, parts);
    }

    /** The id of a file's part. */
    static String id(File file) {
        return file.getData().getHref().substring("cid:".length());
    }

    public Message echo(Message values) throws Exception {
        EchoFiles request = new EchoFiles();
        request.setValues(values.files());
        MessageContext sent = new MessageContext();
        try {
            MessageContext reply = exchange("echoFiles", sent, request, values);
            OMElement body = reply.getEnvelope().getBody().getFirstElement();
            ArrayOfFile files = EchoFilesResponse.Factory.parse(body.getXMLStreamReaderWithoutCaching()).get_return();
            List<DataHandler> parts = new ArrayList<>();
            for (File file : files.getItem()) {
                parts.add(reply.getAttachment(id(file)));
            }
            reply.getAttachmentMap().getAllContentIDs(); // they are read as they are asked for, else
            TransportUtils.detachInputStream(reply);
            return new Message(files, parts);
        } finally {
            finish(sent);
        }
    }

    public int send(Message values) throws Exception {
        SendFiles request = new SendFiles();
        request.setValues(values.files());
        MessageContext sent = new MessageContext();
        try {
            OMElement body = exchange("sendFiles", sent, request, values).getEnvelope().getBody().getFirstElement();
            return SendFilesResponse.Factory.parse(body.getXMLStreamReaderWithoutCaching()).getCount();
        } finally {
            finish(sent);
        }
    }

    /** Gives the connection back. */
    private static void finish(MessageContext sent) throws AxisFault {
        if (sent.getTransportOut() != null) {
            sent.getTransportOut().getSender().cleanup(sent);
        }
    }

    private MessageContext exchange(String operation, MessageContext message, ADBBean request, Message values)
            throws AxisFault {
        SOAPFactory factory = OMAbstractFactory.getSOAP11Factory();
        SOAPEnvelope envelope = factory.getDefaultEnvelope();
        envelope.getBody().addChild(request.getOMElement(null, factory));
        message.setEnvelope(envelope);
        File[] files = values.files().getItem();
        for (int i = 0; i < files.length; i++) {
            message.addAttachment(id(files[i]), values.parts().get(i));
        }
        OperationClient call = client.createClient(new QName(NAMESPACE, operation));
        call.addMessageContext(message);
        call.execute(true);
        return call.getMessageContext(WSDLConstants.MESSAGE_LABEL_IN_VALUE);
    }
}
