//! Values to bytes.

mod any;
mod array;
mod attributes;
mod content;
mod dynamic;
mod element;
mod encoded;
mod fault;
mod flat;
mod form;
mod glue;
mod items;
mod keep;
mod kernel;
mod list;
mod order;
mod packed;
mod records;
mod stream;
mod substitute;
mod texts;

use castile_message::{Marks, Unmarked, Version};
use castile_plan::{Complex, ComplexId, Field, FieldKind, Namespace, NsIx, Particle, Plan, TypeId, Types};
use castile_value::{Item, Items, Source, deep};

pub use fault::encode_fault;
pub use flat::{Flat, RowWriter};
pub use keep::{Apart, Keep, Long, Untold, glance};
pub use list::{Batch, Known, List, ListWriter};
pub use stream::{Drain, Stopped};

use crate::error::{Error, Kind};

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Check facets, names, fixed values and the contract's order and counts of elements. Off, only what
    /// cannot be written at all is refused.
    pub strict: bool,
    /// Significant digits of doubles and floats, 1 to 17; `None`: all that are needed to read
    /// back the same bits (paper 004 counts digits as the cheapest way to shorter messages).
    pub digits: Option<u8>,
    /// By the rules of SOAP encoding, write a text that was written before as a reference to where it
    /// stands (SOAP 1.1, 5.2.3). Shorter messages, which some toolkits cannot read.
    pub share_texts: bool,
    /// A message with an array that takes more bytes than this, or with a stream, is refused with
    /// [`Kind::Overlay`](crate::Kind::Overlay) before any stream is asked for a batch, unless it is drained
    /// ([`Draft::encode_drained`]). `None`: whatever it takes is written.
    pub overlay_above: Option<usize>,
    /// Elements open at once, those of the envelope among them. Values that nest deeper are refused: objects that are in
    /// one another would never end. The mirror of [`Limits::depth_max`](crate::Limits::depth_max), with its default.
    pub depth_max: u32,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        EncodeOptions {
            strict: true,
            digits: None,
            share_texts: false,
            overlay_above: None,
            depth_max: castile_xml::Limits::default().depth_max,
        }
    }
}

/// A message to be written: its values, and how.
#[derive(Clone, Copy)]
pub struct Draft<'m> {
    /// The table of the contract's types.
    pub types: &'m Types,
    /// What the message is made of.
    pub plan: &'m Plan,
    /// The version of the envelope.
    pub version: Version,
    /// A record of the plan's header type: its fields are the header blocks.
    pub header: &'m dyn Source,
    /// A record of the plan's body type: its fields are the body elements.
    pub body: &'m dyn Source,
    /// How values are written.
    pub options: &'m EncodeOptions,
}

impl Draft<'_> {
    /// Appends the envelope of the message to `out`.
    ///
    /// # Errors
    /// A value that its type cannot hold, a name that the contract does not have, a required value
    /// that is missing, a construct that is not supported. `out` is as before then.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.write(out, &mut Unmarked, None)
    }

    /// As [`Draft::encode`], and reports the place of every value to `marks`.
    ///
    /// # Errors
    /// Those of [`Draft::encode`].
    pub fn encode_marked<M: Marks>(&self, out: &mut Vec<u8>, marks: &mut M) -> Result<(), Error> {
        self.write(out, marks, None)
    }

    /// As [`Draft::encode`], but offers every array of numbers or flat records, every list of texts or of
    /// records, and every single text to `keep`: `out` gets the message without those that it takes.
    ///
    /// # Errors
    /// Those of [`Draft::encode`].
    pub fn encode_around(&self, out: &mut Vec<u8>, keep: &mut dyn Keep) -> Result<(), Error> {
        self.write(out, &mut Unmarked, Some(keep))
    }

    /// As [`Draft::encode`], but hands the message over portion by portion, so that it is never held
    /// as a whole.
    ///
    /// # Errors
    /// Those of [`Draft::encode`], when portions may have been handed over already; that of a stream;
    /// and [`Kind::Stopped`](crate::Kind::Stopped).
    pub fn encode_drained(&self, drain: &mut dyn Drain) -> Result<(), Error> {
        let mut out = Vec::with_capacity(drain.portion_bytes());
        let mut unmarked = Unmarked;
        let mut encoder = Encoder::new(self.types, self.options, self.version, &mut out, &mut unmarked);
        encoder.drain = Some(drain);
        encoder.message(self.plan, self.header, self.body)?;
        drain.drain(&mut out).map_err(|Stopped| Error::stopped())
    }

    fn write<M: Marks>(
        &self,
        out: &mut Vec<u8>,
        marks: &mut M,
        keep: Option<&mut dyn Keep>,
    ) -> Result<(), Error> {
        let start = out.len();
        let mut encoder = Encoder::new(self.types, self.options, self.version, out, marks);
        if let Some(keep) = keep {
            encoder.keep = Some(keep);
        }
        let result = encoder.message(self.plan, self.header, self.body);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }
}

