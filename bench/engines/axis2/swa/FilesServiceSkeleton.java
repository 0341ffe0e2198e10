package bench.swa;

import org.apache.axis2.AxisFault;
import org.apache.axis2.context.MessageContext;
import org.apache.axis2.wsdl.WSDLConstants;

/** What the server answers with files that the envelope refers to: parts of the request are parts of the reply. */
public class FilesServiceSkeleton {
    public ArrayOfFile echoFiles(ArrayOfFile values) throws AxisFault {
        MessageContext request = MessageContext.getCurrentMessageContext();
        MessageContext reply = request.getOperationContext().getMessageContext(WSDLConstants.MESSAGE_LABEL_OUT_VALUE);
        for (File file : values.getItem()) {
            String id = Swa.id(file);
            reply.addAttachment(id, request.getAttachment(id));
        }
        return values;
    }

    public int sendFiles(ArrayOfFile values) { return values.getItem().length; }
}
