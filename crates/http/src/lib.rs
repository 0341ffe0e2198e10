//! HTTP client and server for SOAP messages
