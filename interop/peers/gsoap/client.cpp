// The gSOAP client of the suite: one JSON call a line on standard input, one JSON answer a line on
// standard output (see ../../README.md for the two forms).
#include <functional>
#include <iostream>
#include <map>

#include "shapes.hpp"
#include "structs.hpp"
#include "InteropSoap11.nsmap"

using neutral::Json;

namespace {

struct Call {
    soap *ctx;
    const char *url;
    const char *action;
    const Json &arguments;
};

// Sets `result` and returns gSOAP's error code.
using Operation = std::function<int(const Call &, Json &result)>;

// A document/literal call: `fill` sets the request, `take` writes the reply.
template <class In, class Out>
Operation document(int (*send)(soap *, const char *, const char *, In *, Out &),
                   std::function<void(soap *, const Json &, In &)> fill,
                   std::function<void(const Out &, Json &)> take) {
    return [=](const Call &call, Json &result) {
        In in;
        Out out;
        in.soap_default(call.ctx);
        out.soap_default(call.ctx);
        fill(call.ctx, call.arguments, in);
        const int error = send(call.ctx, call.url, call.action, &in, out);
        if (error == SOAP_OK) take(out, result);
        return error;
    };
}

#define DOCUMENT_OF(prefix, name, fill, take)                                                       \
    {#name, document<_##prefix##__##name, _##prefix##__##name##Response>(                           \
                soap_call___##prefix##__##name,                                                     \
                [](soap * ctx, const Json &args, _##prefix##__##name &in) {                         \
                    (void)ctx, (void)args, (void)in;                                                \
                    fill;                                                                           \
                },                                                                                  \
                [](const _##prefix##__##name##Response &out, Json &result) {                        \
                    (void)out, (void)result;                                                        \
                    take;                                                                           \
                })}

#define DOCUMENT(name, fill, take) DOCUMENT_OF(i, name, fill, take)

int notify(const Call &call, Json &) {
    _i__notify in;
    in.soap_default(call.ctx);
    neutral::read(call.arguments.at("key"), in.key);
    neutral::read(call.arguments.at("text"), in.text);
    neutral::read(call.arguments.at("value"), in.value);
    if (soap_send___i__notify(call.ctx, call.url, call.action, &in)) return call.ctx->error;
    return soap_recv_empty_response(call.ctx);
}

int rpc_void(const Call &call, Json &) {
    r__rpcVoidResponse out;
    return soap_call_r__rpcVoid(call.ctx, call.url, call.action, out);
}

int rpc_scalars(const Call &call, Json &result) {
    double amount = 0;
    neutral::read(call.arguments.at("amount"), amount);
    r__rpcScalarsResponse out{};
    const int error = soap_call_r__rpcScalars(call.ctx, call.url, call.action, call.arguments.at("number"),
                                              amount, call.arguments.at("text"), out);
    neutral::required(result, "number", out.number);
    neutral::required(result, "amount", out.amount);
    neutral::required(result, "text", out.text);
    return error;
}

int rpc_doubles(const Call &call, Json &result) {
    rt__Doubles *in = soap_new_rt__Doubles(call.ctx);
    neutral::read_all(call.arguments.at("doubles"), "value", in->value);
    r__rpcDoublesResponse out{};
    const int error = soap_call_r__rpcDoubles(call.ctx, call.url, call.action, in, out);
    if (error == SOAP_OK && out.doubles) neutral::repeated(result["doubles"], "value", out.doubles->value);
    return error;
}

int rpc_mios(const Call &call, Json &result) {
    rt__Mios *in = soap_new_rt__Mios(call.ctx);
    for (const Json &item : call.arguments.at("mios").value("mio", Json::array()))
        in->mio.push_back(neutral::read_mio(item, soap_new_rt__Mio(call.ctx)));
    r__rpcMiosResponse out{};
    const int error = soap_call_r__rpcMios(call.ctx, call.url, call.action, in, out);
    if (error == SOAP_OK && out.mios) neutral::repeated(result["mios"], "mio", out.mios->mio);
    return error;
}

