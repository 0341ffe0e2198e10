// Between the classes that gSOAP generates and the neutral JSON of the suite (see ../../README.md):
// doubles and floats travel as the hex digits of their bits, bytes as hex, 64-bit and longer
// integers and everything else with a lexical form as text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "soapH.h"

namespace neutral {

using Json = nlohmann::json;

// ---- scalars ----

inline Json write(int v) { return v; }
inline Json write(bool v) { return v; }
inline Json write(const std::string &v) { return v; }

inline Json write(double v) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(v)));
    return std::string(text);
}

inline Json write(float v) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(v));
    return std::string(text);
}

inline void read(const Json &j, int &v) { v = j.get<int>(); }
inline void read(const Json &j, bool &v) { v = j.get<bool>(); }
inline void read(const Json &j, std::string &v) { v = j.get<std::string>(); }

inline void read(const Json &j, double &v) {
    v = std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(j.get<std::string>(), nullptr, 16)));
}

inline void read(const Json &j, float &v) {
    v = std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(j.get<std::string>(), nullptr, 16)));
}

// time_t is what wsdl2h gives xsd:dateTime: whole seconds, UTC.
struct Instant {
    static Json write(soap *ctx, std::time_t v) { return std::string(soap_dateTime2s(ctx, v)); }
    static void read(soap *ctx, const Json &j, std::time_t &v) {
        if (soap_s2dateTime(ctx, j.get<std::string>().c_str(), &v) != SOAP_OK)
            throw std::runtime_error("not a dateTime");
    }
};

template <class Binary> Json write_bytes(const Binary &v) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (int i = 0; i < v.__size; i++) {
        text += digits[v.__ptr[i] >> 4];
        text += digits[v.__ptr[i] & 15];
    }
    return text;
}

template <class Binary> void read_bytes(soap *ctx, const Json &j, Binary &v) {
    const std::string text = j.get<std::string>();
    v.__size = static_cast<int>(text.size() / 2);
    v.__ptr = static_cast<unsigned char *>(soap_malloc(ctx, text.size() / 2 + 1));
    for (int i = 0; i < v.__size; i++)
        v.__ptr[i] = static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
}

inline Json write(t__Colour v) { return std::string(soap_t__Colour2s(nullptr, v)); }

inline void read(soap *ctx, const Json &j, t__Colour &v) {
    if (soap_s2t__Colour(ctx, j.get<std::string>().c_str(), &v) != SOAP_OK)
        throw std::runtime_error("not a colour");
}

// The structs, defined in structs.hpp; the templates below must know of them.
Json write(const t__Mio &);
Json write(const rt__Mio &);
Json write(const t__Event &);
Json write(const t__Address &);
Json write(const t__Member &);
Json write(const t__Group &);
Json write(const t__Person &);
Json write(const t__Scalars &);

// ---- fields: required, optional (absent), nillable (null), repeated ----

template <class T> void required(Json &j, const char *name, const T &v) { j[name] = write(v); }

template <class T> void optional(Json &j, const char *name, const T *v) {
    if (v) j[name] = write(*v);
}

template <class T> void nillable(Json &j, const char *name, const T *v) {
    j[name] = v ? write(*v) : Json(nullptr);
}

template <class T> void repeated(Json &j, const char *name, const std::vector<T> &v) {
    j[name] = Json::array();
    for (const T &item : v) j[name].push_back(write(item));
}

template <class T> void repeated(Json &j, const char *name, const std::vector<T *> &v) {
    j[name] = Json::array();
    for (const T *item : v) j[name].push_back(write(*item));
}

template <class T> T *pointer(soap *ctx, const Json &j, const char *name) {
    auto found = j.find(name);
    if (found == j.end() || found->is_null()) return nullptr;
    T *made = static_cast<T *>(soap_malloc(ctx, sizeof(T)));
    read(*found, *made);
    return made;
}

template <> inline std::string *pointer(soap *ctx, const Json &j, const char *name) {
    auto found = j.find(name);
    if (found == j.end() || found->is_null()) return nullptr;
    std::string *made = soap_new_std__string(ctx);
    read(*found, *made);
    return made;
}

template <class T> void read_all(const Json &j, const char *name, std::vector<T> &v) {
    if (auto found = j.find(name); found != j.end())
        for (const Json &item : *found) {
            T made{};
            read(item, made);
            v.push_back(made);
        }
}

} // namespace neutral
