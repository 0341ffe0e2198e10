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
                mios.getItem().addAll(List.of(Bean.array(new Mio[0], kind, trace)));
                return mios;
            case "events":
                ArrayOfEvent events = new ArrayOfEvent();
                events.getItem().addAll(List.of(Bean.array(new Event[0], kind, trace)));
                return events;
            case "attributes":
                ArrayOfAttribute attributes = new ArrayOfAttribute();
                attributes.getItem().addAll(List.of(Bean.array(new Attribute[0], kind, trace)));
                return attributes;
            case "files":
                ArrayOfFile files = new ArrayOfFile();
                files.getItem().addAll(List.of(Bean.array(new File[0], kind, trace)));
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
        result.getResultElements().getItem()
                .addAll(List.of(Search.elements(new ResultElement[0], DirectoryCategory.class, rows)));
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
        if (value instanceof GoogleSearchResult result) {
            return Bean.rows(kind, result.getResultElements().getItem());
        }
        List<Object[]> rows = new ArrayList<>();
        if (value instanceof ArrayOfClassAd ads) {
            for (ClassAd ad : ads.getItem()) {
                rows.add(Trace.ad(Bean.rows("attributes", ad.getAttributes().getItem())));
            }
        } else if (kind.equals("nested")) {
            for (Level level = (Level) value; level != null; level = level.getLevel()) {
                rows.add(Bean.row(level, LEVEL));
            }
        } else {
            return Bean.rows(kind, Bean.row(value, "item")[0]);
        }
        return rows.toArray(Object[][]::new);
    }

    private static ClassAd classAd(Object[] row) throws ReflectiveOperationException {
        ClassAd ad = new ClassAd();
        ad.setAttributes(new ArrayOfClassAdAttribute());
        ad.getAttributes().getItem()
                .addAll(List.of(Bean.array(new ClassAdAttribute[0], "attributes", Trace.attributes(row))));
        return ad;
    }

    private Values() {}
}
