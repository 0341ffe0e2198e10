//! Canned replies: a folder with one file an operation, read anew at each call.

use std::path::{Path, PathBuf};

use castile_codec::{DecodeOptions, Envelope, Limits};
use castile_contract::{Contract, Operation};
use castile_endpoint::{Code, Detail, Fault, Name, Trouble, Version};
use castile_plan::{ComplexId, Types};
use castile_value::{Value, ValueSink};

use crate::failure::Failure;
use crate::load;
use crate::values::{Given, typed};

/// The key under which a file of values has a fault instead.
const FAULT_KEY: &str = "@fault";
/// The key under which it has the reply's headers.
const HEADER_KEY: &str = "@header";

/// A folder of replies.
pub(super) struct Replies {
    folder: PathBuf,
}

/// The file of a reply.
enum Reply {
    /// An envelope, or what belongs in its body.
    Xml(PathBuf),
    /// Values.
    Json(PathBuf),
}

/// One reply.
pub(super) enum Canned {
    /// To be sent as it is.
    Envelope(Vec<u8>),
    /// Headers and results, as records.
    Values(Value, Value),
}

impl Replies {
    /// Looks through the folder and tells which files no operation will ever use.
    ///
    /// # Errors
    /// The folder cannot be read, or has two replies of one operation.
    pub(super) fn open(folder: &Path, contract: &Contract) -> Result<Replies, Failure> {
        let entries = std::fs::read_dir(folder).map_err(|e| Failure::file(folder, &e))?;
        let operations = contract.bindings.iter().flat_map(|b| &b.operations);
        let operations: Vec<&str> = operations.map(|o| o.name.as_str()).collect();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let reply = matches!(path.extension().and_then(|e| e.to_str()), Some("xml" | "json"));
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            if reply && !operations.contains(&stem) {
                anstream::eprintln!(
                    "castile: {} is never used: there is no operation {stem}",
                    path.display()
                );
            }
        }
        let replies = Replies {
            folder: folder.to_owned(),
        };
        let wrong = operations.iter().find_map(|name| replies.file(name).err());
        wrong.map_or(Ok(replies), |why| {
            Err(Failure::caller(why).within(folder.display()))
        })
    }

    /// The file of an operation, if there is one.
    ///
    /// # Errors
    /// There are two.
    fn file(&self, operation: &str) -> Result<Option<Reply>, String> {
        // A name of XML has no slash, but a WSDL may be anything.
        if operation.contains(['/', '\\']) || operation.starts_with('.') {
            return Ok(None);
        }
        let [xml, json] = ["xml", "json"].map(|ending| self.folder.join(format!("{operation}.{ending}")));
        match (xml.is_file(), json.is_file()) {
            (true, true) => Err(format!(
                "there are both {operation}.xml and {operation}.json: which is the reply?"
            )),
            (true, false) => Ok(Some(Reply::Xml(xml))),
            (false, true) => Ok(Some(Reply::Json(json))),
            (false, false) => Ok(None),
        }
    }

    /// The reply of an operation; `None` when the folder has no file for it.
    ///
    /// # Errors
    /// A fault that the file holds, or one that says what is wrong with the file.
    pub(super) fn find(
        &self,
        types: &Types,
        operation: &Operation,
        version: Version,
        reply: (ComplexId, ComplexId),
    ) -> Option<Result<Canned, Trouble>> {
        match self.file(&operation.name).transpose()? {
            Ok(Reply::Xml(path)) => Some(envelope(&path, types, operation, version)),
            Ok(Reply::Json(path)) => Some(values(&path, types, operation, reply)),
            Err(why) => Some(Err(broken(&self.folder, &why))),
        }
    }
}

/// What is wrong with a file: the caller hears of it too, since a mock is there to find mistakes.
fn broken(path: &Path, why: &str) -> Trouble {
    Fault::new(
        Code::Receiver,
        format!("the canned reply {} cannot be used: {why}", path.display()),
    )
    .into()
}

