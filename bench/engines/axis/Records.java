/** The contract's records as someone writes them who has no generated classes: plain beans, which Axis looks into. */
public final class Records {
    public static final class Mio {
        private int x;
        private int y;
        private double value;

        public int getX() { return x; }
        public void setX(int x) { this.x = x; }
        public int getY() { return y; }
        public void setY(int y) { this.y = y; }
        public double getValue() { return value; }
        public void setValue(double value) { this.value = value; }
    }

    public static final class Event {
        private int sequence;
        private double time;
        private String message;

        public int getSequence() { return sequence; }
        public void setSequence(int sequence) { this.sequence = sequence; }
        public double getTime() { return time; }
        public void setTime(double time) { this.time = time; }
        public String getMessage() { return message; }
        public void setMessage(String message) { this.message = message; }
    }

    public static class Attribute {
        private String name;
        private String type;
        private String value;

        public String getName() { return name; }
        public void setName(String name) { this.name = name; }
        public String getType() { return type; }
        public void setType(String type) { this.type = type; }
        public String getValue() { return value; }
        public void setValue(String value) { this.value = value; }
    }

    public static final class ClassAdAttribute extends Attribute {}

    public static final class ClassAd {
        private ClassAdAttribute[] attributes;

        public ClassAdAttribute[] getAttributes() { return attributes; }
        public void setAttributes(ClassAdAttribute[] attributes) { this.attributes = attributes; }
    }

    private Records() {}
}
