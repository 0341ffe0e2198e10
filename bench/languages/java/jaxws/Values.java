package bench.jaxws;

import bench.Bean;
import bench.Search;
import bench.Toolkit;
import bench.Trace;
import castile.bench.ArrayOfAttribute;
import castile.bench.ArrayOfClassAd;
import castile.bench.ArrayOfClassAdAttribute;
import castile.bench.ArrayOfDirectoryCategory;
import castile.bench.ArrayOfDouble;
import castile.bench.ArrayOfEvent;
import castile.bench.ArrayOfInt;
import castile.bench.ArrayOfMio;
import castile.bench.ArrayOfResultElement;
import castile.bench.ArrayOfString;
import castile.bench.Attribute;
import castile.bench.ClassAd;
import castile.bench.ClassAdAttribute;
import castile.bench.DirectoryCategory;
import castile.bench.Event;
import castile.bench.GoogleSearchResult;
import castile.bench.Mio;
import castile.bench.ResultElement;
import castile.bench.files.ArrayOfFile;
import castile.bench.files.File;
import castile.bench.nested.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Traces as objects of the classes that JAXB makes of the contracts, and back. */
final class Values {
    private static final String[] LEVEL = {"id", "otherId", "kind", "otherKind", "name", "otherName"};

    static Object of(String kind, Object trace) throws ReflectiveOperationException {
        switch (kind) {
            case "doubles":
                ArrayOfDouble doubles = new ArrayOfDouble();
                Arrays.stream((double[]) trace).forEach(doubles.getItem()::add);
                return doubles;
            case "ints":
                ArrayOfInt ints = new ArrayOfInt();
                Arrays.stream((int[]) trace).forEach(ints.getItem()::add);
                return ints;
            case "strings":
                ArrayOfString strings = new ArrayOfString();
                strings.getItem().addAll(List.of((String[]) trace));
                return strings;
            case "bytes", "packed":
                return trace;
            case "mios":
                ArrayOfMio mios = new ArrayOfMio();
                mios.getItem().addAll(records(Mio.class, kind, trace));
                return mios;
            case "events":
                ArrayOfEvent events = new ArrayOfEvent();
                events.getItem().addAll(records(Event.class, kind, trace));
                return events;
            case "attributes":
                ArrayOfAttribute attributes = new ArrayOfAttribute();
                attributes.getItem().addAll(records(Attribute.class, kind, trace));
                return attributes;
            case "files":
                ArrayOfFile files = new ArrayOfFile();
                files.getItem().addAll(records(File.class, kind, trace));
                return files;
            case "classads":
                ArrayOfClassAd ads = new ArrayOfClassAd();
                for (Object[] row : (Object[][]) trace) {
                    ads.getItem().add(classAd(row));
                }
                return ads;
            case "nested":
                Level outer = null;
                Object[][] rows = (Object[][]) trace;
                for (int i = rows.length - 1; i >= 0; i--) {
                    Level level = Bean.of(Level.class, LEVEL, rows[i]);
                    level.setLevel(outer);
                    outer = level;
                }
                return outer;
            default:
                throw new Toolkit.Unsupported("no references: literal only");
        }
    }

    static GoogleSearchResult search(Object[][] rows) throws ReflectiveOperationException {
        GoogleSearchResult result = Search.result(GoogleSearchResult.class, rows.length);
        result.setResultElements(new ArrayOfResultElement());
        for (Object[] row : rows) {
            result.getResultElements().getItem()
                    .add((ResultElement) Search.element(ResultElement.class, DirectoryCategory.class, row));
        }
        result.setDirectoryCategories(new ArrayOfDirectoryCategory());
        return result;
    }

    static Object trace(String kind, Object value) throws ReflectiveOperationException {
        if (value instanceof byte[]) {
            return value;
        }
        if (value instanceof ArrayOfDouble doubles) {
            return doubles.getItem().stream().mapToDouble(Double::doubleValue).toArray();
        }
        if (value instanceof ArrayOfInt ints) {
            return ints.getItem().stream().mapToInt(Integer::intValue).toArray();
        }
        if (value instanceof ArrayOfString strings) {
            return strings.getItem().toArray(String[]::new);
        }
        List<Object[]> rows = new ArrayList<>();
        if (value instanceof GoogleSearchResult result) {
            for (ResultElement element : result.getResultElements().getItem()) {
                rows.add(Search.row(element));
            }
        } else if (value instanceof ArrayOfClassAd ads) {
            for (ClassAd ad : ads.getItem()) {
                List<Object> row = new ArrayList<>();
                for (ClassAdAttribute attribute : ad.getAttributes().getItem()) {
                    row.addAll(List.of(Bean.row(attribute, Trace.FIELDS.get("attributes"))));
                }
                rows.add(row.toArray());
            }
        } else if (kind.equals("nested")) {
            for (Level level = (Level) value; level != null; level = level.getLevel()) {
                rows.add(Bean.row(level, LEVEL));
            }
        } else {
            for (Object item : (List<?>) Bean.row(value, "item")[0]) {
                rows.add(Bean.row(item, Trace.FIELDS.get(kind)));
            }
        }
        return rows.toArray(Object[][]::new);
    }

    private static ClassAd classAd(Object[] row) throws ReflectiveOperationException {
        ClassAd ad = new ClassAd();
        ad.setAttributes(new ArrayOfClassAdAttribute());
        for (int at = 0; at < row.length; at += 3) {
            ad.getAttributes().getItem().add(Bean.of(
                    ClassAdAttribute.class, Trace.FIELDS.get("attributes"), row[at], row[at + 1], row[at + 2]));
        }
        return ad;
    }

    private static <T> List<T> records(Class<T> type, String kind, Object trace) throws ReflectiveOperationException {
        List<T> made = new ArrayList<>();
        for (Object[] row : (Object[][]) trace) {
            made.add(Bean.of(type, Trace.FIELDS.get(kind), row));
        }
        return made;
    }

    private Values() {}
}