fn envelope(path: &Path, types: &Types, operation: &Operation, version: Version) -> Result<Canned, Trouble> {
    let text = load::read_text(path).map_err(|e| broken(path, &e.to_string()))?;
    let text = whole(&text, version);
    let opened = Envelope::open(&text, &Limits::default()).map_err(|e| broken(path, &e.to_string()))?;
    let options = DecodeOptions {
        strict: false,
        ..DecodeOptions::default()
    };
    if opened.is_fault() {
        let fault = opened.decode_fault(types, Some(operation.detail), &options);
        return Err(fault.map_or_else(|e| broken(path, &e.to_string()), Trouble::from));
    }
    // It is sent all the same: a mock may well be wrong on purpose.
    if let Some(plan) = &operation.output {
        let sink = |id: ComplexId| ValueSink::new(types.shape(id).clone());
        let (mut header, mut body) = (sink(plan.header), sink(plan.body));
        if let Err(e) = opened.decode(types, plan, &DecodeOptions::default(), &mut header, &mut body) {
            anstream::eprintln!("castile: {} is not what the contract says: {e}", path.display());
        }
    }
    Ok(Canned::Envelope(text.into_bytes()))
}

/// The text as an envelope of the version: one that is whole already, or the content of a body.
fn whole(text: &str, version: Version) -> String {
    let other = match version {
        Version::Soap11 => Version::Soap12,
        Version::Soap12 => Version::Soap11,
    };
    let mut reader = castile_xml::Reader::new(text);
    let is_envelope = loop {
        match reader.next() {
            Ok(castile_xml::Token::Start { name, .. }) => break name.local == "Envelope",
            Ok(castile_xml::Token::Eof) | Err(_) => break false,
            Ok(_) => {}
        }
    };
    if is_envelope {
        return text.replace(other.namespace(), version.namespace());
    }
    let content = match text
        .trim_start()
        .strip_prefix("<?xml")
        .and_then(|rest| rest.split_once("?>"))
    {
        Some((_, content)) => content,
        None => text,
    };
    let namespace = version.namespace();
    format!(
        "<S:Envelope xmlns:S=\"{namespace}\"><S:Body>{}</S:Body></S:Envelope>",
        content.trim()
    )
}

fn values(
    path: &Path,
    types: &Types,
    operation: &Operation,
    (header, result): (ComplexId, ComplexId),
) -> Result<Canned, Trouble> {
    let wrong = |e: Failure| broken(path, &e.to_string());
    let text = load::read_text(path).map_err(wrong)?;
    let mut given = Given::parse(&text, &path.to_string_lossy()).map_err(wrong)?;
    let mut headers = Given::Null;
    if let Given::Map(fields) = &mut given {
        if let Some((_, fault)) = fields.iter().find(|(name, _)| name == FAULT_KEY) {
            return Err(fault_of(types, operation, fault).map_or_else(wrong, Trouble::from));
        }
        if let Some(at) = fields.iter().position(|(name, _)| name == HEADER_KEY) {
            headers = fields.remove(at).1;
        }
    }
    let headers = typed::arguments(types, header, headers).map_err(wrong)?;
    let result = typed::result(types, result, given).map_err(wrong)?;
    Ok(Canned::Values(headers, result))
}

/// `{"code": "Sender", "reason": "...", "detail": {"NoSuchCity": {...}}}`
fn fault_of(types: &Types, operation: &Operation, given: &Given) -> Result<Fault, Failure> {
    let Given::Map(fields) = given else {
        return Err(Failure::caller(format!("{FAULT_KEY} must be an object")));
    };
    let mut fault = Fault::new(Code::Receiver, "a canned fault");
    for (name, value) in fields {
        match (&**name, value) {
            ("code", Given::Text(code)) => fault = fault.with_code(code),
            ("reason", Given::Text(reason)) => {
                fault = Fault {
                    reasons: Fault::new(Code::Receiver, reason).reasons,
                    ..fault
                }
            }
            ("detail", detail) => fault.detail = details(types, operation.detail, detail)?,
            (name, _) => {
                let why = format!("{FAULT_KEY} has no {name:?}: it has code, reason and detail");
                return Err(Failure::caller(why));
            }
        }
    }
    Ok(fault)
}

fn details(types: &Types, id: ComplexId, given: &Given) -> Result<Vec<Detail>, Failure> {
    let Value::Record(record) = typed::arguments(types, id, given.clone())? else {
        return Ok(Vec::new());
    };
    let fields = types.complex(id).fields.iter().zip(record.into_values());
    let present = fields.filter(|(_, value)| *value != Value::Absent);
    let detail = present.map(|(field, value)| Detail {
        name: Name {
            namespace: types.uri(field.wire.ns).to_owned(),
            local: field.wire.local.to_string(),
        },
        value,
    });
    Ok(detail.collect())
}
