// Files beside the envelope, as gSOAP's guide has it: with DIME and MTOM data that have an id and a type become parts by
// themselves; with MIME (SwA) the program adds the parts, and the data refer to them.
#pragma once

#include <string>
#include <vector>

#include "soapH.h"

enum class Form { Inline, Mtom, Mime, Dime };

/// A file's bytes, which live where they were read or received.
struct Part {
    unsigned char *bytes;
    int size;
};
using Parts = std::vector<Part>;

/// The bytes of each file. The best build (WITH_NOIDREF) leaves references to MIME's parts to its user.
inline Parts parts_of(soap *ctx, const f__ArrayOfFile &files) {
    Parts parts;
    for (const f__File *file : files.item) {
        const f__Data &data = *file->data;
        Part part{data.__item.__ptr, data.__item.__size};
        if (data.href && !part.size)
            for (const soap_multipart &content : ctx->mime)
                if (content.id && !soap_match_cid(ctx, data.href->c_str(), content.id))
                    part = {(unsigned char *)content.ptr, static_cast<int>(content.size)};
        parts.push_back(part);
    }
    return parts;
}

/// Has the files hold their bytes, or refer to them, as the form wants it. What is added to them lives in `store`.
inline void refer(soap *store, Form form, const Parts &parts, f__ArrayOfFile &files) {
    for (size_t i = 0; i < parts.size(); i++) {
        f__Data &data = *files.item[i]->data;
        data.soap_default(store);
        const std::string reference = "cid:" + std::to_string(i) + "@bench";
        if (form == Form::Mime) {
            data.href = soap_new_xsd__anyURI(store);
            *data.href = reference;
            continue;
        }
        data.__item.__ptr = parts[i].bytes;
        data.__item.__size = parts[i].size;
        if (form == Form::Inline) continue;
        data.__item.id = soap_strdup(store, reference.c_str());
        data.__item.type = soap_strdup(store, "application/octet-stream");
    }
}

/// Has the files that came hold their bytes, wherever these stood.
inline void settle(soap *ctx, _f__echoFilesResponse &came) {
    if (came.return_) refer(ctx, Form::Inline, parts_of(ctx, *came.return_), *came.return_);
}
template <class Out> void settle(soap *, Out &) {}

/// Has the next message of a context go in this form, with these parts.
inline void attach(soap *ctx, Form form, const Parts &parts) {
    soap_clr_dime(ctx);
    soap_clr_mime(ctx);
    soap_clr_omode(ctx, SOAP_ENC_MTOM);
    switch (form) {
    case Form::Inline: return;
    case Form::Mtom: soap_set_omode(ctx, SOAP_ENC_MTOM); [[fallthrough]]; // and DIME, which has it count the parts
    case Form::Dime: return soap_set_dime(ctx);
    case Form::Mime:
        soap_set_mime(ctx, nullptr, nullptr);
        for (size_t i = 0; i < parts.size(); i++) {
            const std::string id = "<" + std::to_string(i) + "@bench>";
            soap_set_mime_attachment(ctx, reinterpret_cast<const char *>(parts[i].bytes), parts[i].size,
                                     SOAP_MIME_BINARY, "application/octet-stream", id.c_str(), nullptr, nullptr);
        }
    }
}
