//! What a caller may set for a load: [`Options`] and its [`Limits`].

use std::time::Duration;

use crate::Catalog;

/// How to load a contract.
#[derive(Clone, Debug)]
pub struct Options {
    /// Asked in order, before anything is loaded.
    pub catalogs: Vec<Catalog>,
    /// What a load may cost.
    pub limits: Limits,
    /// Whether http and https locations that no catalog has are not loaded, and stored contracts
    /// are used however old their documents are.
    pub offline: bool,
    /// How long the documents of a stored contract that came from http and https are taken to be as
    /// they were, without loading them again. A day unless set. Those that came from this machine are always
    /// loaded again: a port here is another program's before long.
    pub remote_age_max: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            catalogs: Vec::new(),
            limits: Limits::default(),
            offline: false,
            remote_age_max: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// The most that a contract may cost. Reaching one is an error that names it, of the whole contract
/// for the first three; a type that reaches one of the last two is unusable, the contract is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Documents, those among them that cannot be loaded. Default 1,000.
    pub documents_max: u32,
    /// Bytes of all documents together. Default 256 MiB.
    pub bytes_max: u64,
    /// Fields and particles of all types together. Default 1,048,576.
    pub table_max: u32,
    /// Particles of one type's content model, with its groups and what it inherits in place.
    /// Default 16,384.
    pub particles_max: u32,
    /// Steps of derivation, of groups in groups, or of simple types in simple types. Default 64.
    pub depth_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            documents_max: 1000,
            bytes_max: 256 << 20,
            table_max: 1 << 20,
            particles_max: 16 << 10,
            depth_max: 64,
        }
    }
}
