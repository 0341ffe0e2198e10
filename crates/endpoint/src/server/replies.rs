//! Whose replies may be made from whose: [`Sharing`].

use castile_contract::Operation;

/// From which earlier replies of an operation a reply may be made, when some of it stayed the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// From those to the same principal, or to the holder of the same certificate; callers that proved
    /// nothing share theirs: what one of them was told, any other could have asked.
    #[default]
    Principal,
    /// From those to anybody: the operation tells all callers the same. One changed reply for a
    /// thousand callers is written once.
    All,
    /// From none: each is written anew, and nothing of it is kept.
    None,
}

/// The operation of a reply, and for whom it is. What is kept for one key is compared with nothing
/// that another is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReplyKey {
    /// Address of the operation, which stands as long as its service.
    operation: usize,
    principal: Option<Box<str>>,
    certificate: Option<Box<[u8]>>,
}

impl ReplyKey {
    /// `None`: the reply is made from no other.
    pub(super) fn new(
        operation: &Operation,
        sharing: Sharing,
        principal: Option<&str>,
        certificate: Option<&[u8]>,
    ) -> Option<ReplyKey> {
        let (principal, certificate) = match sharing {
            Sharing::Principal => (principal, certificate),
            Sharing::All => (None, None),
            Sharing::None => return None,
        };
        Some(ReplyKey {
            operation: std::ptr::from_ref(operation) as usize,
            principal: principal.map(Into::into),
            certificate: certificate.map(Into::into),
        })
    }
}
