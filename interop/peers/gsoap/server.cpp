// The gSOAP server of the suite: echoes what it decoded, one thread a connection.
// Prints "READY <port>" once it accepts; ends when its standard input is closed.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "shapes.hpp"
#include "InteropSoap11.nsmap"

namespace {

constexpr soap_mode MODE = SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING | SOAP_XML_TREE;

struct Notice {
    int count = 0;
    std::string text;
    double value = 0;
};

std::mutex notices_lock;
std::map<std::string, Notice> notices;

// A fault with a reason and, where given, a declared detail; the detail's place depends on the version.
int fail(soap *ctx, const std::string &reason, SOAP_ENV__Detail *detail) {
    soap_receiver_fault(ctx, reason.c_str(), nullptr);
    if (detail) {
        if (ctx->version == 2) ctx->fault->SOAP_ENV__Detail = detail;
        else ctx->fault->detail = detail;
    }
    return SOAP_FAULT;
}

void serve_connection(soap *ctx) {
    soap_serve(ctx);
    soap_destroy(ctx);
    soap_end(ctx);
    soap_free(ctx);
}

void leave_when_stdin_closes() {
    while (std::getchar() != EOF) {}
    std::_Exit(0);
}

} // namespace

// wsdl2h declares each operation once a port (name and name_): this defines the second by the first.
#define OPERATION_OF(prefix, name)                                                                  \
    int __##prefix##__##name(soap *ctx, _##prefix##__##name *in, _##prefix##__##name##Response &out); \
    int __##prefix##__##name##_(soap *ctx, _##prefix##__##name *in,                                 \
                                _##prefix##__##name##Response &out) {                               \
        return __##prefix##__##name(ctx, in, out);                                                  \
    }                                                                                               \
    int __##prefix##__##name(soap *ctx, _##prefix##__##name *in, _##prefix##__##name##Response &out)

#define OPERATION(name) OPERATION_OF(i, name)

#define ECHO(name, field)                                                                           \
    OPERATION(name) {                                                                               \
        out.field = in->field;                                                                      \
        return SOAP_OK;                                                                             \
    }

ECHO(echoDoubles, value)
ECHO(echoInts, value)
ECHO(echoStrings, value)
ECHO(echoString, text)
ECHO(echoMios, mio)
ECHO(echoEvents, event)
ECHO(echoPerson, person)
ECHO(echoScalars, scalars)

OPERATION(echoVoid) { return SOAP_OK; }

OPERATION(failDeclared) {
    _i__ServiceFault *fault = soap_new__i__ServiceFault(ctx);
    fault->code = in->code;
    fault->reason = in->reason;
    fault->path = in->path;
    SOAP_ENV__Detail *detail = soap_new_SOAP_ENV__Detail(ctx);
    detail->i__ServiceFault = fault;
    return fail(ctx, in->reason, detail);
}

OPERATION(failUndeclared) { return fail(ctx, in->reason, nullptr); }

OPERATION(useSession) {
    if (!ctx->header || !ctx->header->i__SessionToken)
        return soap_sender_fault(ctx, "a SessionToken header is missing", nullptr);
    _i__SessionState *state = soap_new__i__SessionState(ctx);
    state->token = ctx->header->i__SessionToken->token;
    state->sequence = ctx->header->i__SessionToken->sequence + 1;
    ctx->header->i__SessionToken = nullptr;
    ctx->header->i__SessionState = state;
    out.text = in->text;
    return SOAP_OK;
}

OPERATION(lastNotice) {
    std::lock_guard<std::mutex> held(notices_lock);
    const Notice &notice = notices[in->key];
    out.count = notice.count;
    if (notice.count > 0) {
        out.text = soap_new_std__string(ctx);
        *out.text = notice.text;
        out.value = static_cast<double *>(soap_malloc(ctx, sizeof(double)));
        *out.value = notice.value;
    }
    return SOAP_OK;
}

int __i__notify(soap *ctx, _i__notify *in) {
    {
        std::lock_guard<std::mutex> held(notices_lock);
        Notice &notice = notices[in->key];
        notice.count++;
        notice.text = in->text;
        notice.value = in->value;
    }
    return soap_send_empty_response(ctx, 202);
}

int __i__notify_(soap *ctx, _i__notify *in) { return __i__notify(ctx, in); }

int r__rpcVoid(soap *, r__rpcVoidResponse &) { return SOAP_OK; }

int r__rpcScalars(soap *, int number, double amount, std::string text, r__rpcScalarsResponse &out) {
    out.number = number;
    out.amount = amount;
    out.text = text;
    return SOAP_OK;
}

int r__rpcDoubles(soap *, rt__Doubles *doubles, r__rpcDoublesResponse &out) {
    out.doubles = doubles;
    return SOAP_OK;
}

int r__rpcMios(soap *, rt__Mios *mios, r__rpcMiosResponse &out) {
    out.mios = mios;
    return SOAP_OK;
}

int r__rpcFail(soap *ctx, std::string reason, r__rpcFailResponse &) {
    _rt__RpcFault *fault = soap_new__rt__RpcFault(ctx);
    fault->reason = reason;
    SOAP_ENV__Detail *detail = soap_new_SOAP_ENV__Detail(ctx);
    detail->rt__RpcFault = fault;
    return fail(ctx, fault->reason, detail);
}

OPERATION_OF(s, echoShapes) {
    out.shape = in->shape;
    return SOAP_OK;
}

// Request and reply have unions of their own.
OPERATION_OF(s, echoFigures) {
    neutral::Json figures;
    neutral::write_figures(figures, *in);
    neutral::read_figures(ctx, figures, out);
    return SOAP_OK;
}

OPERATION_OF(s, failShape) {
    SOAP_ENV__Detail *detail = soap_new_SOAP_ENV__Detail(ctx);
    if (!in->shape) {
        detail->s__TextFault = in->text;
        return fail(ctx, "text", detail);
    }
    detail->s__ShapeFault = soap_new__s__ShapeFault(ctx);
    detail->s__ShapeFault->shape = in->shape;
    return fail(ctx, "shape", detail);
}

int __s__echoNumber(soap *, double in, __s__echoNumberResponse &out) {
    out.s__Number = in;
    return SOAP_OK;
}

int __s__echoNumber_(soap *, double in, __s__echoNumberResponse_ &out) {
    out.s__Number = in;
    return SOAP_OK;
}

int __s__echoDrawing(soap *, s__Sheet *in, __s__echoDrawingResponse &out) {
    out.s__Drawing = in;
    return SOAP_OK;
}

int __s__echoDrawing_(soap *, s__Sheet *in, __s__echoDrawingResponse_ &out) {
    out.s__Drawing = in;
    return SOAP_OK;
}

int __e__echoEvery(soap *, _e__echoEvery *in, _e__echoEveryResponse &out) {
    out.every = in->every;
    return SOAP_OK;
}

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    soap *listener = soap_new1(MODE);
    listener->bind_flags = SO_REUSEADDR;
    listener->max_keep_alive = 1000000;
    if (!soap_valid_socket(soap_bind(listener, "127.0.0.1", 0, 100))) {
        soap_print_fault(listener, stderr);
        return 1;
    }
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(listener->master, reinterpret_cast<sockaddr *>(&address), &length);
    std::cout << "READY " << ntohs(address.sin_port) << std::endl;
    std::thread(leave_when_stdin_closes).detach();
    while (soap_valid_socket(soap_accept(listener)))
        if (soap *ctx = soap_copy(listener)) std::thread(serve_connection, ctx).detach();
    soap_print_fault(listener, stderr);
    return 1;
}