/// Appends the envelope of a message to `out`: [`Draft::encode`] in one call.
///
/// # Errors
/// Those of [`Draft::encode`].
pub fn encode(
    types: &Types,
    plan: &Plan,
    version: Version,
    header: &dyn Source,
    body: &dyn Source,
    options: &EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let draft = Draft {
        types,
        plan,
        version,
        header,
        body,
        options,
    };
    draft.encode(out)
}

/// The state of one encoding.
pub(crate) struct Encoder<'e, M> {
    types: &'e Types,
    options: &'e EncodeOptions,
    version: Version,
    out: &'e mut Vec<u8>,
    marks: &'e mut M,
    /// What is known of shared objects, when values are written by the rules of SOAP encoding.
    encoding: Option<Box<encoded::Encoding<'e>>>,
    /// Whether a literal message has borrowed the arrays of SOAP encoding.
    borrows: bool,
    /// Who may take arrays over.
    keep: Option<&'e mut dyn Keep>,
    /// Who takes what is written while the rest is.
    drain: Option<&'e mut dyn Drain>,
    /// Without one: bytes of `out` at which encoding gives up.
    overlay_above: usize,
    /// Namespaces declared on open elements, innermost last.
    declared: Vec<NsIx>,
    /// Prefixes made up so far for qualified names in the open start tag.
    qnames: u32,
    /// The next element says its type, whatever is declared there.
    says_type: bool,
    /// Elements of the body or header that are open.
    depth: u32,
}

/// Envelope and Body, or Envelope and Header, around all values.
const ENVELOPE_DEPTH: u32 = 2;

impl<'e, M: Marks> Encoder<'e, M> {
    fn new(
        types: &'e Types,
        options: &'e EncodeOptions,
        version: Version,
        out: &'e mut Vec<u8>,
        marks: &'e mut M,
    ) -> Self {
        Encoder {
            types,
            options,
            version,
            out,
            marks,
            encoding: None,
            borrows: false,
            says_type: false,
            keep: None,
            drain: None,
            overlay_above: options.overlay_above.unwrap_or(usize::MAX),
            declared: Vec::new(),
            qnames: 0,
            depth: 0,
        }
    }

    fn message(&mut self, plan: &Plan, header: &'e dyn Source, body: &'e dyn Source) -> Result<(), Error> {
        if plan.encoded {
            self.encoding = Some(Box::new(encoded::Encoding::new(body, self.version)));
        }
        self.envelope(&plan.namespaces, |encoder| {
            encoder.header(plan.header, header)?;
            encoder.body(plan.body, body)
        })
    }

