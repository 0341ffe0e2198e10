//! References and what they refer to.
//!
//! Simple values and objects with one reference are read where the reference stands. Objects with
//! several get a number; they wait until the tree is read and are read once, one after another, so
//! that neither a long chain nor a cycle takes stack, and shared objects are never multiplied.

use std::collections::{HashMap, VecDeque};

use castile_plan::{Field, TypeId};
use castile_value::{Sink, Slot, deep};
use castile_xml::Reader;

use super::super::{Decoder, Next, Start};
use super::Own;
use super::scan::reference;
use crate::error::{Error, Kind};

/// What is known of the ids of a message.
#[derive(Default)]
pub(in super::super) struct Encoding<'a> {
    /// Numbers of targets by id.
    pub(super) ids: HashMap<Box<str>, usize>,
    /// Numbers of targets by the place of their start tag.
    pub(super) starts: HashMap<usize, usize>,
    pub(super) targets: Vec<Target>,
    pub(super) scopes: Vec<Scope<'a>>,
    /// The scope that was entered last, as a reader.
    entered: Option<(usize, Box<Reader<'a>>)>,
    /// Objects still to be read, with the field that they were first referred to by.
    waiting: VecDeque<(usize, Field)>,
    /// Numbers given to objects so far.
    numbers: u32,
    /// Open elements above the ones that the reader counts.
    below: u32,
    /// Bytes that were read again, for another reference or to count what is in them.
    repeated_bytes: usize,
    /// Where the last look ahead ended.
    looked_to: usize,
    /// Nils that stand for items of arrays that were not transmitted.
    pub(super) gaps: usize,
    /// An object is copied to each of its places.
    pub(super) copied: bool,
}

/// What namespaces mean around an element.
pub(super) enum Scope<'a> {
    /// What they mean to this reader.
    Reader(Box<Reader<'a>>),
    /// What they mean in the element at a place, which is in another scope.
    Within(usize, usize),
}

/// An element with an id.
pub(super) struct Target {
    /// Offset of its `<`.
    pub(super) at: usize,
    /// Offset of its end tag; 0 if it has none.
    pub(super) end: usize,
    scope: usize,
    /// How often it is referred to, and where it stands if that is a place of the tree.
    pub(super) uses: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unread,
    /// It has this number, and waits.
    Waiting(u32),
    /// It has this number and is read, or being read.
    Read(u32),
}

/// References that are followed on the spot go as deep as this, elements counted.
const BELOW_MAX: u32 = 60;

/// Bytes that may be read more than once: what references can make of one message's texts, and arrays in
/// arrays that do not say their sizes.
const REPEATED_BYTES_MAX: usize = 16 << 20;

impl Target {
    pub(super) fn new(at: usize, scope: usize, independent: bool) -> Target {
        Target {
            at,
            end: 0,
            scope,
            uses: u32::from(!independent),
            state: State::Unread,
        }
    }
}

