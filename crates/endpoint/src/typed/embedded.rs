//! The contract inside a program: [`Embedded`].

use std::sync::{Arc, OnceLock};

use castile_contract::{Bundle, Contract, Loaded, ResolveError, Resolver};

use crate::error::{Error, Guilty, Kind};

/// A contract that was compiled when code was generated from it, with its documents. It is checked
/// and taken into memory when first used.
pub struct Embedded {
    bytes: &'static [u8],
    digest: &'static str,
    bundle: OnceLock<Result<Held, String>>,
}

struct Held {
    contract: Arc<Contract>,
    documents: castile_contract::MemoryResolver,
}

impl Embedded {
    /// The contract in these bytes, as [`Bundle`] writes them; `digest` is what code was generated
    /// with, so that code and contract are of one generation.
    pub const fn new(bytes: &'static [u8], digest: &'static str) -> Self {
        Embedded {
            bytes,
            digest,
            bundle: OnceLock::new(),
        }
    }

    /// The contract.
    ///
    /// # Errors
    /// The bytes are damaged, of another version of Castile, or not those that the code was generated
    /// with: generate again.
    pub fn contract(&self) -> Result<Arc<Contract>, Error> {
        Ok(self.held()?.contract.clone())
    }

    fn held(&self) -> Result<&Held, Error> {
        let held = self.bundle.get_or_init(|| self.read());
        held.as_ref().map_err(|why| {
            let text = format!("the embedded contract cannot be used: {why}; generate the code again");
            Error::new(Kind::Contract, Guilty::Caller, text)
        })
    }

    fn read(&self) -> Result<Held, String> {
        if Bundle::digest(self.bytes) != self.digest {
            return Err("it is not the one that the code was generated with".into());
        }
        let bundle = Bundle::read(self.bytes).map_err(|e| e.to_string())?;
        let contract = bundle.contract().map_err(|e| e.to_string())?;
        Ok(Held {
            contract: Arc::new(contract),
            documents: bundle.into_documents(),
        })
    }
}

/// Gives the embedded documents, for a server that shows its WSDL.
impl Resolver for Embedded {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        let held = self.held().map_err(|e| ResolveError(e.to_string()))?;
        held.documents.load(location)
    }
}
