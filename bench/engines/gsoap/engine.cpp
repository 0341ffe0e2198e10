// gSOAP, with the code that wsdl2h and soapcpp2 make of the contracts: a thread a connection, as its guide has it.
#include <algorithm>
#include <csignal>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

#include "parts.hpp"
#include "soapH.h"
#include "values.hpp"

namespace {

// An envelope declares these, and of its own contract one more, or three.
#define NAMESPACES(...)                                                                                               \
    {                                                                                                                 \
        {"SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/", nullptr, nullptr},                                  \
        {"SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/", nullptr, nullptr},                                  \
        {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},                                       \
        {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr}, __VA_ARGS__, {nullptr, nullptr, nullptr, nullptr} \
    }
#define WSSE "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
const Namespace BENCH[] = NAMESPACES({"b", "urn:castile:bench", nullptr, nullptr});
const Namespace SECURED[] = NAMESPACES({"b", "urn:castile:bench", nullptr, nullptr},
                                       {"wsse", WSSE "wssecurity-secext-1.0.xsd", nullptr, nullptr});
const Namespace FILES[] = NAMESPACES({"f", "urn:castile:bench:files", nullptr, nullptr});
const Namespace NESTED[] = NAMESPACES({"n", "urn:castile:bench:nested", nullptr, nullptr},
                                      {"pa", "urn:castile:bench:a", nullptr, nullptr},
                                      {"pb", "urn:castile:bench:b", nullptr, nullptr});

bool username = false; // a UsernameToken in each request

const Namespace *table(const std::string &contract) {
    return contract == "nested" ? NESTED : contract == "files" ? FILES : username ? SECURED : BENCH;
}

struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

long long now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// ---- settings ----

bool keep_alive = true;
std::string chunk; // as told; empty: our choice
Form form = Form::Inline;

const std::map<std::string, Form> FORMS{
    {"inline", Form::Inline}, {"mtom", Form::Mtom}, {"mime", Form::Mime}, {"dime", Form::Dime}};

// Sending in chunks needs no pass over the values to count the length first. With a small message it does not pay.
constexpr size_t LARGE = 500;

void choose_mode(soap *ctx, size_t items) {
#ifdef BEST
    const bool chunked = chunk.empty() ? items >= LARGE : chunk != "0";
#else
    const bool chunked = !chunk.empty() && chunk != "0";
#endif
    if (chunked) soap_set_omode(ctx, SOAP_IO_CHUNK);
    else soap_clr_omode(ctx, SOAP_IO_CHUNK);
}

/// The base64 of files weighs as much as so many items; what stands beside the envelope needs no pass to be counted.
size_t items(Form form, const Parts &parts) {
    size_t bytes = 0;
    for (const Part &part : parts) bytes += part.size;
    return form == Form::Inline ? bytes / 64 : 0;
}

soap *context() {
    const soap_mode mode = SOAP_C_UTFSTRING | (keep_alive ? SOAP_IO_KEEPALIVE : 0);
    soap *made = soap_new1(mode);
    made->max_keep_alive = 0; // any number of calls
    made->maxoccurs = 100'000'000; // items of an array: 100,000 by itself
    return made;
}

// ---- UsernameToken ----

constexpr const char *USER = "bench"; // and password

/// The header of each secured request.
SOAP_ENV__Header *secured() {
    static wsse__Password password;
    static wsse__UsernameToken token;
    static wsse__Security security;
    static SOAP_ENV__Header header;
    token.Username = password.__item = USER;
    password.Type = WSSE "username-token-profile-1.0#PasswordText";
    token.Password = &password;
    security.UsernameToken = &token;
    header.wsse__Security = &security;
    return &header;
}

/// What gSOAP calls when it has read a header.
int ask_for_token(soap *ctx) {
    const wsse__Security *security = ctx->header ? ctx->header->wsse__Security : nullptr;
    ctx->header = nullptr; // else the reply would have it
    const wsse__UsernameToken *token = security ? security->UsernameToken : nullptr;
    const bool known = token && token->Username == USER && token->Password && token->Password->__item == USER;
    return known ? SOAP_OK : soap_sender_fault(ctx, "no such user", nullptr);
}

// ---- server ----

b__GoogleSearchResult found; // lives in a context of its own, since servers outlive sets

soap *listener = nullptr;

void serve_connection(soap *ctx) {
    soap_serve(ctx);
    soap_destroy(ctx);
    soap_end(ctx);
    soap_free(ctx);
}

int serve(const std::string &contract) {
    listener = context();
    soap_set_namespaces(listener, table(contract));
    listener->bind_flags = SO_REUSEADDR;
    if (username) listener->fheader = ask_for_token;
    if (!soap_valid_socket(soap_bind(listener, "127.0.0.1", 0, 128))) throw std::runtime_error("cannot bind");
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(listener->master, reinterpret_cast<sockaddr *>(&address), &length);
    std::thread([server = listener] {
        while (soap_valid_socket(soap_accept(server)))
            if (soap *ctx = soap_copy(server)) std::thread(serve_connection, ctx).detach();
    }).detach();
    return ntohs(address.sin_port);
}

void search_result(const Lines &lines) {
    static soap *const store = soap_new1(SOAP_C_UTFSTRING);
    found = b__GoogleSearchResult();
    soap_destroy(store), soap_end(store);
    found.documentFiltering = found.estimateIsExact = false;
    found.estimatedTotalResultsCount = 3220000;
    found.resultElements = soap_new_b__ArrayOfResultElement(store);
    fill(store, lines, *found.resultElements);
    found.searchQuery = "grid computing";
    found.startIndex = 1;
    found.endIndex = static_cast<int>(lines.size());
    found.directoryCategories = soap_new_b__ArrayOfDirectoryCategory(store);
    found.searchTime = 0.194871;
}

// ---- client ----

struct Operation {
    std::string kind, contract;
    std::function<int(soap *, const char *url, void *values)> call;
    std::function<void(std::string &)> dump;
};

int max_results = 1;

void argue(_b__doGoogleSearch &in, void *) {
    in.key = "0000";
    in.q = "grid computing";
    in.start = 0;
    in.maxResults = max_results;
    in.filter = true;
    in.safeSearch = false;
}
template <class In> void argue(In &in, void *values) {
    if constexpr (requires { in.values; }) {
        using Values = decltype(in.values);
        if constexpr (std::is_pointer_v<Values>) in.values = static_cast<Values>(values);
        else in.values = *static_cast<Values *>(values);
    }
}

template <class In, class Out>
Operation operation(const char *kind, const char *contract, int (*call)(soap *, const char *, const char *, In *, Out &)) {
    auto out = std::make_shared<Out>();
    return {kind, contract,
            [out, call](soap *ctx, const char *url, void *values) {
                In in;
                argue(in, values);
                *out = Out();
                const int status = call(ctx, url, "", &in, *out);
                if (status == SOAP_OK) settle(ctx, *out);
                return status;
            },
            [out, name = std::string(kind)](std::string &text) {
                if constexpr (requires { out->count; }) text = std::to_string(out->count) + '\n';
                else if constexpr (requires { out->return_; }) dump(text, name, out->return_);
            }};
}

#define ECHO_AND_SEND(p, X, kind, contract)                                                                           \
    {"echo" #X, operation(kind, contract, soap_call___##p##__echo##X)},                                               \
        {"send" #X, operation(kind, contract, soap_call___##p##__send##X)}
std::map<std::string, Operation> operations{
    {"echoVoid", operation("", "bench", soap_call___b__echoVoid)},
    {"doGoogleSearch", operation("google", "bench", soap_call___b__doGoogleSearch)},
    ECHO_AND_SEND(b, Doubles, "doubles", "bench"),
    ECHO_AND_SEND(b, Ints, "ints", "bench"),
    ECHO_AND_SEND(b, Strings, "strings", "bench"),
    ECHO_AND_SEND(b, Bytes, "bytes", "bench"),
    ECHO_AND_SEND(b, Packed, "packed", "bench"),
    ECHO_AND_SEND(b, Mios, "mios", "bench"),
    ECHO_AND_SEND(b, Events, "events", "bench"),
    ECHO_AND_SEND(b, Attributes, "attributes", "bench"),
    ECHO_AND_SEND(b, ClassAds, "classads", "bench"),
    ECHO_AND_SEND(n, Nested, "nested", "nested"),
    ECHO_AND_SEND(f, Files, "files", "files"),
};

// gSOAP gives all that it sends to this, so the last time it returns is when a message is out.
thread_local long long sent = 0;
int (*send_plainly)(soap *, const char *, size_t) = nullptr;

int send_and_note(soap *ctx, const char *data, size_t bytes) {
    const int status = send_plainly(ctx, data, bytes);
    sent = now();
    return status;
}

// ---- the protocol ----

class Engine {
public:
    std::string answer(std::istringstream &words) {
        std::string command, a, b;
        long n = 0;
        words >> command;
        if (command == "hello") return "ok 1 gSOAP " + std::to_string(GSOAP_VERSION);
        if (command == "load") return words >> a >> b, "ok " + std::to_string(load(a, b));
        if (command == "clear") return clear(), "ok";
        if (command == "set") return words >> a >> b, set(a, b), "ok";
        if (command == "serve") return words >> a, "ok " + std::to_string(serve_contract(a));
        if (command == "stop") return shutdown(listener->master, SHUT_RDWR), "ok";
        if (command == "call") return words >> a >> b >> n, "ok" + call(a, b, n);
        if (command == "dump") return words >> a, "ok " + std::to_string(dump_to(a));
        if (command == "reset") return reset(), "ok";
        throw Unsupported("no command " + command);
    }

private:
    struct Set {
        std::string kind;
        void *values;
        size_t items;
        Parts parts; // of files
        Form form = Form::Inline; // as they are now
    };

    template <class Array> void *array(const Lines &lines, Array *made) { return fill(store, lines, *made), made; }

    size_t load(const std::string &kind, const std::string &path) {
        const Lines lines = lines_of(path);
        void *values = nullptr;
        if (kind == "google") {
            max_results = static_cast<int>(lines.size());
            search = lines;
            return lines.size();
        }
        if (kind == "doubles") values = array(lines, soap_new_b__ArrayOfDouble(store));
        else if (kind == "ints") values = array(lines, soap_new_b__ArrayOfInt(store));
        else if (kind == "strings") values = array(lines, soap_new_b__ArrayOfString(store));
        else if (kind == "mios") values = array(lines, soap_new_b__ArrayOfMio(store));
        else if (kind == "events") values = array(lines, soap_new_b__ArrayOfEvent(store));
        else if (kind == "attributes") values = array(lines, soap_new_b__ArrayOfAttribute(store));
        else if (kind == "classads") values = array(lines, soap_new_b__ArrayOfClassAd(store));
        else if (kind == "files") values = array(lines, soap_new_f__ArrayOfFile(store));
        else if (kind == "nested") values = levels(store, lines);
        else if (kind == "bytes" || kind == "packed") {
            auto *data = soap_new_xsd__base64Binary(store);
            if (kind == "packed") packed(store, lines, *data);
            else Reader(store, lines.empty() ? "" : lines[0])(*data);
            values = data;
        } else throw Unsupported("no " + kind);
        const size_t items = kind == "bytes" && !lines.empty() ? lines[0].size() / 64 : lines.size();
        Parts parts;
        if (kind == "files") parts = parts_of(store, *static_cast<f__ArrayOfFile *>(values));
        sets.push_back({kind, values, items, parts});
        return lines.size();
    }

    void clear() {
        sets.clear();
        search.clear();
        max_results = 1;
        soap_destroy(store);
        soap_end(store);
    }

    void set(const std::string &name, const std::string &value) {
        if (name == "keepalive") keep_alive = value == "on";
        else if (name == "chunk") chunk = value;
        else if (name == "attachments" && FORMS.contains(value)) form = FORMS.at(value);
        else if (name == "security" && (value == "none" || value == "username")) username = value == "username";
        else throw Unsupported("no " + name + "=" + value);
        reset();
    }

    int serve_contract(const std::string &contract) {
        if (contract == "encoded") throw Unsupported("literal only");
        search_result(search);
        return serve(contract);
    }

    std::string call(const std::string &name, const std::string &url, long n) {
        const auto at = operations.find(name);
        if (at == operations.end()) throw Unsupported("no operation " + name);
        const Operation &operation = at->second;
        const bool valued = !operation.kind.empty() && operation.kind != "google";
        if (valued && (sets.empty() || sets[0].kind != operation.kind)) throw std::runtime_error("no " + operation.kind);
        if (!client) client = connect();
        soap_set_namespaces(client, table(operation.contract));
        const bool files = operation.kind == "files";
        if (files) refer_all();
        const Set none{};
        std::string samples;
        for (long i = 0; i < n; i++) {
            const Set &set = valued ? sets[i % sets.size()] : none;
            soap_destroy(client), soap_end(client);
            choose_mode(client, files ? items(form, set.parts) : set.items);
            const long long start = now();
            if (files) attach(client, form, set.parts);
            client->header = username ? secured() : nullptr;
            const int status = operation.call(client, url.c_str(), set.values);
            const long long end = now();
            if (status != SOAP_OK) throw std::runtime_error(reason());
            samples += " " + std::to_string(start) + "," + std::to_string(sent) + "," + std::to_string(end);
        }
        last = &operation;
        return samples;
    }

    /// Has the loaded files hold their bytes or refer to them, as the next call wants it.
    void refer_all() {
        for (Set &set : sets) {
            if (set.form != form) refer(store, form, set.parts, *static_cast<f__ArrayOfFile *>(set.values));
            set.form = form;
        }
    }

    soap *connect() {
        soap *made = context();
        send_plainly = made->fsend;
        made->fsend = send_and_note;
        return made;
    }

    std::string reason() {
        char text[1000];
        soap_sprint_fault(client, text, sizeof text);
        std::string said = text;
        std::replace(said.begin(), said.end(), '\n', ' ');
        return said;
    }

    size_t dump_to(const std::string &path) {
        if (!last) throw std::runtime_error("no call yet");
        std::string text;
        last->dump(text);
        std::ofstream(path) << text;
        return std::count(text.begin(), text.end(), '\n');
    }

    void reset() {
        if (!client) return;
        soap_destroy(client), soap_end(client), soap_free(client);
        client = nullptr;
        last = nullptr;
    }

    soap *store = soap_new1(SOAP_C_UTFSTRING);
    soap *client = nullptr;
    std::vector<Set> sets;
    Lines search;
    const Operation *last = nullptr;
};

} // namespace

Namespace namespaces[] = NAMESPACES({"b", "urn:castile:bench", nullptr, nullptr});

// ---- what soap_serve calls ----

int __b__echoVoid(soap *, _b__echoVoid *, _b__echoVoidResponse &) { return SOAP_OK; }
int __b__doGoogleSearch(soap *ctx, _b__doGoogleSearch *, _b__doGoogleSearchResponse &out) {
    out.return_ = &found;
    choose_mode(ctx, found.resultElements->item.size() * 10);
    return SOAP_OK;
}
#define SERVE(p, X, items)                                                                                            \
    int __##p##__echo##X(soap *ctx, _##p##__echo##X *in, _##p##__echo##X##Response &out) {                            \
        out.return_ = in->values;                                                                                     \
        choose_mode(ctx, items);                                                                                      \
        return SOAP_OK;                                                                                               \
    }                                                                                                                 \
    int __##p##__send##X(soap *ctx, _##p##__send##X *in, _##p##__send##X##Response &out) {                            \
        out.count = static_cast<int>(items);                                                                          \
        choose_mode(ctx, 0);                                                                                          \
        return SOAP_OK;                                                                                               \
    }
