// A UsernameToken with a text password (WS-Security 1.1.1), in gSOAP's language of headers: of its own wsse.h as much as
// needs no OpenSSL.
//gsoap wsse schema namespace: http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd
//gsoap wsse schema elementForm: qualified
//gsoap wsse schema attributeForm: unqualified
struct wsse__Password {
    std::string __item;
    @std::string Type;
};
struct wsse__UsernameToken {
    std::string Username;
    struct wsse__Password *Password;
};
struct wsse__Security {
    struct wsse__UsernameToken *UsernameToken;
};
struct SOAP_ENV__Header {
    mustUnderstand struct wsse__Security *wsse__Security;
};
