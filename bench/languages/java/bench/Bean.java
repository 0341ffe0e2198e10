package bench;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records of a toolkit's own classes, filled and read by the names of their fields. Nothing here is timed. */
public final class Bean {
    /** A new record whose fields are the cells of a row. */
    public static <T> T of(Class<T> type, String[] names, Object... row) throws ReflectiveOperationException {
        return set(type.getDeclaredConstructor().newInstance(), names, row);
    }

    /** The record with these fields set. */
    public static <T> T set(T record, String[] names, Object... row) throws ReflectiveOperationException {
        for (int i = 0; i < names.length; i++) {
            method(record.getClass(), "set" + capital(names[i]), 1).invoke(record, row[i]);
        }
        return record;
    }

    /** Records of the rows of a trace, in an array of the type of `none`. */
    @SuppressWarnings("unchecked")
    public static <T> T[] array(T[] none, String kind, Object trace) throws ReflectiveOperationException {
        List<T> made = new ArrayList<>();
        for (Object[] row : (Object[][]) trace) {
            made.add(of((Class<T>) none.getClass().getComponentType(), Trace.FIELDS.get(kind), row));
        }
        return made.toArray(none);
    }

    /** The rows of records: an array or a list of them. */
    public static Object[][] rows(String kind, Object records) throws ReflectiveOperationException {
        List<Object[]> rows = new ArrayList<>();
        for (Object record : records instanceof List<?> list ? list : Arrays.asList((Object[]) records)) {
            rows.add(kind.equals("google") ? Search.row(record) : row(record, Trace.FIELDS.get(kind)));
        }
        return rows.toArray(Object[][]::new);
    }

    /** The fields of a record as a row. */
    public static Object[] row(Object record, String... names) throws ReflectiveOperationException {
        Object[] row = new Object[names.length];
        for (int i = 0; i < names.length; i++) {
            Method is = method(record.getClass(), "is" + capital(names[i]), 0);
            row[i] = (is != null ? is : method(record.getClass(), "get" + capital(names[i]), 0)).invoke(record);
        }
        return row;
    }

    private static Method method(Class<?> type, String name, int parameters) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == parameters) {
                return method;
            }
        }
        return null;
    }

    private static String capital(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private Bean() {}
}
