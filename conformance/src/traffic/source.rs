//! Where recorded messages lie, and which WSDLs may describe them.

use std::path::{Path, PathBuf};

use super::files;
use crate::corpus::Corpus;

/// A recorded message.
pub(super) struct Message {
    /// Path within the messages.
    pub(super) label: String,
    /// The collection it belongs to.
    pub(super) collection: String,
    /// What may describe it.
    pub(super) wsdls: Vec<PathBuf>,
    /// The envelope.
    pub(super) text: String,
}

/// Collections and their WSDLs, files or folders of the corpus. Node-soap's cases have each their own.
const COLLECTIONS: &[(&str, &[&str])] = &[
    ("amadeus", &["amadeus/testwsdl.wsdl"]),
    ("axis1-c", &["../messages/axis1-c/wsdls"]),
    (
        "cwmp-freeacs",
        &["cwmp-tr069/cwmp-1-0.xsd", "cwmp-tr069/cwmp-1-2.xsd"],
    ),
    ("ews-viewpoint", &["ews-php/services.wsdl"]),
    ("fedex-active-shipping", &["rubiii-wsdl/fedex_ship.wsdl"]),
    ("ihe", &["ihe-xds"]),
    (
        "netsuite",
        &[
            "node-soap/wsdl/fixedPath/netsuite.wsdl",
            "node-soap/wsdl/strict/Netsuite.wsdl",
        ],
    ),
    ("node-soap-pairs", &[]),
    ("pyvmomi", &["zsi/test/wsdl2py/wsdl/vim.wsdl"]),
    ("salesforce-metaforce", &["salesforce-metaforce"]),
    ("savon-responses", &[]),
    ("strong-soap-pairs", &[]),
    ("waterml-ulmo", &["waterml-ulmo", "waterml-cuahsi"]),
    ("x-road", &["x-road"]),
    ("x-road-meta", &["x-road"]),
];

/// Every envelope of the collections.
pub(super) fn messages(corpus: &Corpus) -> Vec<Message> {
    COLLECTIONS
        .iter()
        .flat_map(|(name, wsdls)| collection(corpus, name, wsdls))
        .collect()
}

fn collection(corpus: &Corpus, name: &str, wsdls: &[&str]) -> Vec<Message> {
    let folder = corpus.path("messages").join(name);
    let shared: Vec<PathBuf> = wsdls
        .iter()
        .map(|part| corpus.path("wsdl").join(part))
        .flat_map(|path| {
            if path.is_dir() {
                wsdls_in(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    let all = files(&folder);
    let envelopes = all.iter().filter_map(|path| {
        let text = envelope(path)?;
        let label = path
            .strip_prefix(corpus.path("messages"))
            .ok()?
            .to_string_lossy()
            .into_owned();
        Some(Message {
            label,
            collection: name.to_owned(),
            wsdls: [own(path, &folder), shared.clone()].concat(),
            text,
        })
    });
    envelopes.collect()
}

/// The WSDL of one case: beside the message, or (Axis C++) named like the test.
fn own(path: &Path, folder: &Path) -> Vec<PathBuf> {
    let beside = path.with_file_name("soap.wsdl");
    if beside.is_file() {
        return vec![beside];
    }
    let file = path
        .file_name()
        .map(|f| f.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = file.split(['.', '_']).next().unwrap_or_default();
    let stem = stem.strip_suffix("Request").unwrap_or(stem);
    let named = folder.join("wsdls").join(format!("{stem}.wsdl"));
    named.is_file().then_some(named).into_iter().collect()
}

fn wsdls_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder);
    // Salesforce's are called .xml.
    found.retain(|path| {
        let kind = path.extension().unwrap_or_default();
        ["wsdl", "xml"].iter().any(|k| kind.eq_ignore_ascii_case(k))
    });
    found
}

/// The envelope that a file is, or has after the lines of HTTP; nothing for files that are something
/// else, such as multipart messages or those that are broken on purpose.
fn envelope(path: &Path) -> Option<String> {
    const KINDS: [&str; 5] = ["xml", "txt", "query", "answer", "out"];
    path.extension()
        .filter(|e| KINDS.iter().any(|kind| e.eq_ignore_ascii_case(kind)))?;
    let bytes = std::fs::read(path).ok()?;
    let start = bytes.iter().position(|b| *b == b'<')?;
    let head = String::from_utf8_lossy(&bytes[..start]).to_ascii_lowercase();
    if head.contains("multipart") {
        return None;
    }
    let charset = head.split("charset=").nth(1).map(|rest| {
        let end = rest.find([';', '\r', '\n', ' ']).unwrap_or(rest.len());
        rest[..end].trim_matches('"').to_owned()
    });
    let text = castile_xml::to_utf8(&bytes[start..], charset.as_deref()).ok()?;
    let mut reader = castile_xml::Reader::new(&text);
    loop {
        match reader.next().ok()? {
            castile_xml::Token::Start { name, .. } if name.local == "Envelope" => break,
            castile_xml::Token::Start { .. } | castile_xml::Token::Eof => return None,
            _ => {}
        }
    }
    reader.skip_element().ok()?;
    // Recordings may go on after the envelope.
    let text = text.get(..reader.position())?;
    // The end of a time is masked.
    Some(text.replace("##TIME##", "Z"))
}
