package bench.jaxws;

import bench.Bean;
import bench.Search;
import bench.Toolkit;
import bench.Trace;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Traces as objects of the classes that JAXB makes of the contracts, whenever it makes them, and back. */
public final class Values {
    /** Finds a class of a contract by its name. */
    public interface Classes {
        Class<?> of(String contract, String name) throws Exception;
    }

    private static final Map<String, String> ITEMS = Map.of(
            "doubles", "Double", "ints", "Int", "strings", "String", "mios", "Mio", "events", "Event",
            "attributes", "Attribute", "classads", "ClassAd", "files", "File");
    private static final String[] LEVEL = {"id", "otherId", "kind", "otherKind", "name", "otherName"};

    private final Classes classes;

    public Values(Classes classes) {
        this.classes = classes;
    }

    public Object of(String kind, Object trace) throws Exception {
        String contract = Toolkit.contract(kind);
        return switch (kind) {
            case "bytes", "packed" -> trace;
            case "doubles", "ints", "strings" -> filled(contract, ITEMS.get(kind), boxed(trace));
            case "mios", "events", "attributes", "files" -> filled(contract, ITEMS.get(kind),
                    Bean.array(none(contract, ITEMS.get(kind)), kind, trace));
            case "classads" -> {
                List<Object> ads = new ArrayList<>();
                for (Object[] row : (Object[][]) trace) {
                    Object[] attributes =
                            Bean.array(none(contract, "ClassAdAttribute"), "attributes", Trace.attributes(row));
                    ads.add(Bean.of(classes.of(contract, "ClassAd"), new String[] {"attributes"},
                            filled(contract, "ClassAdAttribute", attributes)));
                }
                yield filled(contract, "ClassAd", ads.toArray());
            }
            case "nested" -> nested(classes.of(contract, "Level"), (Object[][]) trace);
            default -> throw new Toolkit.Unsupported("no references: literal only");
        };
    }

    /** What a search finds. */
    public Object search(Object[][] rows) throws Exception {
        Object[] elements =
                Search.elements(none("bench", "ResultElement"), classes.of("bench", "DirectoryCategory"), rows);
        Object result = Search.result(classes.of("bench", "GoogleSearchResult"), rows.length);
        return Bean.set(result, new String[] {"resultElements", "directoryCategories"},
                filled("bench", "ResultElement", elements), filled("bench", "DirectoryCategory"));
    }

    public static Object trace(String kind, Object value) throws ReflectiveOperationException {
        return switch (kind) {
            case "bytes", "packed" -> value;
            case "doubles" -> items(value).stream().mapToDouble(item -> (Double) item).toArray();
            case "ints" -> items(value).stream().mapToInt(item -> (Integer) item).toArray();
            case "strings" -> items(value).toArray(String[]::new);
            case "google" -> Bean.rows(kind, items(Bean.row(value, "resultElements")[0]));
            case "classads" -> {
                List<Object[]> rows = new ArrayList<>();
                for (Object ad : items(value)) {
                    rows.add(Trace.ad(Bean.rows("attributes", items(Bean.row(ad, "attributes")[0]))));
                }
                yield rows.toArray(Object[][]::new);
            }
            case "nested" -> {
                List<Object[]> rows = new ArrayList<>();
                for (Object level = value; level != null; level = Bean.row(level, "level")[0]) {
                    rows.add(Bean.row(level, LEVEL));
                }
                yield rows.toArray(Object[][]::new);
            }
            default -> Bean.rows(kind, items(value));
        };
    }

    private static Object nested(Class<?> type, Object[][] rows) throws ReflectiveOperationException {
        Object outer = null;
        for (int i = rows.length - 1; i >= 0; i--) {
            outer = Bean.set(Bean.of(type, LEVEL, rows[i]), new String[] {"level"}, outer);
        }
        return outer;
    }

    /** An array type of a contract with these items. */
    private Object filled(String contract, String name, Object... values) throws Exception {
        Object made = Bean.of(classes.of(contract, "ArrayOf" + name), new String[0]);
        items(made).addAll(Arrays.asList(values));
        return made;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> items(Object array) throws ReflectiveOperationException {
        return (List<Object>) Bean.row(array, "item")[0];
    }

    private Object[] none(String contract, String name) throws Exception {
        return (Object[]) Array.newInstance(classes.of(contract, name), 0);
    }

    /** An array of numbers or texts as one of objects. */
    private static Object[] boxed(Object array) {
        Object[] boxes = new Object[Array.getLength(array)];
        Arrays.setAll(boxes, i -> Array.get(array, i));
        return boxes;
    }
}
