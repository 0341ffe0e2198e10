//! The versions of WS-Addressing and their URIs.

/// A version of WS-Addressing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressingVersion {
    /// The W3C Recommendation of 2006.
    #[default]
    V10,
    /// The member submission of August 2004.
    Submission,
}

impl AddressingVersion {
    const ALL: [AddressingVersion; 2] = [AddressingVersion::V10, AddressingVersion::Submission];

    /// The namespace.
    pub const fn namespace(self) -> &'static str {
        match self {
            AddressingVersion::V10 => "http://www.w3.org/2005/08/addressing",
            AddressingVersion::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing",
        }
    }

    /// The version of this namespace.
    pub fn from_namespace(uri: &str) -> Option<AddressingVersion> {
        Self::ALL.into_iter().find(|v| v.namespace() == uri)
    }

    /// The address that means: back over this connection.
    pub const fn anonymous(self) -> &'static str {
        match self {
            AddressingVersion::V10 => "http://www.w3.org/2005/08/addressing/anonymous",
            AddressingVersion::Submission => {
                "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"
            }
        }
    }

    /// The address that means: nowhere. The submission has none.
    pub(crate) const fn nowhere(self) -> Option<&'static str> {
        match self {
            AddressingVersion::V10 => Some("http://www.w3.org/2005/08/addressing/none"),
            AddressingVersion::Submission => None,
        }
    }

    /// The action of the faults that WS-Addressing itself defines (SOAP Binding, 6).
    pub(crate) const fn fault_action(self) -> &'static str {
        match self {
            AddressingVersion::V10 => "http://www.w3.org/2005/08/addressing/fault",
            AddressingVersion::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing/fault",
        }
    }

    /// The action of the faults that SOAP defines (SOAP Binding, 6), and of those nobody declares.
    pub(crate) const fn soap_fault_action(self) -> &'static str {
        match self {
            AddressingVersion::V10 => "http://www.w3.org/2005/08/addressing/soap/fault",
            AddressingVersion::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing/fault",
        }
    }

    /// Whether a `RelationshipType` says that the message is a reply; none says so too.
    pub(crate) fn is_reply(self, relationship: Option<&str>) -> bool {
        match relationship {
            None => true,
            Some(uri) => match self {
                AddressingVersion::V10 => uri == "http://www.w3.org/2005/08/addressing/reply",
                AddressingVersion::Submission => uri.rsplit(':').next() == Some("Reply"),
            },
        }
    }
}
