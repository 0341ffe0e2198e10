// gSOAP's server of encoded.wsdl: every operation gives its argument back, shared objects by reference.
// Prints "READY <port>" once it accepts; ends when its standard input is closed.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "EncodedBinding.nsmap"
#include "soapH.h"

#define ECHO(name, type)                                                                            \
    int e__##name(soap *, type *in, e__##name##Response &out) {                                     \
        out._return_ = in;                                                                          \
        return SOAP_OK;                                                                             \
    }

ECHO(encDoubles, ArrayOfDouble)
ECHO(encStrings, ArrayOfString)
ECHO(encMio, t__Mio)
ECHO(encMios, ArrayOfMio)
ECHO(encMatrix, Matrix)
ECHO(encNode, t__Node)
ECHO(encPair, t__Pair)

int e__encText(soap *, std::string in, std::string &out) {
    out = in;
    return SOAP_OK;
}

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    soap *ctx = soap_new1(SOAP_C_UTFSTRING | SOAP_XML_GRAPH);
    ctx->bind_flags = SO_REUSEADDR;
    if (!soap_valid_socket(soap_bind(ctx, "127.0.0.1", 0, 100))) {
        soap_print_fault(ctx, stderr);
        return 1;
    }
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(ctx->master, reinterpret_cast<sockaddr *>(&address), &length);
    std::cout << "READY " << ntohs(address.sin_port) << std::endl;
    std::thread([] {
        while (std::getchar() != EOF) {}
        std::_Exit(0);
    }).detach();
    while (soap_valid_socket(soap_accept(ctx))) {
        soap_serve(ctx);
        soap_destroy(ctx);
        soap_end(ctx);
    }
    soap_print_fault(ctx, stderr);
    return 1;
}