impl<'a> Decoder<'a, '_> {
    /// How deep the elements are from which references led here.
    pub(super) fn below(&self) -> u32 {
        self.encoding.as_ref().map_or(0, |encoding| encoding.below)
    }

    /// The id that the element at hand refers to.
    pub(super) fn refers_to(&self) -> Result<Option<String>, Error> {
        let mut attributes = self.reader.attributes().iter();
        Ok(attributes
            .find_map(|a| reference(&self.reader, a))
            .map(str::to_owned))
    }

    /// The target that the element at hand is, if it is referred to from elsewhere.
    pub(super) fn shared_here(&self, start: Start<'a>) -> Option<usize> {
        let encoding = self.encoding.as_ref()?;
        let &number = encoding.starts.get(&start.at)?;
        encoding
            .targets
            .get(number)
            .filter(|t| t.uses > 1)
            .map(|_| number)
    }

    /// Reads an element that is a reference, after its start tag.
    pub(super) fn follow(
        &mut self,
        id: &str,
        field: &Field,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let number = self.referred(id)?;
        match self.target(number).map(|t| t.state) {
            Some(State::Waiting(object) | State::Read(object)) => self.refer(object, slot, sink),
            _ => self.first_use(number, field, slot, sink),
        }
    }

    /// The target that the element at hand refers to by `id`, after its start tag; goes through its end tag.
    fn referred(&mut self, id: &str) -> Result<usize, Error> {
        let at = self.reader.token_start();
        let (text, _) = self.text()?;
        if !text.trim().is_empty() {
            return Err(self.bad_at(Kind::Unexpected, at, "an element that is a reference has content"));
        }
        let found = self.encoding.as_ref().and_then(|e| e.ids.get(id).copied());
        found.ok_or_else(|| self.bad_at(Kind::MissingId, at, format!("no element has the id {id:?}")))
    }

    /// Goes to what the element at hand refers to, if it is a reference, and to what that refers to.
    pub(super) fn go_where_it_refers(&mut self) -> Result<(), Error> {
        let mut hops = self.below() + self.reader.depth();
        while let Some(id) = self.refers_to()? {
            hops += 1;
            if hops > BELOW_MAX {
                return Err(self.too_far());
            }
            let number = self.referred(&id)?;
            self.jump(number)?;
        }
        Ok(())
    }

    fn too_far(&self) -> Error {
        self.bad(Kind::Limit, "limit: references refer to references")
    }

    /// Reads what the element at hand refers to by `id`, after its start tag, in its place.
    pub(super) fn in_place(
        &mut self,
        id: &str,
        read: impl FnOnce(&mut Self, Start<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let number = self.referred(id)?;
        if self.below() + self.reader.depth() > BELOW_MAX {
            return Err(self.too_far());
        }
        let back = self.reader.clone();
        let start = self.jump(number)?;
        self.there(number, back, |decoder| read(decoder, start))
    }

    /// Reads the target that was just jumped to, and goes back.
    fn there(
        &mut self,
        number: usize,
        back: Reader<'a>,
        read: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let depth = self.below() + back.depth();
        let from = self.reader.position();
        let below = std::mem::replace(&mut self.encoding_mut()?.below, depth);
        let read = deep(|| read(self));
        let bytes = self.reader.position().saturating_sub(from);
        self.go_on_with(back);
        read?;
        self.encoding_mut()?.below = below;
        match self.target(number).is_some_and(|t| t.uses < 2) {
            true => Ok(()),
            false => self.count_repeated(bytes),
        }
    }

    /// Whether shared objects are copied: the sink cannot take them, or nobody would have them.
    fn copies(&self, sink: &mut dyn Sink) -> bool {
        self.encoding.as_ref().is_some_and(|encoding| encoding.copied) || sink.graph().is_none()
    }

    fn target(&mut self, number: usize) -> Option<&mut Target> {
        self.encoding.as_mut()?.targets.get_mut(number)
    }

    /// The first reference to an object, or one to a simple value.
    fn first_use(
        &mut self,
        number: usize,
        field: &Field,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let depth = self.below() + self.reader.depth();
        let back = self.reader.clone();
        let start = self.jump(number)?;
        let single = self.target(number).is_some_and(|t| t.uses < 2);
        let simple = self.is_simple(field.ty)?;
        // Who cannot take shared objects gets a copy in each place.
        let copied = self.copies(sink);
        if simple || copied || single && depth <= BELOW_MAX {
            return self.there(number, back, |decoder| match decoder.refers_to()? {
                Some(id) if depth <= BELOW_MAX => decoder.follow(&id, field, slot, sink),
                Some(_) => Err(decoder.too_far()),
                None => decoder.encoded_value(field, slot, start, sink),
            });
        }
        self.go_on_with(back);
        let object = self.number(number, State::Waiting)?;
        let encoding = self.encoding_mut()?;
        encoding.waiting.push_back((
            number,
            Field {
                many: false,
                ..field.clone()
            },
        ));
        self.refer(object, slot, sink)
    }

    /// Items of the array at hand, after its start tag.
    pub(super) fn count_items(&mut self) -> Result<usize, Error> {
        let back = self.reader.clone();
        let mut count = 0;
        while let Next::Start(_) = self.child()? {
            self.skip()?;
            count += 1;
        }
        self.looked(back.position(), self.reader.position())?;
        self.go_on_with(back);
        Ok(count)
    }

    /// Counts bytes that were looked through before they are read, if they were so before: arrays in arrays
    /// could make much of that.
    pub(super) fn looked(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let encoding = self.encoding_mut()?;
        let again = encoding.looked_to.min(to).saturating_sub(from);
        encoding.looked_to = encoding.looked_to.max(to);
        self.count_repeated(again)
    }

    fn count_repeated(&mut self, bytes: usize) -> Result<(), Error> {
        let encoding = self.encoding_mut()?;
        encoding.repeated_bytes += bytes;
        if encoding.repeated_bytes > REPEATED_BYTES_MAX {
            let why =
                format!("limit: references and arrays in arrays repeat more than {REPEATED_BYTES_MAX} bytes");
            return Err(self.bad(Kind::Limit, why));
        }
        Ok(())
    }

    /// Gives an object its number.
    fn number(&mut self, target: usize, state: impl Fn(u32) -> State) -> Result<u32, Error> {
        let encoding = self.encoding_mut()?;
        let object = encoding.numbers;
        encoding.numbers += 1;
        if let Some(target) = encoding.targets.get_mut(target) {
            target.state = state(object);
        }
        Ok(object)
    }

    fn encoding_mut(&mut self) -> Result<&mut Encoding<'a>, Error> {
        match &mut self.encoding {
            Some(encoding) => Ok(encoding),
            None => Err(Error::unsupported("references outside SOAP encoding")),
        }
    }

    fn refer(&mut self, object: u32, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        match sink.graph() {
            Some(graph) => {
                graph.reference(slot, object);
                Ok(())
            }
            None => Err(self.no_graph("objects that are referred to")),
        }
    }

    pub(super) fn no_graph(&self, what: &str) -> Error {
        let why = format!("{what} cannot be taken by the value that this message is read into");
        Error::unsupported(&why).at(self.reader.input(), self.reader.token_start())
    }

    /// Reads an element that stands in the tree and is referred to from elsewhere.
    pub(super) fn define(
        &mut self,
        number: usize,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if self.is_simple(field.ty)? || self.is_encoded_nil()? || self.copies(sink) {
            return self.encoded_value(field, slot, start, sink);
        }
        self.forget();
        let state = self.target(number).map_or(State::Unread, |t| t.state);
        let object = match state {
            State::Read(object) => {
                self.pass_over(number)?;
                return self.refer(object, slot, sink);
            }
            State::Waiting(object) => object,
            State::Unread => self.number(number, State::Read)?,
        };
        // The reference first: numbers are given in the order in which a sink meets them.
        self.refer(object, slot, sink)?;
        self.object(number, object, field, start, sink)
    }

    /// Goes to the end of an element that was read already.
    fn pass_over(&mut self, number: usize) -> Result<(), Error> {
        let end = self.target(number).map_or(0, |t| t.end);
        if end > self.reader.position() {
            self.reader.skip_to(end);
        }
        self.skip()
    }

    /// Reads an object, after its start tag, as the value of its number.
    fn object(
        &mut self,
        number: usize,
        object: u32,
        field: &Field,
        start: Start<'a>,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        if let Some(target) = self.target(number) {
            target.state = State::Read(object);
        }
        let Some(graph) = sink.graph() else {
            return Err(self.no_graph("objects that are referred to"));
        };
        graph.object(object);
        let slot = Slot {
            field: 0,
            many: false,
        };
        self.encoded_value(field, slot, start, sink)?;
        sink.close();
        Ok(())
    }

    /// Reads the objects that wait, and those that these refer to.
    pub(super) fn waiting(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        while let Some((number, field)) = self.encoding_mut()?.waiting.pop_front() {
            let Some(&Target { at, state, .. }) = self.target(number).as_deref() else {
                continue;
            };
            if let State::Waiting(object) = state {
                let start = self.jump(number)?;
                self.object(number, object, &field, start, sink)
                    .map_err(|e| e.within(&*field.name).at(self.reader.input(), at))?;
            }
        }
        Ok(())
    }

    /// Goes to the element with an id: its start tag is the last token then.
    fn jump(&mut self, number: usize) -> Result<Start<'a>, Error> {
        let (at, scope) = match self.target(number) {
            Some(target) => (target.at, target.scope),
            None => return Err(Error::unsupported("a reference to nothing")),
        };
        let reader = self.enter(scope)?;
        self.go_on_with(reader);
        self.start_at(at)
    }

    /// Reads on with another reader, which numbers namespaces in the order in which it meets them.
    pub(super) fn go_on_with(&mut self, reader: Reader<'a>) {
        self.reader = reader;
        self.namespaces.clear();
    }

    /// A reader in this scope, before every element of it.
    fn enter(&mut self, scope: usize) -> Result<Reader<'a>, Error> {
        let encoding = self.encoding_mut()?;
        if let Some((_, reader)) = encoding.entered.as_ref().filter(|(entered, _)| *entered == scope) {
            return Ok((**reader).clone());
        }
        let mut places = Vec::new();
        let mut around = scope;
        let mut reader = loop {
            match encoding.scopes.get(around) {
                Some(Scope::Reader(reader)) => break (**reader).clone(),
                Some(&Scope::Within(outer, at)) => {
                    places.push(at);
                    around = outer;
                }
                None => return Err(Error::unsupported("a scope that is not known")),
            }
        };
        for at in places.into_iter().rev() {
            reader.skip_to(at);
            reader.next().map_err(|e| Error::xml(e, reader.input()))?;
        }
        encoding.entered = Some((scope, Box::new(reader.clone())));
        Ok(reader)
    }

    /// Whether the element at hand holds a value without identity.
    fn is_simple(&mut self, declared: TypeId) -> Result<bool, Error> {
        Ok(match (declared, self.own()) {
            (TypeId::Simple(_), _) | (TypeId::Any, Own::Type(TypeId::Simple(_))) => true,
            (TypeId::Any, Own::Nothing | Own::Type(TypeId::Any)) => {
                self.refers_to()?.is_some() || self.array_type().is_none() && self.is_text_only()?
            }
            _ => self.refers_to()?.is_some(),
        })
    }
}
