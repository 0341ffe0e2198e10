//! The envelope around headers and body.

use std::ops::Range;
use std::sync::Arc;

use castile_message::Version;
use castile_plan::{ComplexId, Field, FieldKind, Plan, TypeId, Types};
use castile_value::{Sink, Slot};
use castile_xml::{Limits, Reader, Token};

use super::learn::{Notes, Prologue};
use super::opening::{Head, Opening};
use super::{DecodeOptions, Decoder, Intake, Next, Start};
use crate::error::{Error, Kind};
use crate::fault::Name;

/// One header block as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderBlock {
    /// The block's element.
    pub name: Name,
    /// Whether a receiver that does not understand it must refuse the message.
    pub must_understand: bool,
    /// Whom it is for: SOAP 1.1 `actor`, SOAP 1.2 `role`; `None` for the ultimate receiver.
    pub role: Option<String>,
    /// SOAP 1.2: whether a node that it is for passes it on even when it does not process it (part 1,
    /// 5.2.4).
    pub relay: bool,
    /// The block as namespace-complete XML.
    pub xml: String,
}

impl HeaderBlock {
    /// Whether the block is for a receiver in these roles, beside `next` and the ultimate receiver,
    /// which every endpoint is (SOAP 1.1, 4.2.2; SOAP 1.2 part 1, 2.2). Nobody is in the role `none`.
    pub fn is_for(&self, roles: &[String]) -> bool {
        const ENDPOINTS: [&str; 4] = [
            "",
            "http://schemas.xmlsoap.org/soap/actor/next",
            "http://www.w3.org/2003/05/soap-envelope/role/next",
            "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
        ];
        const NONE: &str = "http://www.w3.org/2003/05/soap-envelope/role/none";
        let role = self.role.as_deref().unwrap_or_default();
        ENDPOINTS.contains(&role) || (role != NONE && roles.iter().any(|r| r == role))
    }
}

/// A message read up to its first body element: enough to know whom it is for.
pub struct Envelope<'a> {
    pub(super) input: &'a str,
    pub(super) limits: Limits,
    version: Version,
    headers: Vec<HeaderBlock>,
    /// The header blocks that decoding passes over, for they are for somebody else; empty: none.
    elsewhere: Vec<bool>,
    pub(super) place: Place<'a>,
    /// What it begins like, its header blocks apart, when it was read.
    pub(super) like: Option<Arc<Prologue>>,
    /// What the envelope must not have and can be read in spite of.
    pub(super) breach: Option<Error>,
}

/// How far a message was read.
#[expect(
    clippy::large_enum_variant,
    reason = "one a message, and a box would cost more than moving it"
)]
pub(super) enum Place<'a> {
    Read(Body<'a>),
    /// It begins like an earlier one, and nothing was read.
    Known(Arc<Prologue>),
}

/// Where the body is read on.
pub(super) struct Body<'a> {
    pub(super) reader: Reader<'a>,
    /// At the first header block; `None` when there is no header.
    header: Option<Reader<'a>>,
    /// Where the header's content lies.
    pub(super) blocks: Range<usize>,
    pub(super) first: Option<Start<'a>>,
}

impl<'a> Envelope<'a> {
    /// Reads the envelope's head, the headers, and the start tag of the first body element.
    ///
    /// # Errors
    /// Not well-formed, a limit, no SOAP envelope, or one of an unknown version.
    pub fn open(input: &'a str, limits: &Limits) -> Result<Self, Error> {
        let mut open = Opening {
            reader: Reader::with_limits(input, *limits),
            breach: None,
        };
        let version = open.envelope()?;
        let Head {
            headers,
            header,
            blocks,
            first,
        } = open.head(version).map_err(|e| e.within("Envelope"))?;
        Ok(Envelope {
            input,
            limits: *limits,
            version,
            headers,
            elsewhere: Vec::new(),
            place: Place::Read(Body {
                reader: open.reader,
                header,
                blocks,
                first,
            }),
            like: None,
            breach: open.breach,
        })
    }

    /// A message that begins like an earlier one.
    pub(super) fn known(input: &'a str, limits: &Limits, prologue: Arc<Prologue>) -> Self {
        Envelope {
            input,
            limits: *limits,
            version: prologue.version,
            headers: Vec::new(),
            elsewhere: Vec::new(),
            place: Place::Known(prologue),
            like: None,
            breach: None,
        }
    }

    /// Leaves the header blocks that are for none of these roles (see [`HeaderBlock::is_for`]) to
    /// [`Envelope::headers`]: decoding passes them over, whether or not the plan knows them.
    pub fn in_roles(&mut self, roles: &[String]) {
        self.elsewhere = self.headers.iter().map(|block| !block.is_for(roles)).collect();
    }

    /// The version of SOAP.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The header blocks, in order.
    pub fn headers(&self) -> &[HeaderBlock] {
        &self.headers
    }

    /// The name of the first body element; `None` for an empty body.
    pub fn first(&self) -> Option<Name> {
        self.first_name().map(|(namespace, local)| Name {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
        })
    }

    /// The same as namespace and local name, borrowed.
    pub fn first_name(&self) -> Option<(&str, &str)> {
        match &self.place {
            Place::Read(body) => body
                .first
                .map(|start| (body.reader.uri(start.name.ns), start.name.local)),
            Place::Known(prologue) => Some((&prologue.first.namespace, &prologue.first.local)),
        }
    }

    /// Whether the body is a fault.
    pub fn is_fault(&self) -> bool {
        self.first_name() == Some((self.version.namespace(), "Fault"))
    }

