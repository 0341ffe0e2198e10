package bench.files;

/** What the server answers with files in the envelope, or where MTOM has them. */
public class FilesServiceSkeleton {
    public ArrayOfFile echoFiles(ArrayOfFile values) { return values; }
    public int sendFiles(ArrayOfFile values) { return values.getItem().length; }
}
