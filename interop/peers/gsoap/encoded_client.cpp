// gSOAP's client of encoded.wsdl: calls each operation of the echo server whose URL is given.
// Prints a line each: "ok NAME", or "FAILED NAME why".
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "EncodedBinding.nsmap"
#include "soapH.h"

namespace {

soap *ctx;
const char *url;

void check(const std::string &name, const std::function<bool()> &run) {
    const bool good = run();
    std::string why;
    if (ctx->error) {
        char text[500] = "";
        soap_sprint_fault(ctx, text, sizeof text);
        for (char &c : text)
            if (c == '\n') c = ' ';
        why = std::string(" ") + text;
    }
    std::cout << (good && !ctx->error ? "ok " : "FAILED ") << name << why << std::endl;
    soap_destroy(ctx);
    soap_end(ctx);
}

// What an operation gives for one argument; null when it failed.
#define CALL(name, type)                                                                            \
    type *name(type *sent) {                                                                        \
        e__##name##Response reply{};                                                                \
        return soap_call_e__##name(ctx, url, "", sent, reply) == SOAP_OK ? reply._return_ : nullptr; \
    }

CALL(encDoubles, ArrayOfDouble)
CALL(encStrings, ArrayOfString)
CALL(encMio, t__Mio)
CALL(encMios, ArrayOfMio)
CALL(encMatrix, Matrix)
CALL(encNode, t__Node)
CALL(encPair, t__Pair)

t__Node *node(const char *name, t__Node *next = nullptr) {
    t__Node *made = soap_new_t__Node(ctx);
    made->name = soap_new_std__string(ctx);
    *made->name = name;
    made->next = next;
    return made;
}

bool named(const t__Node *node, const char *name) { return node && node->name && *node->name == name; }

t__Mio *mio(int x, double value) {
    t__Mio *made = soap_new_t__Mio(ctx);
    made->x = x;
    made->y = 2;
    made->value = value;
    return made;
}

bool same(const t__Mio *one, const t__Mio *other) {
    return one && other && one->x == other->x && one->y == other->y && one->value == other->value;
}

bool doubles(std::vector<double> values) {
    ArrayOfDouble sent{};
    sent.__ptr = values.data();
    sent.__size = static_cast<int>(values.size());
    ArrayOfDouble *back = encDoubles(&sent);
    return back && back->__size == sent.__size &&
           (values.empty() || std::memcmp(back->__ptr, sent.__ptr, values.size() * sizeof(double)) == 0);
}

void check_values() {
    check("doubles", [] { return doubles({0.1, -0.0, 1e300, std::numeric_limits<double>::infinity(), 5}); });
    check("doubles-none", [] { return doubles({}); });
    check("strings", [] {
        std::string texts[] = {"a", "", "<&>\u00e9"};
        ArrayOfString sent{};
        sent.__ptr = texts;
        sent.__size = 3;
        ArrayOfString *back = encStrings(&sent);
        return back && back->__size == 3 && std::equal(texts, texts + 3, back->__ptr);
    });
    check("text", [] {
        std::string back;
        return soap_call_e__encText(ctx, url, "", "one & two", back) == SOAP_OK && back == "one & two";
    });
    check("mio", [] {
        t__Mio *sent = mio(1, 0.5);
        return same(sent, encMio(sent));
    });
    check("mios", [] {
        t__Mio *one = mio(1, 0.5), *items[] = {one, mio(3, 1.5), one};
        ArrayOfMio sent{};
        sent.__ptr = items;
        sent.__size = 3;
        ArrayOfMio *back = encMios(&sent);
        return back && back->__size == 3 && std::equal(items, items + 3, back->__ptr, same) &&
               back->__ptr[0] == back->__ptr[2];
    });
    check("matrix", [] {
        double values[] = {1, 2, 3, 4, 5, 6};
        Matrix sent{};
        sent.__ptr = values;
        sent.__size[0] = 2;
        sent.__size[1] = 3;
        Matrix *back = encMatrix(&sent);
        return back && back->__size[0] == 2 && back->__size[1] == 3 &&
               std::equal(values, values + 6, back->__ptr);
    });
    check("chain", [] {
        t__Node *back = encNode(node("a", node("b", node("c"))));
        return named(back, "a") && named(back->next, "b") && named(back->next->next, "c") &&
               !back->next->next->next;
    });
}

bool pair(t__Node *first, t__Node *second, bool shared) {
    t__Pair sent{};
    sent.first = first;
    sent.second = second;
    t__Pair *back = encPair(&sent);
    return back && named(back->first, "x") && named(back->second, "x") &&
           (back->first == back->second) == shared;
}

void check_identity() {
    check("pair-shared", [] {
        t__Node *one = node("x");
        return pair(one, one, true);
    });
    check("pair-apart", [] { return pair(node("x"), node("x"), false); });
    check("ring", [] {
        t__Node *ring = node("ring");
        ring->next = ring;
        t__Node *back = encNode(ring);
        return named(back, "ring") && back->next == back;
    });
    check("circle", [] {
        t__Node *one = node("one");
        one->next = node("two", one);
        t__Node *back = encNode(one);
        return named(back, "one") && named(back->next, "two") && back->next->next == back;
    });
}

} // namespace

int main(int, char **arguments) {
    ctx = soap_new1(SOAP_C_UTFSTRING | SOAP_XML_GRAPH);
    url = arguments[1];
    check_values();
    check_identity();
    soap_free(ctx);
}
