package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// Trace files (../../PROTOCOL.md) as values of the generated types, whose fields stand in the order of a line, and
// back. Nothing here is timed. The generated []byte is what stands in the message, so base64 is ours to do.

func readLines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

func writeLines(path string, lines []string) error {
	text := strings.Join(lines, "\n")
	if len(lines) > 0 {
		text += "\n"
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func bytesOf(kind string, lines []string) []byte {
	var made []byte
	if kind == "packed" {
		for _, line := range lines {
			made = binary.LittleEndian.AppendUint64(made, math.Float64bits(number(line)))
		}
	} else if len(lines) > 0 {
		return fromHex(lines[0])
	}
	return base64.StdEncoding.AppendEncode(nil, made)
}

// Hex as base64.
func fromHex(text string) []byte {
	made, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.AppendEncode(nil, made)
}

func decoded(text []byte) []byte {
	made, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		panic(err)
	}
	return made
}

func numbersOf(text []byte) []string {
	var lines []string
	for packed := decoded(text); len(packed) >= 8; packed = packed[8:] {
		lines = append(lines, written(math.Float64frombits(binary.LittleEndian.Uint64(packed))))
	}
	return lines
}

func written(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// An item for each line into the field Item.
func fillArray(array any, lines []string) {
	items := reflect.ValueOf(array).Elem().FieldByName("Item")
	for _, line := range lines {
		item := reflect.New(items.Type().Elem()).Elem()
		cells := strings.Split(line, "\t")
		fill(item, &cells)
		items.Set(reflect.Append(items, item))
	}
}

// Takes as many cells as the value has fields; a list takes all that are left.
func fill(value reflect.Value, cells *[]string) {
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), cells)
		return
	case reflect.Struct:
		for i := range value.NumField() {
			fill(value.Field(i), cells)
		}
		return
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		for len(*cells) > 0 {
			item := reflect.New(value.Type().Elem()).Elem()
			fill(item, cells)
			value.Set(reflect.Append(value, item))
		}
		return
	}
	cell := (*cells)[0]
	*cells = (*cells)[1:]
	switch value.Kind() {
	case reflect.Float64:
		value.SetFloat(number(cell))
	case reflect.Int32:
		value.SetInt(int64(number(cell)))
	case reflect.Slice:
		value.SetBytes(fromHex(cell))
	default:
		value.SetString(cell)
	}
}

// The lines of what an operation returned: an array's items, or bytes.
func linesOf(value reflect.Value) []string {
	if value.Kind() == reflect.Slice {
		return []string{hex.EncodeToString(decoded(value.Bytes()))}
	}
	var lines []string
	if !value.IsNil() {
		items := value.Elem().FieldByName("Item")
		for i := range items.Len() {
			lines = append(lines, strings.Join(cellsOf(items.Index(i)), "\t"))
		}
	}
	return lines
}

func cellsOf(value reflect.Value) []string {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return cellsOf(value.Elem())
	case reflect.Struct:
		var cells []string
		for i := range value.NumField() {
			cells = append(cells, cellsOf(value.Field(i))...)
		}
		return cells
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return []string{hex.EncodeToString(decoded(value.Bytes()))}
		}
		var cells []string
		for i := range value.Len() {
			cells = append(cells, cellsOf(value.Index(i))...)
		}
		return cells
	case reflect.Float64:
		return []string{written(value.Float())}
	case reflect.Int32:
		return []string{strconv.FormatInt(value.Int(), 10)}
	case reflect.Bool:
		return []string{strconv.FormatBool(value.Bool())}
	}
	return []string{value.String()}
}
