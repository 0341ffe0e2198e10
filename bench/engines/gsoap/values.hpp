// Trace files (../../PROTOCOL.md) into gSOAP's objects and back. What is made lives in `store`.
#pragma once

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "soapH.h"

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Lines lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// ---- the fields of a record, in the order of a line ----

template <class F> void fields(F &&f, b__Mio &it) { f(it.x), f(it.y), f(it.value); }
template <class F> void fields(F &&f, b__Event &it) { f(it.sequence), f(it.time), f(it.message); }
template <class F> void fields(F &&f, b__Attribute &it) { f(it.name), f(it.type), f(it.value); }
template <class F> void fields(F &&f, b__ClassAdAttribute &it) { f(it.name), f(it.type), f(it.value); }
template <class F> void fields(F &&f, f__File &it) { f(it.name), f(it.data->__item); }
template <class F> void fields(F &&f, n__Level &it) {
    f(it.pa__id), f(it.pb__id), f(it.pa__kind), f(it.pb__kind), f(it.pa__name), f(it.pb__name);
}
template <class F> void fields(F &&f, b__ResultElement &it) {
    f(it.summary), f(it.URL), f(it.snippet), f(it.title), f(it.cachedSize), f(it.relatedInformationPresent);
    f(it.hostName), f(it.directoryCategory->fullViewableName), f(it.directoryCategory->specialEncoding);
    f(it.directoryTitle);
}

class Reader {
public:
    Reader(soap *store, std::string_view line) : store(store), rest(line) {}

    void operator()(int &value) { value = std::atoi(std::string(next()).c_str()); }
    void operator()(double &value) { value = std::strtod(std::string(next()).c_str(), nullptr); }
    void operator()(std::string &value) { value = next(); }
    void operator()(bool &value) { value = next() == "true"; }
    void operator()(xsd__base64Binary &value) {
        const std::string_view hex = next();
        value.__size = static_cast<int>(hex.size() / 2);
        value.__ptr = static_cast<unsigned char *>(soap_malloc(store, hex.size() / 2 + 1));
        for (int i = 0; i < value.__size; i++)
            std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value.__ptr[i], 16);
    }
    bool more() const { return !ended; }

private:
    std::string_view next() {
        const size_t end = rest.find('\t');
        const std::string_view word = rest.substr(0, end);
        ended = end == std::string_view::npos;
        rest = ended ? std::string_view() : rest.substr(end + 1);
        return word;
    }
    soap *store;
    std::string_view rest;
    bool ended = false;
};

class Writer {
public:
    explicit Writer(std::string &out) : out(out) {}

    void operator()(int value) { text(std::to_string(value)); }
    void operator()(double value) {
        char digits[32];
        text({digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits)});
    }
    void operator()(const std::string &value) { text(value); }
    void operator()(bool value) { text(value ? "true" : "false"); }
    void operator()(const xsd__base64Binary &value) {
        std::string hex;
        for (int i = 0; i < value.__size; i++) {
            hex += "0123456789abcdef"[value.__ptr[i] >> 4];
            hex += "0123456789abcdef"[value.__ptr[i] & 15];
        }
        text(hex);
    }
    void end() { out += '\n', first = true; }

private:
    void text(std::string_view word) {
        if (!first) out += '\t';
        first = false;
        out += word;
    }
    std::string &out;
    bool first = true;
};

// ---- arrays, and what is none ----

inline b__ResultElement *make(soap *store, b__ResultElement *) {
    auto *made = soap_new_b__ResultElement(store);
    made->directoryCategory = soap_new_b__DirectoryCategory(store);
    return made;
}
inline b__Mio *make(soap *store, b__Mio *) { return soap_new_b__Mio(store); }
inline b__Event *make(soap *store, b__Event *) { return soap_new_b__Event(store); }
inline b__Attribute *make(soap *store, b__Attribute *) { return soap_new_b__Attribute(store); }
inline b__ClassAdAttribute *make(soap *store, b__ClassAdAttribute *) { return soap_new_b__ClassAdAttribute(store); }
inline f__File *make(soap *store, f__File *) {
    auto *made = soap_new_f__File(store);
    made->data = soap_new_f__Data(store);
    return made;
}

inline void read(soap *store, const std::string &line, b__ClassAd *&ad) {
    ad = soap_new_b__ClassAd(store);
    ad->attributes = soap_new_b__ArrayOfClassAdAttribute(store);
    for (Reader reader(store, line); reader.more();) {
        auto *attribute = make(store, static_cast<b__ClassAdAttribute *>(nullptr));
        fields(reader, *attribute);
        ad->attributes->item.push_back(attribute);
    }
}
template <class Record> void read(soap *store, const std::string &line, Record *&record) {
    record = make(store, record);
    fields(Reader(store, line), *record);
}
template <class Scalar> void read(soap *store, const std::string &line, Scalar &value) { Reader(store, line)(value); }

inline void write(Writer &writer, b__ClassAd *ad) {
    for (auto *attribute : ad->attributes->item) fields(writer, *attribute);
}
template <class Record> void write(Writer &writer, Record *record) { fields(writer, *record); }
template <class Scalar> void write(Writer &writer, const Scalar &value) { writer(value); }

template <class Array> void fill(soap *store, const Lines &lines, Array &array) {
    array.item.reserve(lines.size());
    for (const auto &line : lines) {
        typename decltype(array.item)::value_type item{};
        read(store, line, item);
        array.item.push_back(item);
    }
}

inline n__Level *levels(soap *store, const Lines &lines) {
    n__Level *outer = nullptr;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        n__Level *level = soap_new_n__Level(store);
        fields(Reader(store, *line), *level);
        level->level = outer;
        outer = level;
    }
    return outer;
}

inline void packed(soap *store, const Lines &lines, xsd__base64Binary &value) {
    value.__size = static_cast<int>(lines.size() * sizeof(double));
    value.__ptr = static_cast<unsigned char *>(soap_malloc(store, value.__size + 1));
    for (size_t i = 0; i < lines.size(); i++) {
        double number{};
        read(store, lines[i], number);
        std::memcpy(value.__ptr + i * sizeof number, &number, sizeof number);
    }
}

// ---- results ----

template <class Array> size_t size(Array *array) { return array->item.size(); }
inline size_t size(n__Level *level) { return level ? 1 + size(level->level) : 0; }

template <class Array> void dump(std::string &out, const std::string &, Array *array) {
    Writer writer(out);
    for (const auto &item : array->item) write(writer, item), writer.end();
}
inline void dump(std::string &out, const std::string &kind, b__GoogleSearchResult *result) {
    dump(out, kind, result->resultElements);
}
inline void dump(std::string &out, const std::string &, n__Level *level) {
    for (Writer writer(out); level; level = level->level) fields(writer, *level), writer.end();
}
inline void dump(std::string &out, const std::string &kind, const xsd__base64Binary &value) {
    Writer writer(out);
    if (kind == "bytes") return writer(value), writer.end();
    for (int at = 0; at + 8 <= value.__size; at += 8) {
        double number;
        std::memcpy(&number, value.__ptr + at, sizeof number);
        writer(number), writer.end();
    }
}