int rpc_fail(const Call &call, Json &) {
    r__rpcFailResponse out;
    return soap_call_r__rpcFail(call.ctx, call.url, call.action, call.arguments.at("reason"), out);
}

int number(const Call &call, Json &result) {
    double in = 0;
    neutral::read(call.arguments.at("Number"), in);
    __s__echoNumberResponse out{};
    const int error = soap_call___s__echoNumber(call.ctx, call.url, call.action, in, out);
    neutral::required(result, "Number", out.s__Number);
    return error;
}

int drawing(const Call &call, Json &result) {
    __s__echoDrawingResponse out{};
    s__Sheet *in = neutral::read_sheet(call.ctx, call.arguments);
    const int error = soap_call___s__echoDrawing(call.ctx, call.url, call.action, in, out);
    if (error == SOAP_OK && out.s__Drawing) neutral::write_sheet(result, *out.s__Drawing);
    return error;
}

const std::map<std::string, Operation> operations = {
    DOCUMENT(echoVoid, {}, {}),
    DOCUMENT(echoDoubles, neutral::read_all(args, "value", in.value), neutral::repeated(result, "value", out.value)),
    DOCUMENT(echoInts, neutral::read_all(args, "value", in.value), neutral::repeated(result, "value", out.value)),
    DOCUMENT(echoStrings, neutral::read_all(args, "value", in.value), neutral::repeated(result, "value", out.value)),
    DOCUMENT(echoString, in.text = neutral::pointer<std::string>(ctx, args, "text"),
             neutral::optional(result, "text", out.text)),
    DOCUMENT(echoMios,
             for (const Json &item : args.value("mio", Json::array()))
                 in.mio.push_back(neutral::read_mio(item, soap_new_t__Mio(ctx))),
             neutral::repeated(result, "mio", out.mio)),
    DOCUMENT(echoEvents,
             for (const Json &item : args.value("event", Json::array()))
                 in.event.push_back(neutral::read_event(ctx, item)),
             neutral::repeated(result, "event", out.event)),
    DOCUMENT(echoPerson, in.person = neutral::read_person(ctx, args.at("person")),
             neutral::required(result, "person", *out.person)),
    DOCUMENT(echoScalars, in.scalars = neutral::read_scalars(ctx, args.at("scalars")),
             neutral::required(result, "scalars", *out.scalars)),
    DOCUMENT(failDeclared,
             neutral::read(args.at("code"), in.code); neutral::read(args.at("reason"), in.reason);
             neutral::read_all(args, "path", in.path), {}),
    DOCUMENT(failUndeclared, neutral::read(args.at("reason"), in.reason), {}),
    DOCUMENT(useSession, neutral::read(args.at("text"), in.text), neutral::required(result, "text", out.text)),
    DOCUMENT(lastNotice, neutral::read(args.at("key"), in.key),
             neutral::required(result, "count", out.count); neutral::optional(result, "text", out.text);
             neutral::optional(result, "value", out.value)),
    DOCUMENT_OF(s, echoShapes, neutral::read_shapes(ctx, args, in.shape), neutral::write_shapes(result, out.shape)),
    DOCUMENT_OF(s, echoFigures, neutral::read_figures(ctx, args, in), neutral::write_figures(result, out)),
    DOCUMENT_OF(s, failShape,
                if (args.contains("shape")) in.shape = neutral::read_shape(ctx, args.at("shape"), "Shape");
                in.text = neutral::pointer<std::string>(ctx, args, "text"), {}),
    {"echoNumber", number},
    {"echoDrawing", drawing},
    {"notify", notify},
    {"rpcVoid", rpc_void},
    {"rpcScalars", rpc_scalars},
    {"rpcDoubles", rpc_doubles},
    {"rpcMios", rpc_mios},
    {"rpcFail", rpc_fail},
};

