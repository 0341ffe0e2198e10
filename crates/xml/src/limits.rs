//! What one document may cost: [`Limits`], and whether it may carry a DTD: [`Doctype`].

/// The most that one document may ask of a [`Reader`](crate::Reader). Reaching one is an error that
/// names the limit, [`Kind::Limit`](crate::Kind::Limit).
///
/// ```
/// use castile_xml::Limits;
/// let limits = Limits { depth_max: 32, ..Limits::default() };
/// assert_eq!(limits.attributes_max, 256);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Elements open at once; the root is depth 1. Default 256.
    pub depth_max: u32,
    /// Attributes of one element, namespace declarations among them. Default 256.
    pub attributes_max: u32,
    /// Bytes of one name as written (prefix, colon and local part), of a processing instruction's
    /// target or of an entity's name. Default 4096.
    pub name_bytes_max: u32,
    /// Namespace declarations in scope at once, shadowed ones among them. Default 1024.
    pub namespaces_max: u32,
    /// Bytes of the whole document. Default 2 GiB.
    pub bytes_max: u64,
    /// Bytes of text that a [`Feed`](crate::Feed) holds for one token, or for one element that is wanted
    /// whole. Default 16 MiB.
    pub window_bytes_max: u64,
    /// Bytes of namespace declarations that all calls of [`capture`](crate::Reader::capture)
    /// together may add to what they cut out, so that a long list of small elements below many
    /// declarations cannot grow without bound. Default 256 MiB.
    pub capture_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth_max: 256,
            attributes_max: 256,
            name_bytes_max: 4096,
            namespaces_max: 1024,
            bytes_max: 2 << 30,
            window_bytes_max: 16 << 20,
            capture_bytes_max: 256 << 20,
        }
    }
}

/// What a reader does with a document type declaration (XML 1.0, 2.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doctype {
    /// Its presence is an error, as SOAP demands (SOAP 1.1, 3; SOAP 1.2 part 1, 5).
    #[default]
    Refuse,
    /// It is passed over: its literals, comments and instructions are recognised, nothing in it is
    /// obeyed. No entity but the five predefined ones is ever expanded, no attribute default is
    /// applied, and nothing external is loaded.
    Skip,
}
