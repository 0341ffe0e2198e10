// How long a call takes from this client: latency URL [operation] [elements] [calls] [warm-up calls]
// operation: echoVoid or echoDoubles. One connection, kept alive; prints one JSON object.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "soapH.h"
#include "InteropSoap11.nsmap"

namespace {

using Clock = std::chrono::steady_clock;

struct Task {
    std::string url;
    _i__echoDoubles doubles; // empty: echoVoid
};

bool call(soap *ctx, Task &task) {
    bool right = false;
    if (task.doubles.value.empty()) {
        _i__echoVoid in;
        _i__echoVoidResponse out;
        right = soap_call___i__echoVoid(ctx, task.url.c_str(), "", &in, out) == SOAP_OK;
    } else {
        _i__echoDoublesResponse out;
        right = soap_call___i__echoDoubles(ctx, task.url.c_str(), "", &task.doubles, out) == SOAP_OK &&
                out.value == task.doubles.value;
    }
    if (!right) soap_print_fault(ctx, stderr);
    soap_destroy(ctx);
    soap_end(ctx);
    return right;
}

long argument(int count, char **words, int index, long otherwise) {
    return count > index ? std::atol(words[index]) : otherwise;
}

} // namespace

int main(int count, char **words) {
    if (count < 2) {
        std::cerr << "usage: latency URL [echoVoid|echoDoubles] [elements] [calls] [warm-up calls]\n";
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    Task task{words[1], {}};
    const std::string operation = count > 2 ? words[2] : "echoVoid";
    const long elements = operation == "echoDoubles" ? argument(count, words, 3, 1000) : 0;
    const long calls = argument(count, words, 4, 20000);
    const long warm_up = argument(count, words, 5, calls / 10);

    std::mt19937_64 chance(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (long i = 0; i < elements; i++) task.doubles.value.push_back(uniform(chance));

    soap *ctx = soap_new1(SOAP_IO_KEEPALIVE | SOAP_XML_TREE | SOAP_C_UTFSTRING);
    std::vector<double> micros;
    for (long i = 0; i < warm_up + calls; i++) {
        const auto start = Clock::now();
        if (!call(ctx, task)) return 1;
        if (i >= warm_up) micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::sort(micros.begin(), micros.end());
    std::cout << "{\"operation\": \"" << operation << "\", \"elements\": " << elements << ", \"calls\": " << calls
              << ", \"median_us\": " << micros[micros.size() / 2] << ", \"p99_us\": " << micros[micros.size() * 99 / 100]
              << "}\n";
    soap_free(ctx);
    return 0;
}
