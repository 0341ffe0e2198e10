package bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The one search that is asked, and its result, in records of a toolkit's classes. */
public final class Search {
    public static final String KEY = "0000";
    public static final String QUERY = "grid computing";

    private static final String[] FIELDS = Trace.FIELDS.get("google");
    private static final String[] CATEGORY = {"fullViewableName", "specialEncoding"};
    private static final String[] ELEMENT = {"summary", "URL", "snippet", "title", "cachedSize",
        "relatedInformationPresent", "hostName", "directoryCategory", "directoryTitle"};
    private static final String[] RESULT = {"documentFiltering", "searchComments", "estimatedTotalResultsCount",
        "estimateIsExact", "searchQuery", "startIndex", "endIndex", "searchTips", "searchTime"};

    /** Elements of the rows of a trace, in an array of the type of `none`. */
    @SuppressWarnings("unchecked")
    public static <T> T[] elements(T[] none, Class<?> category, Object[][] rows) throws ReflectiveOperationException {
        List<T> made = new ArrayList<>();
        for (Object[] row : rows) {
            Object[] cells = Arrays.copyOf(row, ELEMENT.length);
            cells[7] = Bean.of(category, CATEGORY, row[7], row[8]);
            cells[8] = row[9];
            made.add(Bean.of((Class<T>) none.getClass().getComponentType(), ELEMENT, cells));
        }
        return made.toArray(none);
    }

    /** A result but for its arrays. */
    public static <T> T result(Class<T> type, int rows) throws ReflectiveOperationException {
        return Bean.of(type, RESULT, false, "", 3220000, false, QUERY, 1, rows, "", 0.194871);
    }

    /** The row of an element. */
    static Object[] row(Object element) throws ReflectiveOperationException {
        Object[] cells = Bean.row(element, ELEMENT);
        Object[] category = Bean.row(cells[7], CATEGORY);
        Object[] row = Arrays.copyOf(cells, FIELDS.length);
        row[7] = category[0];
        row[8] = category[1];
        row[9] = cells[8];
        return row;
    }

    private Search() {}
}
