// The types of shapes.wsdl: derived ones tell which they are, and where a substitution group can stand gSOAP
// has a union of its elements.
#pragma once

#include "neutral.hpp"

namespace neutral {

// ---- shapes, each with its own type where that is not the declared one ----

inline Json write_shape(const s__Shape &shape, int declared) {
    Json j = Json::object();
    const int own = shape.soap_type();
    if (own != declared)
        j["@type"] = own == SOAP_TYPE_s__Ring ? "Ring" : own == SOAP_TYPE_s__Group ? "Group" : "Circle";
    j["name"] = shape.name;
    if (shape.id) j["id"] = *shape.id;
    if (const auto *circle = dynamic_cast<const s__Circle *>(&shape)) j["radius"] = write(circle->radius);
    if (const auto *ring = dynamic_cast<const s__Ring *>(&shape)) j["hole"] = write(ring->hole);
    if (const auto *group = dynamic_cast<const s__Group *>(&shape)) {
        j["part"] = Json::array();
        for (const s__Circle *part : group->part) j["part"].push_back(write_shape(*part, SOAP_TYPE_s__Circle));
    }
    return j;
}

inline s__Shape *read_shape(soap *ctx, const Json &j, const std::string &declared) {
    const std::string own = j.value("@type", declared);
    s__Shape *made = own == "Circle"  ? soap_new_s__Circle(ctx)
                     : own == "Ring"  ? soap_new_s__Ring(ctx)
                     : own == "Group" ? static_cast<s__Shape *>(soap_new_s__Group(ctx))
                                      : soap_new_s__Shape(ctx);
    made->name = j.at("name").get<std::string>();
    made->id = pointer<int>(ctx, j, "id");
    if (auto *circle = dynamic_cast<s__Circle *>(made)) read(j.at("radius"), circle->radius);
    if (auto *ring = dynamic_cast<s__Ring *>(made)) read(j.at("hole"), ring->hole);
    if (auto *group = dynamic_cast<s__Group *>(made))
        for (const Json &part : j.value("part", Json::array()))
            group->part.push_back(static_cast<s__Circle *>(read_shape(ctx, part, "Circle")));
    return made;
}

inline void write_shapes(Json &j, const std::vector<s__Shape *> &shapes) {
    j["shape"] = Json::array();
    for (const s__Shape *shape : shapes) j["shape"].push_back(write_shape(*shape, SOAP_TYPE_s__Shape));
}

inline void read_shapes(soap *ctx, const Json &j, std::vector<s__Shape *> &shapes) {
    for (const Json &item : j.value("shape", Json::array())) shapes.push_back(read_shape(ctx, item, "Shape"));
}

// ---- the substitution group: the generated unions differ in their names alone ----

template <class Union> void write_figure(Json &made, int which, const Union &u) {
    switch (which) {
    case SOAP_UNION__s__union_Sheet_figure:
        for (const s__Shape *figure : *u.figure)
            made.push_back({{"figure", write_shape(*figure, SOAP_TYPE_s__Shape)}});
        break;
    case SOAP_UNION__s__union_Sheet_circle:
        made.push_back({{"circle", write_shape(*u.circle, SOAP_TYPE_s__Circle)}});
        break;
    case SOAP_UNION__s__union_Sheet_ring:
        made.push_back({{"ring", write_shape(*u.ring, SOAP_TYPE_s__Ring)}});
        break;
    case SOAP_UNION__s__union_Sheet_group:
        made.push_back({{"group", write_shape(*u.group, SOAP_TYPE_s__Group)}});
    }
}

template <class Union> void read_figure(soap *ctx, const Json &item, int &which, Union &u) {
    const std::string name = item.begin().key();
    const Json &value = item.begin().value();
    if (name == "circle") {
        which = SOAP_UNION__s__union_Sheet_circle;
        u.circle = static_cast<s__Circle *>(read_shape(ctx, value, "Circle"));
    } else if (name == "ring") {
        which = SOAP_UNION__s__union_Sheet_ring;
        u.ring = static_cast<s__Ring *>(read_shape(ctx, value, "Ring"));
    } else if (name == "group") {
        which = SOAP_UNION__s__union_Sheet_group;
        u.group = static_cast<s__Group *>(read_shape(ctx, value, "Group"));
    } else {
        which = SOAP_UNION__s__union_Sheet_figure;
        u.figure = soap_new_std__vectorTemplateOfPointerTos__Shape(ctx);
        u.figure->push_back(read_shape(ctx, value, "Shape"));
    }
}

#define FIGURES(type, name)                                                                         \
    inline void write_figures(Json &j, const type &v) {                                             \
        j["figure"] = Json::array();                                                                \
        for (int i = 0; i < v.__size_##name; i++)                                                   \
            write_figure(j["figure"], v.__union_##name[i].__union_##name,                           \
                         v.__union_##name[i].union_##name);                                         \
    }                                                                                               \
    inline void read_figures(soap *ctx, const Json &j, type &v) {                                   \
        const Json items = j.value("figure", Json::array());                                        \
        v.__size_##name = static_cast<int>(items.size());                                           \
        v.__union_##name = soap_new___s__union_##name(ctx, v.__size_##name);                        \
        for (int i = 0; i < v.__size_##name; i++)                                                   \
            read_figure(ctx, items[i], v.__union_##name[i].__union_##name,                          \
                        v.__union_##name[i].union_##name);                                          \
    }

FIGURES(s__Sheet, Sheet)
FIGURES(_s__echoFigures, echoFigures)
FIGURES(_s__echoFiguresResponse, echoFiguresResponse)

inline void write_sheet(Json &j, const s__Sheet &sheet) {
    j["title"] = sheet.title;
    if (sheet.cover) j["cover"] = write_shape(*sheet.cover, SOAP_TYPE_s__Shape);
    write_figures(j, sheet);
}

inline s__Sheet *read_sheet(soap *ctx, const Json &j) {
    s__Sheet *sheet = soap_new_s__Sheet(ctx);
    sheet->title = j.at("title").get<std::string>();
    if (j.contains("cover")) sheet->cover = read_shape(ctx, j.at("cover"), "Shape");
    read_figures(ctx, j, *sheet);
    return sheet;
}

} // namespace neutral
