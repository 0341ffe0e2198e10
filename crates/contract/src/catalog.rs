//! Catalogs: which document stands for a URL or a namespace. See [`Catalog`].

use std::collections::HashMap;

use crate::error::{Error, Kind, Place};
use crate::names::{Names, Ns};
use crate::resolve::{Resolver, join};
use crate::tree::{NodeRef, Tree};

/// Which document stands for a URL, a namespace or a location as contracts write it.
///
/// Made from an OASIS XML catalog (`uri`, `system`, `public`, `rewriteURI`, `rewriteSystem`,
/// `nextCatalog`; `group` and `xml:base` are obeyed) or from lines `url<TAB>file`, of which a first
/// line `url<TAB>file`, empty ones and those that start with `#` are left out. What a catalog names
/// starts at the folder of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    entries: HashMap<String, String>,
    /// Prefix and what replaces it, longest first.
    rewrites: Vec<(String, String)>,
}

const CATALOGS_MAX: usize = 64;

impl Catalog {
    /// Without entries.
    pub fn new() -> Self {
        Catalog::default()
    }

    /// Loads a catalog and the ones it goes on with.
    ///
    /// # Errors
    /// [`Kind::Load`] if one of them cannot be loaded, [`Kind::Xml`] or [`Kind::Catalog`] if one of
    /// them is no catalog.
    pub fn load(location: &str, resolver: &dyn Resolver) -> Result<Self, Error> {
        let mut catalog = Catalog::new();
        let mut waiting = vec![location.to_owned()];
        let mut done: Vec<String> = Vec::new();
        while let Some(location) = waiting.pop() {
            let place = || Place::document(&location);
            if done.contains(&location) {
                continue;
            }
            if done.len() >= CATALOGS_MAX {
                let what = format!("more than {CATALOGS_MAX} catalogs go on with one another");
                return Err(Error::new(Kind::Catalog(what.into()), place()));
            }
            let loaded = resolver
                .load(&location)
                .map_err(|e| Error::new(Kind::Load(e.0.into()), place()))?;
            waiting.extend(catalog.add(&loaded.bytes, &loaded.location)?);
            done.push(location);
        }
        Ok(catalog)
    }

    /// Reads a catalog held in memory; the ones it goes on with are not loaded.
    ///
    /// # Errors
    /// [`Kind::Xml`] or [`Kind::Catalog`] if it is none.
    pub fn parse(bytes: &[u8], location: &str) -> Result<Self, Error> {
        let mut catalog = Catalog::new();
        catalog.add(bytes, location)?;
        Ok(catalog)
    }

    /// Lets `location` stand for `name`. The first entry of a name counts.
    pub fn insert(&mut self, name: impl Into<String>, location: impl Into<String>) {
        self.entries.entry(name.into()).or_insert_with(|| location.into());
    }

    /// The location that stands for `name`: an entry, or the longest prefix that is rewritten.
    pub fn resolve(&self, name: &str) -> Option<String> {
        // Documents moved from http to https without changing; either scheme finds the other's entry.
        let other = match name.split_once("://") {
            Some(("http", rest)) => format!("https://{rest}"),
            Some(("https", rest)) => format!("http://{rest}"),
            _ => String::new(),
        };
        if let Some(location) = self.entries.get(name).or_else(|| self.entries.get(&other)) {
            return Some(location.clone());
        }
        let fits =
            |(prefix, to): &(String, String)| name.strip_prefix(&**prefix).map(|rest| format!("{to}{rest}"));
        self.rewrites.iter().find_map(fits)
    }

    /// Everything in it, in an order of its own that is always the same: what a stored contract
    /// depends on.
    pub(crate) fn fingerprint(&self, add: &mut dyn FnMut(&str)) {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable();
        let rewrites = self.rewrites.iter().map(|(a, b)| (a, b));
        for (name, location) in entries.into_iter().chain(rewrites) {
            add(name);
            add(location);
        }
    }

    /// Adds the entries of a catalog file; gives the catalogs to go on with.
    fn add(&mut self, bytes: &[u8], location: &str) -> Result<Vec<String>, Error> {
        let place = || Place::document(location);
        let not_xml = |e: castile_xml::Error| Error::new(Kind::Xml(e.to_string().into()), place());
        let text = castile_xml::to_utf8(bytes, None).map_err(not_xml)?;
        let mut next = Vec::new();
        if text.trim_start_matches('\u{FEFF}').trim_start().starts_with('<') {
            let mut names = Names::new();
            let tree = Tree::parse(&text, &mut names).map_err(not_xml)?;
            match tree.root() {
                Some(root) if root.local() == "catalog" => self.add_xml(root, location, &mut next),
                root => {
                    let what = format!(
                        "the root element is {}, not catalog",
                        root.map_or("missing", NodeRef::local)
                    );
                    return Err(Error::new(Kind::Catalog(what.into()), place()));
                }
            }
        } else {
            self.add_lines(&text, location)?;
        }
        self.rewrites
            .sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Ok(next)
    }

