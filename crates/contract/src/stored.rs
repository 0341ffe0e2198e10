//! The stored form of a contract: what [`Contract::to_stored`] gives and
//! [`Contract::from_stored`] checks and takes back.

use std::sync::Arc;

use castile_plan::{ComplexId, Plan, Types, decode_stored, encode_stored};
use serde::{Deserialize, Serialize};

use crate::contract::{Binding, Contract, Document, Service};
use crate::error::{Error, Kind, Place};
use crate::warning::Warning;

/// Grows whenever what is stored, or how contracts are compiled, changes. Other versions' stored
/// contracts are not read.
const VERSION: (&str, u32) = (env!("CARGO_PKG_VERSION"), 13);

/// Borrowed from a contract.
#[derive(Serialize)]
struct Written<'c> {
    version: (&'static str, u32),
    name: &'c str,
    types: &'c Types,
    services: &'c [Service],
    bindings: &'c [Binding],
    warnings: &'c [Warning],
    documents: &'c [Document],
    namespaces: &'c [String],
    missing: &'c [String],
    doc: &'c Option<String>,
}

/// The same, owned; the fields are in the same order.
#[derive(Deserialize)]
struct Read {
    version: (String, u32),
    name: String,
    types: Types,
    services: Vec<Service>,
    bindings: Vec<Binding>,
    warnings: Vec<Warning>,
    documents: Vec<Document>,
    namespaces: Vec<String>,
    missing: Vec<String>,
    doc: Option<String>,
}

impl Contract {
    /// The stored form, appended to `out`.
    ///
    /// # Errors
    /// [`Kind::Stored`] if it cannot be had.
    pub fn to_stored(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let written = Written {
            version: VERSION,
            name: &self.name,
            types: &self.types,
            services: &self.services,
            bindings: &self.bindings,
            warnings: &self.warnings,
            documents: &self.documents,
            namespaces: &self.namespaces,
            missing: &self.missing,
            doc: &self.doc,
        };
        encode_stored(&written, out).map_err(|e| unusable(e.to_string()))
    }

    /// The contract of a stored form, every index in it checked.
    ///
    /// # Errors
    /// [`Kind::Stored`] if it is damaged or of another version.
    pub fn from_stored(bytes: &[u8]) -> Result<Self, Error> {
        let read: Read = decode_stored(bytes).map_err(|e| unusable(e.to_string()))?;
        if (read.version.0.as_str(), read.version.1) != VERSION {
            return Err(unusable("it is of another version of Castile"));
        }
        let mut types = read.types;
        types.seal().map_err(|e| unusable(e.to_string()))?;
        let contract = Contract {
            name: read.name,
            types: Arc::new(types),
            services: read.services,
            bindings: read.bindings,
            warnings: read.warnings,
            documents: read.documents,
            namespaces: read.namespaces,
            missing: read.missing,
            doc: read.doc,
        };
        if contract.is_sound() {
            Ok(contract)
        } else {
            Err(unusable("it refers to what it does not hold"))
        }
    }

    /// Whether every index outside the table of types is good; the table checks its own.
    fn is_sound(&self) -> bool {
        let types = &self.types;
        let complex = |id: ComplexId| id.index() < types.complex.len();
        let plan = |plan: &Plan| {
            let namespaces = plan
                .namespaces
                .iter()
                .all(|ns| (ns.0 as usize) < types.namespaces.len());
            namespaces && complex(plan.header) && complex(plan.body)
        };
        let ports = self.services.iter().flat_map(|s| &s.ports);
        let operations = self.bindings.iter().flat_map(|b| &b.operations);
        ports.into_iter().all(|port| port.binding < self.bindings.len())
            && operations.into_iter().all(|operation| {
                let fields = || types.complex(operation.detail).fields.len();
                complex(operation.detail)
                    && operation.input.iter().chain(&operation.output).all(plan)
                    && operation.faults.iter().all(|fault| {
                        fault.id.is_none_or(|id| id.index() < types.elements.len())
                            && fault.field.is_none_or(|field| (field as usize) < fields())
                    })
            })
    }
}

fn unusable(why: impl Into<Box<str>>) -> Error {
    Error::new(Kind::Stored(why.into()), Place::default())
}
