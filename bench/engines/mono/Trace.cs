using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Text;

/// Trace files (../../PROTOCOL.md) as values of the generated types, whose members stand in the order of a line, and
/// back. Nothing here is timed.
static class Trace {
    static readonly CultureInfo Plain = CultureInfo.InvariantCulture;

    public static string[] Lines(string path) {
        string text = File.ReadAllText(path, Encoding.UTF8);
        return text.Length == 0 ? new string[0] : text.Substring(0, text.Length - 1).Split('\n');
    }

    /// An array of a type, an item for each line.
    public static Array Items(Type type, string[] lines) {
        Array made = Array.CreateInstance(type, lines.Length);
        for (int i = 0; i < lines.Length; i++) made.SetValue(Make(type, new Queue<string>(lines[i].Split('\t'))), i);
        return made;
    }

    public static byte[] Bytes(string hex) {
        return Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
    }

    public static byte[] Packed(string[] lines) {
        return lines.SelectMany(line => BitConverter.GetBytes(Number(line))).ToArray();
    }

    /// Takes as many cells as the value has members; an array takes all that are left.
    static object Make(Type type, Queue<string> cells) {
        if (type == typeof(byte[])) return Bytes(cells.Dequeue());
        if (type == typeof(bool)) return cells.Dequeue() == "true";
        if (type == typeof(double)) return Number(cells.Dequeue());
        if (type.IsPrimitive || type == typeof(string)) return Convert.ChangeType(cells.Dequeue(), type, Plain);
        if (type.IsArray) {
            var items = new List<object>();
            while (cells.Count > 0) items.Add(Make(type.GetElementType(), cells));
            Array made = Array.CreateInstance(type.GetElementType(), items.Count);
            for (int i = 0; i < items.Count; i++) made.SetValue(items[i], i);
            return made;
        }
        object record = Activator.CreateInstance(type);
        foreach (var member in type.GetProperties()) member.SetValue(record, Make(member.PropertyType, cells));
        return record;
    }

    // double.Parse of this runtime loses the sign of zero and may be off in the last bits: what is nearest of its
    // neighbours was meant.
    static double Number(string text) {
        double near = double.Parse(text, Plain);
        if (near == 0) return text[0] == '-' ? BitConverter.Int64BitsToDouble(long.MinValue) : near;
        long bits = BitConverter.DoubleToInt64Bits(near);
        double[] around = { near, Neighbour(bits, -1), Neighbour(bits, 1), Neighbour(bits, -2), Neighbour(bits, 2) };
        return around.OrderBy(one => Distance(one, text)).First();
    }

    static double Neighbour(long bits, long steps) {
        return BitConverter.Int64BitsToDouble(bits + steps);
    }

    // How far a double and a decimal text lie apart, exactly, in a unit that both are whole numbers of.
    static BigInteger Distance(double value, string text) {
        int mark = text.IndexOfAny(new[] { 'e', 'E' });
        int ten = mark < 0 ? 0 : int.Parse(text.Substring(mark + 1), Plain);
        string digits = mark < 0 ? text : text.Substring(0, mark);
        int point = digits.IndexOf('.');
        if (point >= 0) ten -= digits.Length - point - 1;
        long bits = BitConverter.DoubleToInt64Bits(value);
        int two = (int)(bits >> 52) & 2047;
        long whole = bits & ((1L << 52) - 1);
        if (two > 0) whole |= 1L << 52;
        two = Math.Max(two, 1) - 1075;
        if (bits < 0) whole = -whole;
        BigInteger wanted = BigInteger.Parse(digits.Replace(".", ""), Plain) * Power(10, ten) * Least;
        return BigInteger.Abs(wanted - whole * Power(2, two + 1074) * Power(10, -ten));
    }

    // All doubles are whole numbers of 2 to the power of -1074.
    static readonly BigInteger Least = BigInteger.Pow(2, 1074);

    static BigInteger Power(int of, int exponent) {
        return exponent > 0 ? BigInteger.Pow(of, exponent) : BigInteger.One;
    }

    public static int Write(string path, string kind, object value) {
        var lines = new List<string>();
        if (kind == "bytes") lines.Add(Hex((byte[])value));
        else if (kind == "packed") {
            var packed = (byte[])value;
            for (int at = 0; at + 8 <= packed.Length; at += 8) lines.Add(Written(BitConverter.ToDouble(packed, at)));
        } else if (value != null) {
            foreach (object item in (Array)value) lines.Add(string.Join("\t", Cells(item)));
        }
        File.WriteAllText(path, string.Concat(lines.Select(line => line + "\n")));
        return lines.Count;
    }

    static IEnumerable<string> Cells(object value) {
        if (value == null) return new[] { "" };
        Type type = value.GetType();
        if (value is byte[]) return new[] { Hex((byte[])value) };
        if (value is bool) return new[] { (bool)value ? "true" : "false" };
        if (value is double) return new[] { Written((double)value) };
        if (type.IsPrimitive || value is string) return new[] { Convert.ToString(value, Plain) };
        if (type.IsArray) return ((Array)value).Cast<object>().SelectMany(Cells);
        return type.GetProperties().SelectMany(member => Cells(member.GetValue(value)));
    }

    // 17 digits: with "R" this runtime leaves out some that count.
    static string Written(double value) {
        bool negativeZero = value == 0 && BitConverter.DoubleToInt64Bits(value) < 0;
        return negativeZero ? "-0.0" : value.ToString("G17", Plain);
    }

    static string Hex(byte[] bytes) {
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }
}
