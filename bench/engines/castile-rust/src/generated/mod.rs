//! The variant `generated`: types, clients and service traits that Castile made of the suite's contracts, instead of
//! dynamic values.

mod client;
mod kind;
mod server;

pub(crate) use client::Caller;

castile::include_contract!("bench");
castile::include_contract!("nested");
castile::include_contract!("files");