    /// Reads the rest of the message: the header blocks that the plan knows into `header`, the
    /// body into `body`. Blocks that the plan does not know are left to [`Envelope::headers`].
    ///
    /// # Errors
    /// Not well-formed, a limit, or not what the plan says; with path, line and column.
    pub fn decode(
        self,
        types: &Types,
        plan: &Plan,
        options: &DecodeOptions,
        header: &mut dyn Sink,
        body: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.decode_all(Intake {
            types,
            plan,
            options,
            header,
            body,
        })
    }

    /// The same.
    pub(super) fn decode_all(mut self, intake: Intake<'_>) -> Result<(), Error> {
        self.refuse_breach(intake.options)?;
        self.decode_noting(intake, None)
    }

    /// The same, and takes notes of it.
    pub(super) fn decode_noting(self, intake: Intake<'_>, notes: Option<Notes>) -> Result<(), Error> {
        let Intake {
            types,
            plan,
            options,
            header,
            body,
        } = intake;
        let version = self.version;
        let elsewhere = self.elsewhere.clone();
        let mut place = self.read()?;
        // What a body refers to may stand in the header.
        let referred = place.header.clone().filter(|_| plan.encoded);
        place.decode_header(&elsewhere, types, plan, options, header)?;
        let mut decoder = Decoder::new(place.reader, types, *options);
        decoder.lesson = notes;
        let read = match plan.encoded {
            true => decoder.encoded_body(plan.body, place.first, referred, body),
            false => decoder.body(plan.body, place.first, body),
        };
        read.map_err(|e| e.within("Body").within("Envelope"))?;
        decoder.rest(version)
    }

    /// What was met first that must not be there, where that counts.
    pub(super) fn refuse_breach(&mut self, options: &DecodeOptions) -> Result<(), Error> {
        self.breach.take().filter(|_| options.strict).map_or(Ok(()), Err)
    }

    /// What of its blocks is for somebody else.
    pub(super) fn elsewhere(&self) -> &[bool] {
        &self.elsewhere
    }

    /// Reads only the header blocks that the plan knows.
    pub(super) fn decode_header(&mut self, intake: &mut Intake<'_>) -> Result<(), Error> {
        let elsewhere = std::mem::take(&mut self.elsewhere);
        match &mut self.place {
            // It has none.
            Place::Known(_) => Ok(()),
            Place::Read(body) => body.decode_header(
                &elsewhere,
                intake.types,
                intake.plan,
                intake.options,
                intake.header,
            ),
        }
    }

    /// Where the body is read on, the message opened if it was not.
    pub(super) fn read(self) -> Result<Body<'a>, Error> {
        match self.place {
            Place::Read(body) => Ok(body),
            Place::Known(_) => Envelope::open(self.input, &self.limits)?.read(),
        }
    }
}

impl Body<'_> {
    /// Reads the header blocks that the plan knows.
    pub(super) fn decode_header(
        &mut self,
        elsewhere: &[bool],
        types: &Types,
        plan: &Plan,
        options: &DecodeOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let reader = self.header.take();
        let Some(reader) = reader.filter(|_| !types.complex(plan.header).fields.is_empty()) else {
            return Ok(());
        };
        let mut decoder = Decoder::new(reader, types, *options);
        if plan.encoded {
            decoder.encoding = Some(Box::default());
        }
        decoder
            .header(plan.header, elsewhere, sink)
            .map_err(|e| e.within("Header").within("Envelope"))
    }
}

impl<'a> Decoder<'a, '_> {
    /// The header blocks that are fields of the type; others, and those for somebody else, are passed over.
    fn header(&mut self, id: ComplexId, elsewhere: &[bool], sink: &mut dyn Sink) -> Result<(), Error> {
        let types = self.types;
        let mut block = 0;
        while let Next::Start(start) = self.child()? {
            let ours = !elsewhere.get(block).copied().unwrap_or(false);
            block += 1;
            let ns = self.ns(start.name.ns);
            let same = |f: &Field| {
                f.kind == FieldKind::Element && *f.wire.local == *start.name.local && Some(f.wire.ns) == ns
            };
            let found = types.complex(id).fields.iter().enumerate().find(|(_, f)| same(f));
            match found.filter(|(_, f)| ours && !matches!(f.ty, TypeId::Unsupported(_))) {
                Some((i, field)) => {
                    let slot = Slot {
                        field: i as u32,
                        many: field.many,
                    };
                    self.element(field, slot, start, sink)
                        .map_err(|e| e.within(&*field.name))?;
                }
                None => self
                    .reader
                    .skip_element()
                    .map_err(|e| Error::xml(e, self.reader.input()))?,
            }
        }
        Ok(())
    }

    fn body(&mut self, id: ComplexId, first: Option<Start<'a>>, sink: &mut dyn Sink) -> Result<(), Error> {
        // Of an empty body the end tag was read already.
        let first = first.map_or(Next::End, Next::Start);
        self.content(id, Some(first), sink, None).map(|_| ())
    }

    /// After the body's end nothing else matters, but it must be well-formed, and strictly no text.
    /// SOAP 1.1, 4 lets elements follow, SOAP 1.2 part 1, 5.1 does not.
    pub(super) fn rest(&mut self, version: Version) -> Result<(), Error> {
        while self.options.strict
            && let Next::Start(start) = self.child().map_err(|e| e.within("Envelope"))?
        {
            if version == Version::Soap12 {
                let why = format!("element {} after the Body", start.name.local);
                return Err(self.bad(Kind::NotSoap, why).within("Envelope"));
            }
            self.reader
                .skip_element()
                .map_err(|e| Error::xml(e, self.reader.input()))?;
        }
        while self.token()? != Token::Eof {}
        Ok(())
    }
}
