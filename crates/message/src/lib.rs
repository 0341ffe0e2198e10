//! SOAP envelope bytes with marked spans
