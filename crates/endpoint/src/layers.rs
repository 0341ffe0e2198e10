//! The layers of an endpoint, one after the other.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use castile_codec::{
    Found, HeaderBlock, Layer, Memory, Name, NoRandomness, Received, Refusal, Sending, World,
};
use castile_plan::{ComplexId, Types};
use castile_value::{Item, Items, Shape, Source};

use crate::error::{Error, Guilty, Kind};
use crate::world::System;

/// Layers in the order in which they see a message, with the clock and randomness they use.
#[derive(Clone, Debug)]
pub struct Layers {
    list: Vec<Arc<dyn Layer>>,
    world: Arc<dyn World>,
}

impl Default for Layers {
    fn default() -> Self {
        Layers {
            list: Vec::new(),
            world: Arc::new(System),
        }
    }
}

impl Layers {
    /// Adds a layer after those there are.
    #[must_use]
    pub fn with(mut self, layer: impl Layer + 'static) -> Self {
        self.push(Arc::new(layer));
        self
    }

    /// Adds a layer that others use too.
    pub fn push(&mut self, layer: Arc<dyn Layer>) {
        self.list.push(layer);
    }

    /// Replaces the clock and the randomness: for tests, and for machines with better ones.
    #[must_use]
    pub fn in_world(mut self, world: Arc<dyn World>) -> Self {
        self.world = world;
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn world(&self) -> &dyn World {
        &*self.world
    }

    /// Whether some layer knows header blocks of this name.
    pub(crate) fn understand(&self, name: &Name) -> bool {
        self.list.iter().any(|layer| layer.understands(name))
    }

    /// The blocks for a request.
    pub(crate) fn request(&self, request: &Sending<'_>, blocks: &mut Vec<String>) -> Result<Memories, Error> {
        let each = self.list.iter().map(|layer| layer.request(request, blocks));
        let memories = each.collect::<Result<Vec<_>, _>>()?;
        Ok(Memories(Arc::new(memories)))
    }

    /// Checks a reply.
    pub(crate) fn check_reply(&self, memories: &Memories, reply: &Received<'_>) -> Result<(), Error> {
        for (layer, memory) in self.list.iter().zip(memories.0.iter()) {
            layer.check_reply(memory, reply)?;
        }
        Ok(())
    }

    /// Checks a request. What the layers remember is there even when one refuses.
    pub(crate) fn check_request(
        &self,
        request: &Received<'_>,
        found: &mut Found,
        memories: &mut Vec<Memory>,
    ) -> Result<(), Refusal> {
        memories.resize_with(self.list.len(), || None);
        // Addressing may stand behind security, and its memory is wanted for the fault.
        let mut result = Ok(());
        for (layer, memory) in self.list.iter().zip(memories) {
            let checked = layer.check_request(request, found, memory);
            result = result.and(checked);
        }
        result
    }

    /// The blocks for a reply.
    pub(crate) fn reply(
        &self,
        memories: &[Memory],
        reply: &Sending<'_>,
    ) -> Result<Vec<String>, NoRandomness> {
        let mut blocks = Vec::new();
        for (layer, memory) in self.list.iter().zip(memories) {
            layer.reply(memory, reply, &mut blocks)?;
        }
        Ok(blocks)
    }
}

/// What the layers remember of a call.
#[derive(Clone, Default)]
pub(crate) struct Memories(Arc<Vec<Memory>>);

impl Memories {
    /// What a layer of this module's own remembers.
    pub(crate) fn find<T: Any>(&self) -> Option<&T> {
        self.0.iter().flatten().find_map(|memory| memory.downcast_ref())
    }
}

impl fmt::Debug for Memories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} memories", self.0.iter().flatten().count())
    }
}

impl From<NoRandomness> for Error {
    fn from(error: NoRandomness) -> Self {
        Error::new(Kind::Security, Guilty::Us, error.to_string())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let kind = if refusal.security {
            Kind::Security
        } else {
            Kind::Peer
        };
        Error::new(kind, Guilty::Peer, refusal.to_string())
    }
}

/// The first block that must be understood by us and that neither the contract nor a layer knows.
pub(crate) fn not_understood<'b>(
    blocks: &'b [HeaderBlock],
    roles: &[String],
    layers: &Layers,
    known: impl Fn(&Name) -> bool,
) -> Vec<&'b Name> {
    let refused = |b: &&HeaderBlock| {
        b.must_understand && b.is_for(roles) && !known(&b.name) && !layers.understand(&b.name)
    };
    blocks.iter().filter(refused).map(|b| &b.name).collect()
}

/// Header values with the blocks of layers behind them.
pub(crate) struct WithBlocks<'a> {
    inner: &'a dyn Source,
    blocks: &'a [String],
    /// The field for blocks that the contract does not name.
    any: Option<usize>,
    /// How many of those the caller gives himself.
    own: usize,
}

impl<'a> WithBlocks<'a> {
    pub(crate) fn new(types: &Types, header: ComplexId, inner: &'a dyn Source, blocks: &'a [String]) -> Self {
        let any = match blocks {
            [] => None,
            _ => types.shape(header).index(castile_contract::HEADER_ANY),
        };
        let mut headers = WithBlocks {
            inner,
            blocks,
            any,
            own: 0,
        };
        headers.own = match headers.given() {
            Item::Absent | Item::Nil => 0,
            Item::Items(items) => items.len(),
            _ => 1,
        };
        headers
    }

    fn given(&self) -> Item<'a> {
        self.any.map_or(Item::Absent, |i| {
            self.inner.field(i, castile_contract::HEADER_ANY)
        })
    }
}

impl Source for WithBlocks<'_> {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        match self.any == Some(index) {
            true => Item::Items(self),
            false => self.inner.field(index, name),
        }
    }

    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        self.inner.unknown_name(shape)
    }
}

impl Items for WithBlocks<'_> {
    fn len(&self) -> usize {
        self.own + self.blocks.len()
    }

    fn item(&self, i: usize) -> Item<'_> {
        if let Some(block) = i.checked_sub(self.own).and_then(|i| self.blocks.get(i)) {
            return Item::Xml(block);
        }
        match self.given() {
            Item::Items(items) => items.item(i),
            one => one,
        }
    }
}
