//! Engines: what `engine.toml` says ([`definition`]), how they are built ([`build`]), and the running
//! program ([`process`]) with what it uses of the machine ([`usage`]).

pub(crate) mod build;
pub(crate) mod definition;
pub(crate) mod process;
pub(crate) mod sources;
pub(crate) mod usage;

pub(crate) use definition::{Engine, Role};