    fn add_xml(&mut self, node: NodeRef<'_>, base: &str, next: &mut Vec<String>) {
        for child in node.children() {
            let base = match child.foreign("base", |ns| ns == Ns::XML) {
                Some(xml_base) => join(base, xml_base),
                None => base.to_owned(),
            };
            let entry =
                |name: &str, to: &str| Some((child.token(name)?.to_owned(), join(&base, child.token(to)?)));
            let found = match child.local() {
                "uri" => entry("name", "uri"),
                "system" => entry("systemId", "uri"),
                "public" => entry("publicId", "uri"),
                "rewriteURI" => entry("uriStartString", "rewritePrefix"),
                "rewriteSystem" => entry("systemIdStartString", "rewritePrefix"),
                _ => None,
            };
            match (child.local(), found) {
                ("group", _) => self.add_xml(child, &base, next),
                ("nextCatalog", _) => next.extend(child.token("catalog").map(|c| join(&base, c))),
                ("rewriteURI" | "rewriteSystem", Some(found)) => self.rewrites.push(found),
                (_, Some((name, location))) => self.insert(name, location),
                _ => {}
            }
        }
    }

    /// Lines of a URL, a tab and a file. A first line that names its columns may have others beside
    /// `url` (or `urls`, several with spaces between) and `file`; `targetNamespace` is a name too.
    fn add_lines(&mut self, text: &str, base: &str) -> Result<(), Error> {
        let mut columns = Columns {
            urls: 0,
            file: 1,
            namespace: None,
            count: 2,
        };
        for (i, line) in text.lines().enumerate() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let (0, Some(named)) = (i, Columns::named(line)) {
                columns = named;
                continue;
            }
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |at: usize| cells.get(at).copied().filter(|c| !c.is_empty());
            let namespace = columns.namespace.and_then(cell);
            let (Some(file), true) = (cell(columns.file), cells.len() <= columns.count) else {
                return Err(no_line(base, i));
            };
            let urls = cell(columns.urls).map(str::split_ascii_whitespace);
            if urls.is_none() && namespace.is_none() {
                return Err(no_line(base, i));
            }
            for name in urls.into_iter().flatten().chain(namespace) {
                self.insert(name, join(base, file));
            }
        }
        Ok(())
    }
}

/// Which column of a catalog in lines holds what.
struct Columns {
    urls: usize,
    file: usize,
    namespace: Option<usize>,
    count: usize,
}

impl Columns {
    /// The columns that a first line names, if it does.
    fn named(line: &str) -> Option<Columns> {
        let names: Vec<&str> = line.split('\t').collect();
        let at = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        let urls = at("url").or_else(|| at("urls"))?;
        Some(Columns {
            urls,
            file: at("file")?,
            namespace: at("targetNamespace"),
            count: names.len(),
        })
    }
}

fn no_line(base: &str, i: usize) -> Error {
    let place = Place {
        location: base.into(),
        line: i as u32 + 1,
        column: 1,
    };
    let what = "expected url<TAB>file, or the columns that the first line names";
    Error::new(Kind::Catalog(what.into()), place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryResolver;

    const XML: &str = r#"<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
        <uri name="http://h/a.xsd" uri="local/a.xsd"/>
        <group xml:base="deep/"><public publicId="urn:ns" uri="ns.xsd"/></group>
        <rewriteURI uriStartString="http://h/" rewritePrefix="any/"/>
        <rewriteURI uriStartString="http://h/long/" rewritePrefix="longer/"/>
        <nextCatalog catalog="lines.tsv"/></catalog>"#;

    #[test]
    fn both_forms_are_read_and_followed() {
        let lines = "url\tfile\n\n# no\nhttp://g/b.xsd\tb.xsd\n";
        let files = MemoryResolver::new()
            .with("/c/catalog.xml", XML)
            .with("/c/lines.tsv", lines);
        let catalog = Catalog::load("/c/catalog.xml", &files).unwrap();
        let found = |name| catalog.resolve(name);
        assert_eq!(found("http://h/a.xsd").as_deref(), Some("/c/local/a.xsd"));
        assert_eq!(found("urn:ns").as_deref(), Some("/c/deep/ns.xsd"));
        assert_eq!(found("http://h/x.xsd").as_deref(), Some("/c/any/x.xsd"));
        assert_eq!(found("http://h/long/x.xsd").as_deref(), Some("/c/longer/x.xsd"));
        assert_eq!(found("http://g/b.xsd").as_deref(), Some("/c/b.xsd"));
        assert_eq!(found("http://g/c.xsd"), None);
        assert_eq!(found("https://g/b.xsd").as_deref(), Some("/c/b.xsd"));
    }

    #[test]
    fn lines_may_name_their_columns() {
        let lines = "file\ttargetNamespace\turls\nx/a.xsd\turn:a\thttp://h/a http://h/b\nx/c.xsd\turn:c\t\n";
        let catalog = Catalog::parse(lines.as_bytes(), "/c/lines.tsv").unwrap();
        for name in ["urn:a", "http://h/a", "http://h/b"] {
            assert_eq!(catalog.resolve(name).as_deref(), Some("/c/x/a.xsd"), "{name}");
        }
        assert_eq!(catalog.resolve("urn:c").as_deref(), Some("/c/x/c.xsd"));
        let three = Catalog::parse(b"http://h/a\ta.xsd\tmore\n", "/c/lines.tsv");
        assert!(three.unwrap_err().to_string().contains("columns"));
    }

    #[test]
    fn what_is_no_catalog_is_refused() {
        assert!(matches!(
            Catalog::parse(b"a b", "x").unwrap_err().kind(),
            Kind::Catalog(_)
        ));
        assert!(matches!(
            Catalog::parse(b"<a/>", "x").unwrap_err().kind(),
            Kind::Catalog(_)
        ));
        assert!(matches!(
            Catalog::parse(b"<a>", "x").unwrap_err().kind(),
            Kind::Xml(_)
        ));
    }
}
