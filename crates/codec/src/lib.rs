//! The plain SOAP encoder and decoder: always right
