// The complex types of interop.wsdl and rpc.wsdl, one write/read pair each.
#pragma once

#include "neutral.hpp"

namespace neutral {

// ---- flat structs; the same three fields stand in two namespaces ----

template <class M> Json write_mio(const M &m) {
    Json j = Json::object();
    required(j, "x", m.x);
    required(j, "y", m.y);
    required(j, "value", m.value);
    return j;
}

inline Json write(const t__Mio &m) { return write_mio(m); }
inline Json write(const rt__Mio &m) { return write_mio(m); }

template <class M> M *read_mio(const Json &j, M *m) {
    read(j.at("x"), m->x);
    read(j.at("y"), m->y);
    read(j.at("value"), m->value);
    return m;
}

inline Json write(const t__Event &e) {
    Json j = Json::object();
    required(j, "id", e.id);
    required(j, "value", e.value);
    required(j, "text", e.text);
    return j;
}

inline t__Event *read_event(soap *ctx, const Json &j) {
    t__Event *e = soap_new_t__Event(ctx);
    read(j.at("id"), e->id);
    read(j.at("value"), e->value);
    read(j.at("text"), e->text);
    return e;
}

// ---- the nested person ----

inline Json write(const t__Address &a) {
    Json j = Json::object();
    required(j, "street", a.street);
    required(j, "city", a.city);
    optional(j, "postcode", a.postcode);
    optional(j, "country", a.country);
    return j;
}

inline t__Address *read_address(soap *ctx, const Json &j) {
    t__Address *a = soap_new_t__Address(ctx);
    read(j.at("street"), a->street);
    read(j.at("city"), a->city);
    a->postcode = pointer<std::string>(ctx, j, "postcode");
    a->country = pointer<std::string>(ctx, j, "country");
    return a;
}

inline Json write(const t__Member &m) {
    Json j = Json::object();
    required(j, "name", m.name);
    repeated(j, "score", m.score);
    return j;
}

inline Json write(const t__Group &g) {
    Json j = Json::object();
    required(j, "label", g.label);
    repeated(j, "member", g.member);
    return j;
}

inline t__Group *read_group(soap *ctx, const Json &j) {
    t__Group *g = soap_new_t__Group(ctx);
    read(j.at("label"), g->label);
    for (const Json &item : j.value("member", Json::array())) {
        t__Member *m = soap_new_t__Member(ctx);
        read(item.at("name"), m->name);
        read_all(item, "score", m->score);
        g->member.push_back(m);
    }
    return g;
}

inline Json write(const t__Person &p) {
    Json j = Json::object();
    required(j, "id", p.id);
    optional(j, "rank", p.rank);
    required(j, "name", p.name);
    optional(j, "nickname", p.nickname);
    nillable(j, "title", p.title);
    required(j, "born", p.born);
    j["seen"] = Instant::write(p.soap, p.seen);
    required(j, "balance", p.balance);
    j["photo"] = write_bytes(p.photo);
    required(j, "active", p.active);
    required(j, "colour", p.colour);
    nillable(j, "height", p.height);
    required(j, "address", *p.address);
    optional(j, "work", p.work);
    repeated(j, "alias", p.alias);
    repeated(j, "group", p.group);
    return j;
}

inline t__Person *read_person(soap *ctx, const Json &j) {
    t__Person *p = soap_new_t__Person(ctx);
    read(j.at("id"), p->id);
    p->rank = pointer<std::string>(ctx, j, "rank");
    read(j.at("name"), p->name);
    p->nickname = pointer<std::string>(ctx, j, "nickname");
    p->title = pointer<std::string>(ctx, j, "title");
    read(j.at("born"), p->born);
    Instant::read(ctx, j.at("seen"), p->seen);
    read(j.at("balance"), p->balance);
    read_bytes(ctx, j.at("photo"), p->photo);
    read(j.at("active"), p->active);
    read(ctx, j.at("colour"), p->colour);
    p->height = pointer<double>(ctx, j, "height");
    p->address = read_address(ctx, j.at("address"));
    if (j.contains("work")) p->work = read_address(ctx, j.at("work"));
    read_all(j, "alias", p->alias);
    for (const Json &item : j.value("group", Json::array())) p->group.push_back(read_group(ctx, item));
    return p;
}

// ---- one of every built-in type ----

inline Json write(const t__Scalars &s) {
    Json j = Json::object();
    j["int8"] = static_cast<int>(static_cast<signed char>(s.int8));
    j["int16"] = static_cast<int>(s.int16);
    j["int32"] = s.int32;
    j["int64"] = std::to_string(s.int64);
    j["uint8"] = static_cast<int>(s.uint8);
    j["uint16"] = static_cast<int>(s.uint16);
    j["uint32"] = std::to_string(s.uint32);
    j["uint64"] = std::to_string(s.uint64);
    required(j, "integer", s.integer);
    required(j, "float32", s.float32);
    required(j, "float64", s.float64);
    required(j, "decimal", s.decimal);
    required(j, "flag", s.flag);
    required(j, "day", s.day);
    required(j, "clock", s.clock);
    j["instant"] = Instant::write(s.soap, s.instant);
    required(j, "link", s.link);
    j["hex"] = write_bytes(s.hex);
    j["base64"] = write_bytes(s.base64);
    return j;
}

inline t__Scalars *read_scalars(soap *ctx, const Json &j) {
    t__Scalars *s = soap_new_t__Scalars(ctx);
    s->int8 = static_cast<char>(j.at("int8").get<int>());
    s->int16 = j.at("int16").get<short>();
    s->int32 = j.at("int32").get<int>();
    s->int64 = std::stoll(j.at("int64").get<std::string>());
    s->uint8 = j.at("uint8").get<unsigned char>();
    s->uint16 = j.at("uint16").get<unsigned short>();
    s->uint32 = static_cast<unsigned>(std::stoul(j.at("uint32").get<std::string>()));
    s->uint64 = std::stoull(j.at("uint64").get<std::string>());
    read(j.at("integer"), s->integer);
    read(j.at("float32"), s->float32);
    read(j.at("float64"), s->float64);
    read(j.at("decimal"), s->decimal);
    read(j.at("flag"), s->flag);
    read(j.at("day"), s->day);
    read(j.at("clock"), s->clock);
    Instant::read(ctx, j.at("instant"), s->instant);
    read(j.at("link"), s->link);
    read_bytes(ctx, j.at("hex"), s->hex);
    read_bytes(ctx, j.at("base64"), s->base64);
    return s;
}

// ---- headers and faults ----

template <class H> Json write_session(const H &h) {
    return Json{{"token", h.token}, {"sequence", h.sequence}};
}

inline Json write(const _i__ServiceFault &f) {
    Json j = Json::object();
    required(j, "code", f.code);
    required(j, "reason", f.reason);
    repeated(j, "path", f.path);
    return j;
}

} // namespace neutral
