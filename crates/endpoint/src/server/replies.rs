//! Whose replies may be made from whose: [`ReplyKey`].

use castile_contract::Operation;

/// The operation of a reply, and for whom it is. Callers that proved nothing share their replies:
/// what one of them was told, any other could have asked. What a principal was told, or the holder of a
/// certificate, is compared with nothing that another is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReplyKey {
    /// Address of the operation, which stands as long as its service.
    operation: usize,
    principal: Option<Box<str>>,
    certificate: Option<Box<[u8]>>,
}

impl ReplyKey {
    pub(super) fn new(
        operation: &Operation,
        principal: Option<&str>,
        certificate: Option<&[u8]>,
    ) -> ReplyKey {
        ReplyKey {
            operation: std::ptr::from_ref(operation) as usize,
            principal: principal.map(Into::into),
            certificate: certificate.map(Into::into),
        }
    }
}