Json fault(soap *ctx) {
    Json j = Json::object();
    soap_set_fault(ctx);
    const char *code = *soap_faultcode(ctx);
    const char *reason = *soap_faultstring(ctx);
    j["code"] = code ? code : "";
    j["reason"] = reason ? reason : "";
    const SOAP_ENV__Detail *detail = ctx->fault->SOAP_ENV__Detail ? ctx->fault->SOAP_ENV__Detail : ctx->fault->detail;
    if (detail && detail->i__ServiceFault) j["detail"] = {{"ServiceFault", neutral::write(*detail->i__ServiceFault)}};
    else if (detail && detail->s__TextFault) j["detail"] = {{"TextFault", {{"TextFault", *detail->s__TextFault}}}};
    else if (detail && detail->s__ShapeFault)
        j["detail"] = {
            {"ShapeFault", {{"shape", neutral::write_shape(*detail->s__ShapeFault->shape, SOAP_TYPE_s__Shape)}}}};
    else if (detail && detail->rt__RpcFault) j["detail"] = {{"RpcFault", {{"reason", detail->rt__RpcFault->reason}}}};
    return j;
}

// The generated table puts SOAP 1.2 first, and gSOAP sends the version that stands there.
// (soap_set_version is of no use: each call starts again from the table.)
std::vector<Namespace> namespace_table(bool soap12) {
    std::vector<Namespace> table;
    for (const Namespace *row = namespaces; row->id; row++) table.push_back(*row);
    table.push_back(Namespace{});
    if (!soap12) {
        std::swap(table[0].ns, table[0].in);
        std::swap(table[1].ns, table[1].in);
    }
    return table;
}

const std::vector<Namespace> table11 = namespace_table(false);
const std::vector<Namespace> table12 = namespace_table(true);

void set_header(soap *ctx, const Json &request) {
    ctx->header = nullptr;
    if (!request.contains("header")) return;
    ctx->header = soap_new_SOAP_ENV__Header(ctx);
    _i__SessionToken *token = soap_new__i__SessionToken(ctx);
    neutral::read(request.at("header").at("token"), token->token);
    neutral::read(request.at("header").at("sequence"), token->sequence);
    ctx->header->i__SessionToken = token;
}

Json answer(soap *ctx, const Json &request) {
    const std::string name = request.at("operation");
    const std::string url = request.at("url");
    const std::string action = request.at("action");
    ctx->error = SOAP_OK; // what the last call left would fail the conversions below
    soap_set_namespaces(ctx, (request.at("version") == "1.2" ? table12 : table11).data());
    set_header(ctx, request);
    Json reply = Json::object();
    Json result = Json::object();
    const int error = operations.at(name)({ctx, url.c_str(), action.c_str(), request.at("arguments")}, result);
    if (error == SOAP_OK) {
        reply["result"] = result;
        if (ctx->header && ctx->header->i__SessionState)
            reply["header"] = neutral::write_session(*ctx->header->i__SessionState);
    } else if (error == SOAP_FAULT || soap_soap_error_check(error)) {
        reply["fault"] = fault(ctx);
    } else {
        reply["error"] = fault(ctx);
    }
    return reply;
}

} // namespace

int main() {
    soap *ctx = soap_new1(SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING | SOAP_XML_TREE);
    ctx->connect_timeout = ctx->send_timeout = ctx->recv_timeout = 20;
    std::string line;
    while (std::getline(std::cin, line)) {
        Json reply;
        try {
            reply = answer(ctx, Json::parse(line));
        } catch (const std::exception &problem) {
            reply = {{"error", {{"reason", problem.what()}}}};
        }
        std::cout << reply.dump(-1, ' ', true, Json::error_handler_t::replace) << std::endl;
        soap_destroy(ctx);
        soap_end(ctx);
    }
    soap_free(ctx);
    return 0;
}