    fn envelope(
        &mut self,
        namespaces: &[NsIx],
        inside: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?><S:Envelope xmlns:S=\"");
        self.raw(self.version.namespace());
        self.raw("\"");
        if self.encoding.is_some() {
            self.declare_encoding();
        }
        for &ns in namespaces {
            self.declare(ns);
        }
        self.raw(">");
        inside(self).map_err(|e| e.within("Envelope"))?;
        self.raw("</S:Envelope>");
        Ok(())
    }

    fn header(&mut self, id: ComplexId, header: &dyn Source) -> Result<(), Error> {
        let types = self.types;
        let complex = types.complex(id);
        self.refuse_unknown(header, id).map_err(|e| e.within("Header"))?;
        let present =
            |(i, f): (usize, &castile_plan::Field)| !matches!(header.field(i, &f.name), Item::Absent);
        if !complex.fields.iter().enumerate().any(present) {
            return Ok(());
        }
        self.raw("<S:Header>");
        self.content(id, header).map_err(|e| e.within("Header"))?;
        self.raw("</S:Header>");
        Ok(())
    }

    fn body(&mut self, id: ComplexId, body: &dyn Source) -> Result<(), Error> {
        self.refuse_unknown(body, id).map_err(|e| e.within("Body"))?;
        self.raw("<S:Body>");
        self.content(id, body).map_err(|e| e.within("Body"))?;
        self.independent().map_err(|e| e.within("Body"))?;
        self.raw("</S:Body>");
        Ok(())
    }

    /// Writes each of several values; a list among them may be in itself.
    fn each_item<'i>(
        &mut self,
        items: &'i dyn Items,
        mut write: impl FnMut(&mut Self, Item<'i>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        (0..items.len()).try_for_each(|i| {
            let written = match items.item(i) {
                list @ Item::Items(_) => self.inside(|this| write(this, list)),
                item => write(self, item),
            };
            written.map_err(|e| e.within(format!("[{}]", i + 1)))
        })
    }

    /// Whether an element may be opened with so many others in one another in it.
    fn may_nest(&self, levels: u32) -> bool {
        let open = self.depth.saturating_add(ENVELOPE_DEPTH);
        open.saturating_add(levels) < self.options.depth_max
    }

    /// Whether an element may be opened.
    fn refuse_deep(&self) -> Result<(), Error> {
        if self.may_nest(0) {
            return Ok(());
        }
        let most = self.options.depth_max;
        let why = format!("values nest deeper than depth_max = {most}; is there a cycle?");
        Err(Error::caller(Kind::Value, why))
    }

    /// Writes what is in a value that may hold others.
    fn inside(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.refuse_deep()?;
        self.depth += 1;
        let result = deep(|| write(self));
        self.depth -= 1;
        result
    }

    fn refuse_unknown(&self, source: &dyn Source, id: ComplexId) -> Result<(), Error> {
        let Some(name) = source.unknown_name(self.types.shape(id)) else {
            return Ok(());
        };
        Err(unknown_name(self.types, self.types.complex(id), &name))
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn declare(&mut self, ns: NsIx) {
        let Namespace { uri, prefix } = &self.types.namespaces[ns.0 as usize];
        self.raw(" xmlns:");
        self.raw(prefix);
        self.raw("=\"");
        castile_xml::escape_attribute(uri, self.out);
        self.raw("\"");
        self.declared.push(ns);
    }

    /// Declares a namespace in the open start tag, unless it is in scope.
    fn ensure(&mut self, ns: NsIx) {
        if ns != NsIx::NONE && ns != Types::XML && !self.declared.contains(&ns) {
            self.declare(ns);
        }
    }
}

fn unknown_name(types: &Types, complex: &Complex, name: &str) -> Error {
    if let Some((group, how)) = complex
        .fields
        .iter()
        .find_map(|f| Some((f, passes(types, f, name)?)))
    {
        let (label, group) = (&complex.label, known(types, group));
        let why = format!("{label} has {name:?} only in {group}, such as {how}");
        return Error::caller(Kind::UnknownName, why);
    }
    // What takes blocks of any name has a name that is none of XML.
    let fields = complex.fields.iter().filter(|f| !f.name.starts_with('#'));
    let known: Vec<String> = fields.clone().take(12).map(|f| known(types, f)).collect();
    let more = if fields.count() > known.len() { ", ..." } else { "" };
    let known = if known.is_empty() {
        "nothing".into()
    } else {
        known.join(", ")
    };
    Error::caller(
        Kind::UnknownName,
        format!("{} has no {name:?}; it has {known}{more}", complex.label),
    )
}

/// How passes through a repeated group are given, where the group has an element of the name.
fn passes(types: &Types, field: &Field, name: &str) -> Option<String> {
    let (FieldKind::Group, TypeId::Complex(id), true) = (&field.kind, field.ty, field.many) else {
        return None;
    };
    let Complex { fields, content, .. } = types.complex(id);
    fields.iter().find(|member| *member.name == *name)?;
    // Of a choice each pass has one.
    let is_choice = matches!(content.first(), Some(Particle::Choice { .. }));
    let other = fields.iter().find(|member| is_choice && *member.name != *name);
    let second = other.map_or_else(|| "...".to_owned(), |other| format!("{{{:?}: ...}}", other.name));
    Some(format!("{:?}: [{{{name:?}: ...}}, {second}]", field.name))
}

/// A field's name; that of a repeated group with what may stand in a pass through it.
fn known(types: &Types, field: &Field) -> String {
    match (&field.kind, field.ty) {
        (FieldKind::Group, TypeId::Complex(id)) => {
            let members: Vec<&str> = types
                .complex(id)
                .fields
                .iter()
                .take(12)
                .map(|f| &*f.name)
                .collect();
            let what = if field.many {
                "a list of records"
            } else {
                "a record"
            };
            format!("{} ({what} of {})", field.name, members.join(", "))
        }
        _ => field.name.to_string(),
    }
}
