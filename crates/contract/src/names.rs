//! Namespaces, numbered for one load of a contract.

use std::collections::HashMap;

/// A namespace of a load; [`Names`] has its URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ns(pub(crate) u32);

macro_rules! known {
    ($($name:ident $uri:literal,)*) => {
        /// The namespaces with a number of their own, in the order of the numbers.
        const KNOWN: &[&str] = &[$($uri,)*];
        known!(@number 0; $($name,)*);
    };
    (@number $n:expr; $name:ident, $($rest:ident,)*) => {
        impl Ns {
            pub(crate) const $name: Ns = Ns($n);
        }
        known!(@number $n + 1; $($rest,)*);
    };
    (@number $n:expr;) => {};
}

known! {
    NONE "",
    XSD "http://www.w3.org/2001/XMLSchema",
    XSI "http://www.w3.org/2001/XMLSchema-instance",
    XML "http://www.w3.org/XML/1998/namespace",
    WSDL "http://schemas.xmlsoap.org/wsdl/",
    SOAP11 "http://schemas.xmlsoap.org/wsdl/soap/",
    SOAP12 "http://schemas.xmlsoap.org/wsdl/soap12/",
    HTTP "http://schemas.xmlsoap.org/wsdl/http/",
    MIME "http://schemas.xmlsoap.org/wsdl/mime/",
    ENCODING11 "http://schemas.xmlsoap.org/soap/encoding/",
    ENCODING12 "http://www.w3.org/2003/05/soap-encoding",
    WSDL20 "http://www.w3.org/ns/wsdl",
    ENVELOPE11 "http://schemas.xmlsoap.org/soap/envelope/",
    ENVELOPE12 "http://www.w3.org/2003/05/soap-envelope",
    APACHE "http://xml.apache.org/xml-soap",
}

/// The namespaces of the drafts of XML Schema.
const DRAFTS: [&str; 3] = [
    "http://www.w3.org/1999/XMLSchema",
    "http://www.w3.org/2000/08/XMLSchema",
    "http://www.w3.org/2000/10/XMLSchema",
];

impl Ns {
    /// The namespace of a QName whose prefix is not declared.
    pub(crate) const UNBOUND: Ns = Ns(u32::MAX);
}

/// The namespaces of a load.
#[derive(Debug)]
pub(crate) struct Names {
    /// The namespace of a draft of XML Schema that was met since it was asked for.
    draft: Option<&'static str>,
    uris: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Ns>,
}

impl Names {
    pub(crate) fn new() -> Self {
        let mut names = Names {
            draft: None,
            uris: Vec::new(),
            numbers: HashMap::new(),
        };
        for uri in KNOWN {
            names.number(uri);
        }
        names
    }

    pub(crate) fn number(&mut self, uri: &str) -> Ns {
        if let Some(&ns) = self.numbers.get(uri) {
            return ns;
        }
        // What contracts of those years take from the drafts means the same in the recommendation.
        if let Some(draft) = DRAFTS.iter().find(|draft| **draft == uri) {
            self.draft = Some(draft);
            return Ns::XSD;
        }
        let ns = Ns(u32::try_from(self.uris.len()).unwrap_or(u32::MAX - 1));
        self.uris.push(uri.into());
        self.numbers.insert(uri.into(), ns);
        ns
    }

    /// The namespace of a draft of XML Schema, if one was met since this was asked last.
    pub(crate) fn take_draft(&mut self) -> Option<&'static str> {
        self.draft.take()
    }

    pub(crate) fn find(&self, uri: &str) -> Option<Ns> {
        self.numbers.get(uri).copied()
    }

    pub(crate) fn uri(&self, ns: Ns) -> &str {
        self.uris.get(ns.0 as usize).map_or("", |uri| uri)
    }

    /// `{namespace}local`, or `local` in no namespace.
    pub(crate) fn clark(&self, ns: Ns, local: &str) -> String {
        match self.uri(ns) {
            "" => local.to_owned(),
            uri => format!("{{{uri}}}{local}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_namespaces_have_their_numbers() {
        let names = Names::new();
        assert_eq!(names.uri(Ns::XSD), "http://www.w3.org/2001/XMLSchema");
        assert_eq!(names.uri(Ns::WSDL20), "http://www.w3.org/ns/wsdl");
        assert_eq!(names.clark(Ns::UNBOUND, "a"), "a");
        assert_eq!(names.find("http://schemas.xmlsoap.org/wsdl/"), Some(Ns::WSDL));
    }
}
