//! The two versions of SOAP.

/// A version of SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// SOAP 1.1 (W3C Note, 8 May 2000)
    Soap11,
    /// SOAP 1.2 (W3C Recommendation, 27 April 2007)
    Soap12,
}

impl Version {
    /// The namespace of the envelope.
    pub const fn namespace(self) -> &'static str {
        match self {
            Version::Soap11 => "http://schemas.xmlsoap.org/soap/envelope/",
            Version::Soap12 => "http://www.w3.org/2003/05/soap-envelope",
        }
    }

    /// The version whose envelope is in this namespace.
    pub fn from_namespace(uri: &str) -> Option<Version> {
        [Version::Soap11, Version::Soap12]
            .into_iter()
            .find(|v| v.namespace() == uri)
    }

    /// The media type over HTTP (SOAP 1.1, 6.1; RFC 3902).
    pub const fn media_type(self) -> &'static str {
        match self {
            Version::Soap11 => "text/xml",
            Version::Soap12 => "application/soap+xml",
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Version::Soap11 => "SOAP 1.1",
            Version::Soap12 => "SOAP 1.2",
        })
    }
}
