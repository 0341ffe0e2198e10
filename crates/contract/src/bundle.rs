//! A contract with its documents in one piece: what generated code carries.

use serde::{Deserialize, Serialize};

use castile_plan::{decode_stored, encode_stored};

use crate::contract::Contract;
use crate::error::{Error, Kind, Place};
use crate::options::Options;
use crate::resolve::{MemoryResolver, Resolver};

/// A compiled contract and the documents it was compiled from, where a program finds both without
/// a disk or a network. No location in it tells of the machine on which it was made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Bundle {
    stored: Vec<u8>,
    /// Locations, which are those in the contract, and texts.
    documents: Vec<(String, Vec<u8>)>,
}

impl Bundle {
    /// The bundle of a contract; `resolver` must still have its documents.
    ///
    /// # Errors
    /// [`Kind::Load`] for a document that cannot be had.
    pub fn new(contract: &Contract, resolver: &dyn Resolver) -> Result<Bundle, Error> {
        let mut contract = contract.clone();
        let locations: Vec<String> = contract.documents.iter().map(|d| d.location.clone()).collect();
        let mut documents = Vec::with_capacity(locations.len());
        for (document, location) in contract.documents.iter_mut().zip(&locations) {
            let failed = |why: &str| Error::new(Kind::Load(why.into()), Place::document(location));
            let loaded = resolver.load(location).map_err(|e| failed(&e.0))?;
            let text = castile_xml::to_utf8(&loaded.bytes, loaded.charset.as_deref())
                .map_err(|e| failed(&e.to_string()))?;
            document.location = portable(location, &locations);
            documents.push((document.location.clone(), text.into_owned().into_bytes()));
        }
        // They were for whoever made the bundle, and name places on that machine.
        contract.warnings.clear();
        contract.missing.clear();
        let mut stored = Vec::new();
        contract.to_stored(&mut stored)?;
        Ok(Bundle { stored, documents })
    }

    /// The bundle as bytes, appended to `out`.
    ///
    /// # Errors
    /// [`Kind::Stored`] if it cannot be had.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        encode_stored(self, out).map_err(|e| Error::new(Kind::Stored(e.to_string().into()), Place::default()))
    }

    /// The bundle in these bytes.
    ///
    /// # Errors
    /// [`Kind::Stored`] if they are damaged.
    pub fn read(bytes: &[u8]) -> Result<Bundle, Error> {
        decode_stored(bytes).map_err(|e| Error::new(Kind::Stored(e.to_string().into()), Place::default()))
    }

    /// The contract.
    ///
    /// # Errors
    /// [`Kind::Stored`] if it is damaged or of another version.
    pub fn contract(&self) -> Result<Contract, Error> {
        Contract::from_stored(&self.stored)
    }

    /// The contract; compiled anew from its documents where another version compiled it.
    ///
    /// # Errors
    /// [`Kind::Stored`] if it is of another version and its documents alone do not do, as when a
    /// catalog said where they are.
    pub fn contract_or_anew(self) -> Result<Contract, Error> {
        let stale = match self.contract() {
            Ok(contract) => return Ok(contract),
            Err(stale) => stale,
        };
        let Some((entry, _)) = self.documents.first().cloned() else {
            return Err(stale);
        };
        let known = self.documents.len();
        let options = Options {
            offline: true,
            ..Options::default()
        };
        match Contract::load(&*entry, &self.into_documents(), &options) {
            // A catalog may have found documents of which a namespace is all that is said.
            Ok(contract) if contract.missing.is_empty() && contract.documents.len() == known => Ok(contract),
            _ => Err(stale),
        }
    }

    /// Where the first of its documents is, the one that was asked for.
    pub fn entry(&self) -> Option<&str> {
        self.documents.first().map(|(location, _)| &**location)
    }

    /// The documents, by the locations that the contract has.
    pub fn into_documents(self) -> MemoryResolver {
        let documents = self.documents.into_iter();
        documents.fold(MemoryResolver::new(), |all, (location, bytes)| {
            all.with(location, bytes)
        })
    }

    /// A digest of a bundle's bytes, 16 hexadecimal digits: tells bundles apart, guards against nothing.
    pub fn digest(bytes: &[u8]) -> String {
        blake3::hash(bytes).to_hex().chars().take(16).collect()
    }
}

/// A location without what is above all documents that are files; a URL stays.
fn portable(location: &str, all: &[String]) -> String {
    if crate::resolve::is_remote(location) {
        return location.to_owned();
    }
    let folder = |path: &str| path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let files = || all.iter().filter(|l| !crate::resolve::is_remote(l));
    let mut common = &location[..folder(location)];
    while !files().all(|l| l.starts_with(common)) {
        common = &common[..folder(&common[..common.len() - 1])];
    }
    location[common.len()..].replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::{Bundle, portable};
    use crate::{Contract, MemoryResolver, Options};

    #[test]
    fn a_contract_of_another_version_is_compiled_anew() {
        let wsdl = "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' name='N'><import location='../b/i.wsdl'/></definitions>";
        let inner = "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'><service name='S'/></definitions>";
        let files = MemoryResolver::new()
            .with("/x/a/s.wsdl", wsdl)
            .with("/x/b/i.wsdl", inner);
        let contract = Contract::load("/x/a/s.wsdl", &files, &Options::default()).expect("a contract");
        let mut bundle = Bundle::new(&contract, &files).expect("a bundle");
        bundle.stored = b"of long ago".to_vec();
        assert!(bundle.contract().is_err());
        let again = bundle.contract_or_anew().expect("the same contract");
        assert_eq!(again.services, contract.services);
        assert_eq!(again.name, "N");
    }

    #[test]
    fn locations_tell_nothing_of_the_machine() {
        let all = [
            "/x/w/a/s.wsdl".to_owned(),
            "/x/w/b/t.xsd".to_owned(),
            "http://h/x.xsd".to_owned(),
        ];
        let made: Vec<String> = all.iter().map(|l| portable(l, &all)).collect();
        assert_eq!(made, ["a/s.wsdl", "b/t.xsd", "http://h/x.xsd"]);
        assert_eq!(portable("s.wsdl", &["s.wsdl".to_owned()]), "s.wsdl");
        assert_eq!(
            portable("/s.wsdl", &["/s.wsdl".to_owned(), "t.xsd".to_owned()]),
            "/s.wsdl"
        );
    }
}
