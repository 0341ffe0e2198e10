package bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Trace files. A trace is a double[], an int[], a String[] (also of `ring`), a byte[] (also of `packed`), or rows:
 * an Object[][] whose cells are Integer, Double, Boolean, String or byte[]; a row of `classads` is all its texts.
 */
public final class Trace {
    /** The fields of a record; of `google`, those of the category stand among the others. */
    public static final Map<String, String[]> FIELDS = Map.of(
            "mios", new String[] {"x", "y", "value"},
            "events", new String[] {"sequence", "time", "message"},
            "attributes", new String[] {"name", "type", "value"},
            "nested", new String[] {"a:id", "b:id", "a:kind", "b:kind", "a:name", "b:name"},
            "files", new String[] {"name", "data"},
            "google", new String[] {"summary", "URL", "snippet", "title", "cachedSize", "relatedInformationPresent",
                "hostName", "fullViewableName", "specialEncoding", "directoryTitle"});

    private static final Map<String, String> CELLS =
            Map.of("mios", "iid", "events", "ids", "files", "sx", "google", "sssssbssss");

    public static Object read(String kind, String path) throws IOException {
        String text = Files.readString(Path.of(path));
        String[] lines = text.isEmpty() ? new String[0] : text.substring(0, text.length() - 1).split("\n", -1);
        return switch (kind) {
            case "doubles" -> Arrays.stream(lines).mapToDouble(Double::parseDouble).toArray();
            case "ints" -> Arrays.stream(lines).mapToInt(Integer::parseInt).toArray();
            case "strings", "ring" -> shared(lines);
            case "bytes" -> bytes(lines.length == 0 ? "" : lines[0]);
            case "packed" -> packed(lines);
            default -> rows(CELLS.getOrDefault(kind, ""), lines);
        };
    }

    /** Equal texts are one object. */
    private static String[] shared(String[] lines) {
        Map<String, String> seen = new HashMap<>();
        return Arrays.stream(lines).map(line -> seen.computeIfAbsent(line, it -> it)).toArray(String[]::new);
    }

    private static byte[] packed(String[] lines) {
        ByteBuffer made = ByteBuffer.allocate(8 * lines.length).order(ByteOrder.LITTLE_ENDIAN);
        for (String line : lines) {
            made.putDouble(Double.parseDouble(line));
        }
        return made.array();
    }

    private static Object[][] rows(String types, String[] lines) {
        Object[][] rows = new Object[lines.length][];
        for (int i = 0; i < lines.length; i++) {
            String[] texts = lines[i].split("\t", -1);
            Object[] row = Arrays.copyOf(texts, texts.length, Object[].class);
            for (int at = 0; at < types.length(); at++) {
                row[at] = cell(types.charAt(at), texts[at]);
            }
            rows[i] = row;
        }
        return rows;
    }

    private static Object cell(char type, String text) {
        return switch (type) {
            case 'i' -> Integer.valueOf(text);
            case 'd' -> Double.valueOf(text);
            case 'b' -> Boolean.valueOf(text);
            case 'x' -> bytes(text);
            default -> text;
        };
    }

    /** The attributes of one ad's row, a row each. */
    public static Object[][] attributes(Object[] ad) {
        Object[][] rows = new Object[ad.length / 3][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = Arrays.copyOfRange(ad, 3 * i, 3 * i + 3);
        }
        return rows;
    }

    /** The row of an ad with these attributes. */
    public static Object[] ad(Object[][] attributes) {
        return Arrays.stream(attributes).flatMap(Arrays::stream).toArray();
    }

    private static byte[] bytes(String hex) {
        return java.util.HexFormat.of().parseHex(hex);
    }

    /** How many values a trace has. */
    public static int count(String kind, Object trace) {
        if (trace instanceof byte[] bytes) {
            return kind.equals("packed") ? bytes.length / 8 : 1;
        }
        return java.lang.reflect.Array.getLength(trace);
    }

    public static int write(String kind, Object trace, String path) throws IOException {
        List<String> lines = new ArrayList<>();
        if (trace instanceof byte[] bytes) {
            if (kind.equals("packed")) {
                ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
                while (numbers.hasRemaining()) {
                    lines.add(Double.toString(numbers.getDouble()));
                }
            } else {
                lines.add(written(bytes));
            }
        } else {
            for (int i = 0; i < java.lang.reflect.Array.getLength(trace); i++) {
                Object line = java.lang.reflect.Array.get(trace, i);
                lines.add(line instanceof Object[] row ? joined(row) : written(line));
            }
        }
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        Files.write(Path.of(path), text.toString().getBytes(StandardCharsets.UTF_8));
        return lines.size();
    }

    private static String joined(Object[] row) {
        return String.join("\t", Arrays.stream(row).map(Trace::written).toList());
    }

    private static String written(Object value) {
        return value instanceof byte[] bytes ? java.util.HexFormat.of().formatHex(bytes) : String.valueOf(value);
    }

    private Trace() {}
}
