//! Compiled contracts on disk: [`Store`].

/// Soon.
#[derive(Debug)]
pub struct Store;
