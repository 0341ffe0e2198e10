//! Which replies may be made from which: [`Sharing`], [`Sizes`].

use std::sync::atomic::{AtomicU32, Ordering};

use castile_codec::Draft;
use castile_contract::{Contract, Operation};
use castile_diff::{Options, Pieces, Templates};

use super::dispatch::ServiceOptions;
use crate::costs::with_costs;

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

/// The templates of a service.
pub(super) fn templates(options: &ServiceOptions) -> Templates<ReplyKey> {
    let settings = with_costs(&options.differential);
    let pool = || settings.pool.clone().unwrap_or_default();
    Templates::new(Options {
        pool: options.share_arrays.then(pool),
        ..settings
    })
}

/// Makes a reply from the last ones of its key.
///
/// # Errors
/// Those of [`castile_codec::encode`].
pub(super) fn encode(
    templates: &Templates<ReplyKey>,
    key: ReplyKey,
    draft: &Draft<'_>,
) -> Result<Pieces, castile_codec::Error> {
    // What one principal was told is never found by another, not even by the time it takes.
    if key.principal.is_none() && key.certificate.is_none() {
        templates.encode(key, draft)
    } else {
        templates.encode_apart(key, draft)
    }
}

/// A reply smaller than this is written anew sooner than compared.
const SMALL_BYTES: u32 = 512;

/// How large the last reply of each operation was, by the address of the operation.
#[derive(Default)]
pub(super) struct Sizes(Vec<(usize, AtomicU32)>);

impl Sizes {
    pub(super) fn new(contract: &Contract) -> Sizes {
        let operations = contract.bindings.iter().flat_map(|binding| &binding.operations);
        let unknown = |operation| {
            (
                std::ptr::from_ref::<Operation>(operation) as usize,
                AtomicU32::new(u32::MAX),
            )
        };
        let mut sizes: Vec<_> = operations.map(unknown).collect();
        sizes.sort_unstable_by_key(|(address, _)| *address);
        Sizes(sizes)
    }

    fn of(&self, operation: &Operation) -> Option<&AtomicU32> {
        let address = std::ptr::from_ref(operation) as usize;
        let found = self.0.binary_search_by_key(&address, |(address, _)| *address);
        found.ok().and_then(|i| self.0.get(i)).map(|(_, size)| size)
    }

    /// Whether the last reply was so small that the next is best written anew.
    pub(super) fn is_small(&self, operation: &Operation) -> bool {
        self.of(operation)
            .is_some_and(|size| size.load(Ordering::Relaxed) < SMALL_BYTES)
    }

    /// A reply was so large.
    pub(super) fn note(&self, operation: &Operation, bytes: usize) {
        if let Some(size) = self.of(operation) {
            size.store(u32::try_from(bytes).unwrap_or(u32::MAX), Ordering::Relaxed);
        }
    }
}
