//! Contracts kept on disk.

mod common;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use castile_contract::files::{FileResolver, Store};
use castile_contract::{Catalog, Contract, Loaded, Options, ResolveError, Resolver};
use common::wsdl;

/// A folder of its own for each test, with a WSDL that includes a schema.
struct Place {
    root: PathBuf,
    store: Store,
}

impl Place {
    fn new(name: &str) -> Self {
        let root =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("store-{name}-{}", std::process::id()));
        let _gone = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let place = Place {
            store: Store::new(root.join("cache/deep")),
            root,
        };
        place.write("w.wsdl", &wsdl("<xs:include schemaLocation='t.xsd'/>", ""));
        place.write("t.xsd", "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='e' type='xs:int'/></xs:schema>");
        place
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.root.join(name), text).unwrap();
    }

    fn at(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    /// Loads the WSDL; gives how many documents were read to compile it: 0 if it was kept.
    fn load(&self, options: &Options) -> (Contract, bool) {
        let compiled = fs::read_dir(self.root.join("cache/deep")).map_or(0, Iterator::count);
        let before = self.stamps();
        let contract = self
            .store
            .load(&self.at("w.wsdl"), &FileResolver::new(), options)
            .unwrap();
        let kept = compiled > 0 && before == self.stamps();
        (contract, kept)
    }

    /// The kept files with their inode-like identity: a rewritten one has another.
    fn stamps(&self) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let Ok(entries) = fs::read_dir(self.root.join("cache/deep")) else {
            return Vec::new();
        };
        let stamp = |path: PathBuf| {
            (
                path.clone(),
                fs::read(&path).unwrap(),
                fs::metadata(&path).unwrap().modified().unwrap(),
            )
        };
        entries.map(|e| stamp(e.unwrap().path())).collect()
    }

    fn kept_file(&self) -> PathBuf {
        self.stamps()[0].0.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.root);
    }
}

fn element_count(contract: &Contract) -> usize {
    contract.types.elements.len()
}

#[test]
fn a_contract_is_kept_until_a_document_changes() {
    let place = Place::new("changes");
    let options = Options::default();
    let (first, kept) = place.load(&options);
    assert!(!kept);
    let (second, kept) = place.load(&options);
    assert!(kept);
    assert_eq!(element_count(&first), element_count(&second));
    assert_eq!(first.documents, second.documents);
    assert_eq!(second.types.type_label(second.types.elements[0].ty), "xsd:int");
    place.write("t.xsd", "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='e'/><xs:element name='f'/></xs:schema>");
    let (third, kept) = place.load(&options);
    assert!(!kept);
    assert_eq!(element_count(&third), 2);
    assert!(place.load(&options).1);
    // Other catalogs are another contract.
    let mut catalog = Catalog::new();
    catalog.insert("urn:x", "x");
    assert!(
        !place
            .load(&Options {
                catalogs: vec![catalog],
                ..Options::default()
            })
            .1
    );
}

#[test]
fn a_document_that_was_missing_and_comes_is_noticed() {
    let place = Place::new("missing");
    fs::remove_file(place.root.join("t.xsd")).unwrap();
    let (contract, _) = place.load(&Options::default());
    assert_eq!(contract.missing.len(), 1);
    assert!(place.load(&Options::default()).1);
    place.write("t.xsd", "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='e' type='xs:int'/></xs:schema>");
    let (contract, kept) = place.load(&Options::default());
    assert!(!kept && contract.missing.is_empty());
}

#[test]
fn damage_anywhere_only_means_compiling_again() {
    let place = Place::new("damage");
    place.load(&Options::default());
    let file = place.kept_file();
    let good = fs::read(&file).unwrap();
    let step = (good.len() / 150).max(1);
    for at in (0..good.len()).step_by(step) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        fs::write(&file, &bad).unwrap();
        assert_eq!(element_count(&place.load(&Options::default()).0), 1, "byte {at}");
        fs::write(&file, &good[..at]).unwrap();
        assert_eq!(
            element_count(&place.load(&Options::default()).0),
            1,
            "cut at {at}"
        );
    }
}

#[cfg(unix)]
#[test]
fn files_are_private_and_others_are_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("private");
    place.load(&Options::default());
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.kept_file()), 0o600);
    assert_eq!(mode(&place.root.join("cache/deep")), 0o700);
    // Somebody else could have written it.
    fs::set_permissions(place.kept_file(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!place.load(&Options::default()).1);
    assert_eq!(mode(&place.kept_file()), 0o600);
    fs::set_permissions(place.root.join("cache/deep"), fs::Permissions::from_mode(0o777)).unwrap();
    let before = place.stamps();
    assert_eq!(element_count(&place.load(&Options::default()).0), 1);
    assert!(before == place.stamps(), "a folder open to others is left alone");
}

/// Counts what is asked of the network.
struct Remote(AtomicU32);

impl Resolver for Remote {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Loaded {
            bytes: wsdl("", "").into(),
            location: location.into(),
            charset: None,
        })
    }
}

#[test]
fn this_machine_is_always_asked() {
    let place = Place::new("here");
    for (location, always) in [
        ("http://localhost:8080/a?wsdl", true),
        ("http://127.0.0.1:8080/a?wsdl", true),
        ("http://user@[::1]:8080/a?wsdl", true),
        ("http://127.0.0.1.example.org/a?wsdl", false),
        ("http://h/localhost", false),
    ] {
        let remote = Remote(AtomicU32::new(0));
        let load = |options: &Options| place.store.load(location, &remote, options).map(|_| ());
        let options = Options::default();
        load(&options).unwrap();
        load(&options).unwrap();
        let asked = remote.0.load(Ordering::Relaxed);
        assert_eq!(asked, if always { 2 } else { 1 }, "{location}");
        let offline = Options {
            offline: true,
            ..options
        };
        load(&offline).unwrap();
        assert_eq!(remote.0.load(Ordering::Relaxed), asked, "{location}, offline");
    }
}

#[test]
fn the_network_is_asked_by_age_only() {
    let place = Place::new("remote");
    let remote = Remote(AtomicU32::new(0));
    let load = |options: &Options| place.store.load("http://h/w.wsdl", &remote, options).map(|_| ());
    let asked = || remote.0.load(Ordering::Relaxed);
    let options = Options::default();
    load(&options).unwrap();
    load(&options).unwrap();
    assert_eq!(asked(), 1);
    std::thread::sleep(Duration::from_millis(1100));
    load(&Options {
        remote_age_max: Duration::ZERO,
        ..options.clone()
    })
    .unwrap();
    assert_eq!(asked(), 2);
    let offline = Options {
        offline: true,
        remote_age_max: Duration::ZERO,
        ..options
    };
    load(&offline).unwrap();
    assert_eq!(asked(), 2);
    assert!(
        place
            .store
            .load("http://h/other.wsdl", &remote, &offline)
            .is_err()
    );
}
