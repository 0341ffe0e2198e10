package bench.files;

import org.apache.axis.MessageContext;
import org.apache.axis.attachments.Attachments;

/** What the server answers with files; the build makes a second one of it, of files beside the envelope. */
public final class FilesSoapImpl implements Files {
    /** How a reply's parts go: by itself Axis answers MTOM by MIME. */
    public static volatile int form = Attachments.SEND_TYPE_NOTSET;

    @Override
    public ArrayOfFile echoFiles(ArrayOfFile values) {
        MessageContext.getCurrentContext().getResponseMessage().getAttachmentsImpl().setSendType(form);
        return values;
    }

    @Override
    public int sendFiles(ArrayOfFile values) {
        return values.getItem().length;
    }
}
