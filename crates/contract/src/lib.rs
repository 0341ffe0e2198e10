//! WSDL 1.1 and XML Schema 1.0 to a [`Contract`]: services, operations, and one compiled
//! [`Plan`](castile_plan::Plan) a message over one sealed table of types.
//!
//! A contract is loaded once and then only read. What it cannot do, or what is broken in it, is an
//! error where it is used, not where it stands: the other operations work.
//!
//! ```text
//!  location --Resolver, Catalog--> documents --> trees --> schema components --> Types
//!                                                   |                              |
//!                                                   +--> WSDL components --> Contract, Plans
//! ```
//!
//! Not here: WSDL 2.0, XSD 1.1, validation of schemas against the rules of XSD, the network (a
//! [`Resolver`] brings documents). Only the module [`files`] touches the disk, because loading
//! documents and keeping compiled ones is what it is for.
//!
//! ```
//! use castile_contract::{Contract, MemoryResolver, Options};
//!
//! # fn main() -> Result<(), castile_contract::Error> {
//! let wsdl = r#"<definitions name="Calc" targetNamespace="urn:calc" xmlns:t="urn:calc"
//!     xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
//!   <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:calc">
//!     <element name="add"><complexType><sequence>
//!       <element name="n" type="double" maxOccurs="unbounded"/></sequence></complexType></element>
//!   </schema></types>
//!   <message name="add"><part name="parameters" element="t:add"/></message>
//!   <portType name="Calc"><operation name="add"><input message="t:add"/></operation></portType>
//!   <binding name="Calc" type="t:Calc">
//!     <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
//!     <operation name="add"><soap:operation soapAction="urn:add"/>
//!       <input><soap:body use="literal"/></input></operation></binding>
//! </definitions>"#;
//! let files = MemoryResolver::new().with("calc.wsdl", wsdl);
//! let contract = Contract::load("calc.wsdl", &files, &Options::default())?;
//! let add = contract.operation(None, None, "add")?.operation;
//! let plan = add.input.as_ref().expect("no unsupported construct");
//! let arguments = plan.arguments(&contract.types).expect("wrapped");
//! assert!(contract.types.complex(arguments).fields[0].many);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod bundle;
mod catalog;
mod compile;
mod contract;
mod error;
pub mod files;
mod load;
mod names;
mod near;
mod options;
mod pairs;
mod resolve;
mod stored;
mod tree;
mod warning;
mod wsdl;
mod xsd;

pub use bundle::Bundle;
pub use catalog::Catalog;
pub use contract::{
    Addressing, Binding, BodyStyle, Contract, Document, FaultDecl, Found, HEADER_ANY, Operation, Port,
    PortRef, Protocol, Service,
};
pub use error::{Error, Guilty, Kind, Place, masked};
pub use load::{DocumentKind, Entry};
pub use near::near;
pub use options::{Limits, Options};
pub use resolve::{Loaded, MemoryResolver, ResolveError, Resolver, join};
pub use warning::{Warning, WarningKind};
