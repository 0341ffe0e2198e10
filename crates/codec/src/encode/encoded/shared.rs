//! Objects that stand in several places.
//!
//! SOAP 1.1 writes each of them as an element of its own behind the first of the body, and `href` where
//! it stands (5.1, rule 4). SOAP 1.2 writes it where it stands first, and `enc:ref` elsewhere (part 2,
//! 3.1.5). Elements that wait are written one after another, so an object graph of any depth takes no
//! stack, and every object is written once.

use std::collections::{HashMap, VecDeque};

use castile_message::{Marks, Version};
use castile_plan::{Tags, TypeId};
use castile_value::{Item, Scalar, Source};

use super::super::Encoder;
use super::no_object;
use super::texts::{Shared, SharedTexts};
use crate::error::Error;

/// What is known of shared objects.
pub(in super::super) struct Encoding<'e> {
    /// Who knows the objects.
    objects: &'e dyn Source,
    pub(in super::super) version: Version,
    /// The ids given so far, which are counted.
    ids: HashMap<u32, u32>,
    /// Those still to be written.
    waiting: VecDeque<(u32, u32, TypeId)>,
    texts: SharedTexts,
    next: u32,
    /// The element at hand need not say its declared type.
    pub(super) untyped: bool,
}

/// A place in a message, as far as its texts are concerned.
#[derive(Clone, Copy)]
pub(in super::super) struct Place {
    texts: usize,
    next: u32,
}

/// Texts shorter than this are not shared: a reference would be longer.
const TEXT_BYTES_MIN: usize = 16;

/// SOAP 1.2 puts objects into one another as deep as this; deeper ones wait.
const INLINE_DEPTH_MAX: u32 = 40;

impl<'e> Encoding<'e> {
    pub(in super::super) fn new(objects: &'e dyn Source, version: Version) -> Self {
        Encoding {
            objects,
            version,
            ids: HashMap::new(),
            waiting: VecDeque::new(),
            texts: SharedTexts::default(),
            next: 0,
            untyped: false,
        }
    }

    fn new_id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// What is known of a text that is about to be written.
    pub(in super::super) fn share(&mut self, text: &str) -> Shared {
        match text.len() {
            0..TEXT_BYTES_MIN => Shared::Never,
            _ => self.texts.look_up(text, &mut self.next),
        }
    }

    /// Where [`go_back`](Encoding::go_back) goes back to.
    pub(in super::super) fn place(&self) -> Place {
        Place {
            texts: self.texts.len(),
            next: self.next,
        }
    }

    /// Forgets the texts since a place, between which and now no other objects were written: they are written again.
    pub(in super::super) fn go_back(&mut self, place: Place) {
        self.texts.truncate(place.texts);
        self.next = place.next;
    }
}

impl<'e, M: Marks> Encoder<'e, M> {
    /// The rest of an element that holds a shared object.
    pub(super) fn reference(&mut self, number: u32, ty: TypeId, tags: &Tags) -> Result<(), Error> {
        let inline = self.version == Version::Soap12 && self.depth < INLINE_DEPTH_MAX;
        let Some(encoding) = &mut self.encoding else {
            return Err(no_object(number));
        };
        if let Some(&id) = encoding.ids.get(&number) {
            self.refer(id);
            return Ok(());
        }
        let id = encoding.new_id();
        encoding.ids.insert(number, id);
        if inline {
            let item = object(encoding.objects, number)?;
            self.identify(id);
            return self.encoded_value(ty, item, tags);
        }
        encoding.waiting.push_back((number, id, ty));
        self.refer(id);
        Ok(())
    }

    /// A text, or a reference to where it stands already.
    pub(super) fn shared_text(&mut self, ty: TypeId, text: &str, tags: &Tags) -> Result<(), Error> {
        let shared = self
            .encoding
            .as_mut()
            .map_or(Shared::Never, |encoding| encoding.share(text));
        shared.put(self.version, self.out);
        if let Shared::Before(_) = shared {
            self.is_untyped();
            self.raw("/>");
            return Ok(());
        }
        self.encoded_value(ty, Item::Scalar(Scalar::Text(text.into())), tags)
    }

    fn refer(&mut self, id: u32) {
        Shared::Before(id).put(self.version, self.out);
        self.raw("/>");
    }

    fn identify(&mut self, id: u32) {
        Shared::New(id).put(self.version, self.out);
    }

    /// Writes the objects that wait, and those that these refer to.
    pub(in super::super) fn independent(&mut self) -> Result<(), Error> {
        let tags = Tags {
            open: b"<multiRef".as_slice().into(),
            typed: Box::default(),
            close: b"</multiRef>".as_slice().into(),
        };
        while let Some(encoding) = &mut self.encoding {
            let Some((number, id, ty)) = encoding.waiting.pop_front() else {
                break;
            };
            let item = object(encoding.objects, number)?;
            let declared = self.declared.len();
            self.out.extend_from_slice(&tags.open);
            self.identify(id);
            self.style();
            self.depth += 1;
            self.encoded_value(ty, item, &tags)
                .map_err(|e| e.within(format!("multiRef[{id}]")))?;
            self.depth -= 1;
            self.declared.truncate(declared);
        }
        Ok(())
    }
}

fn object(objects: &dyn Source, number: u32) -> Result<Item<'_>, Error> {
    match objects.object(number) {
        Item::Absent | Item::Nil | Item::Ref(_) => Err(no_object(number)),
        item => Ok(item),
    }
}
