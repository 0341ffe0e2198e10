//! SOAP clients and servers: the four flows