SERVE(b, Doubles, size(in->values))
SERVE(b, Ints, size(in->values))
SERVE(b, Strings, size(in->values))
SERVE(b, Bytes, in->values.__size)
SERVE(b, Packed, in->values.__size / 8)
SERVE(b, Mios, size(in->values))
SERVE(b, Events, size(in->values))
SERVE(b, Attributes, size(in->values))
SERVE(b, ClassAds, size(in->values))
SERVE(n, Nested, size(in->values))

int __f__echoFiles(soap *ctx, _f__echoFiles *in, _f__echoFilesResponse &out) {
    const Parts parts = parts_of(ctx, *in->values);
    refer(ctx, form, parts, *in->values);
    attach(ctx, form, parts);
    out.return_ = in->values;
    choose_mode(ctx, items(form, parts));
    return SOAP_OK;
}
int __f__sendFiles(soap *ctx, _f__sendFiles *in, _f__sendFilesResponse &out) {
    attach(ctx, Form::Inline, {});
    out.count = static_cast<int>(size(in->values));
    choose_mode(ctx, 0);
    return SOAP_OK;
}

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    Engine engine;
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
        std::istringstream words(line);
        std::string said;
        try {
            said = engine.answer(words);
        } catch (const Unsupported &why) {
            said = std::string("unsupported ") + why.what();
        } catch (const std::exception &problem) {
            said = std::string("error ") + problem.what();
        }
        std::cout << said << std::endl;
    }
    std::cout << "ok" << std::endl;
    std::quick_exit(0);
}
