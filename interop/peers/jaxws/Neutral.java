package interop;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import jakarta.xml.bind.JAXBElement;
import jakarta.xml.bind.annotation.XmlAttribute;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlElementDecl;
import jakarta.xml.bind.annotation.XmlElementRef;
import jakarta.xml.bind.annotation.XmlType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/**
 * Neutral values (../../README.md) to and from the classes that both toolkits generate for JAXB.
 *
 * <p>Java's types say what is needed: which XML Schema type a field has, whether it repeats, and which
 * types derive from its own.
 */
final class Neutral {
    private static final HexFormat HEX = HexFormat.of();
    private static final String TYPE = "@type";

    private Neutral() {}

    // ---- neutral -> Java ----

    static Object toJava(Type type, JsonElement value) throws Exception {
        if (value == null || value.isJsonNull()) {
            return type instanceof ParameterizedType list && list.getRawType() == List.class ? new ArrayList<>() : null;
        }
        if (type instanceof WildcardType wildcard) {
            return toJava(wildcard.getUpperBounds()[0], value);
        }
        if (type instanceof ParameterizedType generic) {
            Type inner = generic.getActualTypeArguments()[0];
            return generic.getRawType() == List.class ? list(inner, value.getAsJsonArray()) : element(inner, value.getAsJsonObject());
        }
        Class<?> kind = (Class<?>) type;
        if (kind.isEnum()) {
            return kind.getMethod("fromValue", String.class).invoke(null, value.getAsString());
        }
        return kind.isAnnotationPresent(XmlType.class) ? bean(kind, value.getAsJsonObject()) : scalar(kind, value);
    }

    private static List<Object> list(Type inner, JsonArray values) throws Exception {
        List<Object> made = new ArrayList<>();
        for (JsonElement value : values) {
            made.add(toJava(inner, value));
        }
        return made;
    }

    /** An element of a substitution group: the one member of the value. */
    private static JAXBElement<?> element(Type head, JsonObject value) throws Exception {
        String name = value.keySet().iterator().next();
        Class<?> base = (Class<?>) (head instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : head);
        Object factory = Class.forName(base.getPackageName() + ".ObjectFactory").getConstructor().newInstance();
        for (Method method : factory.getClass().getMethods()) {
            XmlElementDecl declared = method.getAnnotation(XmlElementDecl.class);
            if (declared != null && declared.name().equals(name)) {
                return (JAXBElement<?>) method.invoke(factory, toJava(method.getParameterTypes()[0], value.get(name)));
            }
        }
        throw new IllegalArgumentException("no element " + name);
    }

    private static Object bean(Class<?> declared, JsonObject value) throws Exception {
        Class<?> kind = value.has(TYPE) ? derived(declared, value.get(TYPE).getAsString()) : declared;
        Object made = kind.getConstructor().newInstance();
        for (Field field : fields(kind)) {
            JsonElement member = value.get(name(field));
            if (member != null && !member.isJsonNull()) {
                field.set(made, toJava(field.getGenericType(), member));
            }
        }
        return made;
    }

    private static Class<?> derived(Class<?> base, String name) throws Exception {
        for (Method method : Class.forName(base.getPackageName() + ".ObjectFactory").getMethods()) {
            XmlType type = method.getReturnType().getAnnotation(XmlType.class);
            if (type != null && type.name().equals(name)) {
                return method.getReturnType();
            }
        }
        throw new IllegalArgumentException("no type " + name);
    }

    private static Object scalar(Class<?> kind, JsonElement value) throws Exception {
        String text = value.getAsString();
        return switch (kind.getSimpleName().toLowerCase()) {
            case "double" -> Double.longBitsToDouble(Long.parseUnsignedLong(text, 16));
            case "float" -> Float.intBitsToFloat(Integer.parseUnsignedInt(text, 16));
            case "byte" -> value.getAsByte();
            case "short" -> value.getAsShort();
            case "int", "integer" -> value.getAsInt();
            case "long" -> Long.valueOf(text);
            case "biginteger" -> new BigInteger(text);
            case "bigdecimal" -> new BigDecimal(text);
            case "boolean" -> value.getAsBoolean();
            case "byte[]" -> HEX.parseHex(text);
            case "xmlgregoriancalendar" -> DatatypeFactory.newInstance().newXMLGregorianCalendar(text);
            case "string" -> text;
            default -> throw new IllegalArgumentException("no neutral form of " + kind);
        };
    }

    // ---- Java -> neutral ----

    /** {@code declared} is the type that the contract gives; a derived one is named. */
    static JsonElement fromJava(Type declared, Object value) throws Exception {
        if (value == null) {
            return JsonNull.INSTANCE;
        }
        if (value instanceof List<?> values) {
            JsonArray made = new JsonArray();
            Type inner = declared instanceof ParameterizedType list ? list.getActualTypeArguments()[0] : Object.class;
            for (Object each : values) {
                made.add(fromJava(inner, each));
            }
            return made;
        }
        if (value instanceof JAXBElement<?> element) {
            JsonObject made = new JsonObject();
            made.add(element.getName().getLocalPart(), fromJava(element.getDeclaredType(), element.getValue()));
            return made;
        }
        if (value instanceof Enum<?>) {
            return new JsonPrimitive((String) value.getClass().getMethod("value").invoke(value));
        }
        return value.getClass().isAnnotationPresent(XmlType.class) ? object(declared, value) : primitive(value);
    }

    private static JsonObject object(Type declared, Object bean) throws Exception {
        JsonObject made = new JsonObject();
        if (declared != bean.getClass()) {
            made.addProperty(TYPE, bean.getClass().getAnnotation(XmlType.class).name());
        }
        for (Field field : fields(bean.getClass())) {
            Object value = field.get(bean);
            if (value != null) {
                made.add(name(field), fromJava(field.getGenericType(), value));
            } else if (field.isAnnotationPresent(XmlElement.class) && field.getAnnotation(XmlElement.class).nillable()) {
                made.add(name(field), JsonNull.INSTANCE);
            }
        }
        return made;
    }

    private static JsonPrimitive primitive(Object value) {
        if (value instanceof Double number) {
            return new JsonPrimitive(HEX.toHexDigits(Double.doubleToLongBits(number)));
        }
        if (value instanceof Float number) {
            return new JsonPrimitive(HEX.toHexDigits(Float.floatToIntBits(number)));
        }
        if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
            return new JsonPrimitive((Number) value);
        }
        if (value instanceof Boolean flag) {
            return new JsonPrimitive(flag);
        }
        if (value instanceof byte[] bytes) {
            return new JsonPrimitive(HEX.formatHex(bytes));
        }
        if (value instanceof XMLGregorianCalendar time) {
            return new JsonPrimitive(time.toXMLFormat());
        }
        return new JsonPrimitive(value.toString());
    }

    // ---- the generated classes ----

    private static List<Field> fields(Class<?> kind) {
        List<Field> made = kind.getSuperclass() == Object.class ? new ArrayList<>() : fields(kind.getSuperclass());
        for (Field field : kind.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                made.add(field);
            }
        }
        return made;
    }

    private static String name(Field field) {
        String given = "##default";
        if (field.isAnnotationPresent(XmlElement.class)) {
            given = field.getAnnotation(XmlElement.class).name();
        } else if (field.isAnnotationPresent(XmlElementRef.class)) {
            given = field.getAnnotation(XmlElementRef.class).name();
        } else if (field.isAnnotationPresent(XmlAttribute.class)) {
            given = field.getAnnotation(XmlAttribute.class).name();
        }
        return given.equals("##default") ? field.getName() : given;
    }
}
