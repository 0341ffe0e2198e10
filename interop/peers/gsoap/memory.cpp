// What gSOAP needs to write and to read an array of structs, in memory: memory [elements] [rounds]
// Prints a line a kind: its name, and the nanoseconds of this thread that an element takes to be written and read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "soapH.h"
#include "InteropSoap11.nsmap"

namespace {

struct Memory {
    std::string bytes;
    size_t at = 0;
};

int send(soap *ctx, const char *data, size_t size) {
    static_cast<Memory *>(ctx->user)->bytes.append(data, size);
    return SOAP_OK;
}

size_t receive(soap *ctx, char *data, size_t size) {
    Memory &memory = *static_cast<Memory *>(ctx->user);
    size = std::min(size, memory.bytes.size() - memory.at);
    std::memcpy(data, memory.bytes.data() + memory.at, size);
    memory.at += size;
    return size;
}

double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Writes a message and reads it again, so often, and checks what came with `same`.
template <class Write, class Read, class Same>
bool measure(const char *name, long elements, long rounds, Write write, Read read, Same same) {
    std::vector<double> writing, reading;
    Memory memory;
    soap *ctx = soap_new1(SOAP_XML_TREE | SOAP_C_UTFSTRING);
    ctx->user = &memory;
    ctx->fsend = send;
    ctx->frecv = receive;
    bool right = true;
    for (long round = 0; right && round < rounds; round++) {
        memory.bytes.clear();
        double start = now();
        right = write(ctx) == SOAP_OK;
        writing.push_back((now() - start) / elements);
        memory.at = 0;
        start = now();
        right = right && read(ctx) == SOAP_OK;
        reading.push_back((now() - start) / elements);
        right = right && same();
        soap_destroy(ctx);
        soap_end(ctx);
    }
    if (!right) soap_print_fault(ctx, stderr);
    soap_free(ctx);
    std::printf("%s %.1f %.1f\n", name, median(writing), median(reading));
    return right;
}

} // namespace

int main(int count, char **words) {
    const long elements = count > 1 ? std::atol(words[1]) : 10000;
    const long rounds = count > 2 ? std::atol(words[2]) : 15;
    std::mt19937_64 chance(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<t__Mio> mios(elements);
    std::vector<t__Event> events(elements);
    _i__echoMios some_mios, read_mios;
    _i__echoEvents some_events, read_events;
    for (auto &mio : mios) {
        mio.x = static_cast<int>(chance()) >> (chance() % 32);
        mio.y = -(mio.x >> 1);
        mio.value = uniform(chance);
        some_mios.mio.push_back(&mio);
    }
    for (auto &event : events) {
        char text[17];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(chance()));
        event.id = static_cast<int>(chance()) >> (chance() % 32);
        event.value = uniform(chance);
        event.text = text;
        some_events.event.push_back(&event);
    }
    const bool good_mios = measure(
        "Mios", elements, rounds, [&](soap *ctx) { return soap_write__i__echoMios(ctx, &some_mios); },
        [&](soap *ctx) {
            read_mios.mio.clear();
            return soap_read__i__echoMios(ctx, &read_mios);
        },
        [&] {
            return std::equal(mios.begin(), mios.end(), read_mios.mio.begin(), read_mios.mio.end(),
                              [](const t__Mio &a, const t__Mio *b) {
                                  return a.x == b->x && a.y == b->y && a.value == b->value;
                              });
        });
    const bool good_events = measure(
        "Events", elements, rounds, [&](soap *ctx) { return soap_write__i__echoEvents(ctx, &some_events); },
        [&](soap *ctx) {
            read_events.event.clear();
            return soap_read__i__echoEvents(ctx, &read_events);
        },
        [&] {
            return std::equal(events.begin(), events.end(), read_events.event.begin(), read_events.event.end(),
                              [](const t__Event &a, const t__Event *b) {
                                  return a.id == b->id && a.value == b->value && a.text == b->text;
                              });
        });
    return good_mios && good_events ? 0 : 1;
}
