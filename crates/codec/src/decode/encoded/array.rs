//! Arrays (SOAP 1.1, 5.4.2; SOAP 1.2 part 2, 3.1.4): items by order and not by name, any number of
//! dimensions, items that were not transmitted.

use std::borrow::Cow;

use castile_plan::{Builtin, ComplexId, Field, QName, TypeId, Types};
use castile_value::{Sink, Slot, deep};

use super::super::learn::Number;
use super::super::repeat::Room;
use super::super::{Decoder, Next};
use super::ENCODINGS;
use crate::error::{Error, Kind};

/// What the attributes of an array say.
#[derive(Default)]
pub(super) struct Said {
    /// The type of the items, when the table knows it.
    item: Option<TypeId>,
    /// The declared size of each dimension; 0 for those left open.
    pub(super) sizes: Vec<usize>,
    /// Which one of several dimensions is left open: as many items tell it.
    open: Option<usize>,
    /// Where the items that were transmitted begin (SOAP 1.1, 5.4.2.1).
    offset: usize,
    /// Whether it says which of its items were transmitted.
    partial: bool,
    /// Whether the items are arrays without a type of their own: `xsd:int[][2]`.
    nested: bool,
}

/// Items not transmitted that one message may leave to be filled in.
const GAPS_MAX: usize = 65_536;

/// Arrays that may be items of one another, with no record between: nobody's lists of lists are made to be deeper.
const ARRAYS_MAX: u32 = 100;

/// Dimensions that an array may have.
const DIMENSIONS_MAX: usize = 32;

/// Where the items of an array go.
pub(super) const ITEMS: Slot = Slot { field: 0, many: true };

/// Any number of items; but another message that says the same sizes has as many.
pub(super) const ANY_ROOM: Room = Room {
    left: u32::MAX,
    number: Number::Same,
};

impl<'a> Decoder<'a, '_> {
    /// Reads an array of a declared type, after its start tag, through its end tag.
    pub(in super::super) fn array(
        &mut self,
        id: ComplexId,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        self.forget();
        let types = self.types;
        let complex = types.complex(id);
        let said = self.said()?;
        match complex.fields.first() {
            Some(field) if field.ty == TypeId::Any => {
                let field = Field {
                    ty: said.item.unwrap_or(TypeId::Any),
                    ..field.clone()
                };
                self.items(&field, Some(id), &said, slot, sink)
            }
            Some(field) => self.items(field, Some(id), &said, slot, sink),
            None => Err(Error::unsupported("an array without items")),
        }
    }

    /// The same for an array that nobody declared.
    pub(super) fn any_array(&mut self, slot: Slot, sink: &mut dyn Sink) -> Result<(), Error> {
        let said = self.said()?;
        let field = Field::item(said.item.unwrap_or(TypeId::Any));
        self.items(&field, None, &said, slot, sink)
    }

    /// The items, through the end tag.
    fn items(
        &mut self,
        field: &Field,
        id: Option<ComplexId>,
        said: &Said,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let types = self.types;
        let declared = id.and_then(|id| types.complex(id).array).unwrap_or(1) as usize;
        if self.options.strict && declared > 1 && said.sizes.len() > 1 && said.sizes.len() != declared {
            let why = format!(
                "an array of {} dimensions where {declared} belong",
                said.sizes.len()
            );
            return Err(self.bad(Kind::Unexpected, why));
        }
        if declared > 1 && said.nested {
            return self.nested(field, id, declared, said, slot, sink);
        }
        let at = self.reader.token_start();
        let shape = id.map(|id| types.shape(id));
        let sizes = self.sizes(said)?;
        match (sink.graph(), shape) {
            (Some(graph), shape) => graph.array(slot, shape, &sizes),
            // As a record with the items as its one field.
            (None, Some(shape)) => sink.open(slot, shape),
            (None, None) => return Err(self.no_graph("arrays that nobody declared")),
        }
        if let TypeId::Simple(id) = field.ty
            && let Some(dtype) = types.dtype(id)
        {
            // An empty array of numbers is one all the same.
            self.asks(ITEMS, dtype);
            sink.column(ITEMS, dtype);
        }
        let mut count = 0;
        self.fill(&mut count, said.offset, sink)?;
        let positioned = self.within_array(|decoder| decoder.transmitted(field, &sizes, &mut count, sink))?;
        let padded = self.options.strict || said.partial || positioned || sizes.len() > 1;
        let whole = sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        let whole = whole.unwrap_or(usize::MAX);
        if padded && !sizes.is_empty() && count < whole {
            self.fill(&mut count, whole, sink)
                .map_err(|e| e.at(self.reader.input(), at))?;
        } else if sizes.len() > 1 && count > whole {
            return Err(self.bad_at(
                Kind::Unexpected,
                at,
                format!("{count} items in an array of {whole}"),
            ));
        }
        sink.close();
        Ok(())
    }

    /// Reads what is in an array.
    fn within_array<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.arrays >= ARRAYS_MAX {
            let why = format!("limit: more than {ARRAYS_MAX} arrays, each an item of the other");
            return Err(self.bad(Kind::Limit, why));
        }
        let around = self.arrays;
        self.arrays += 1;
        let read = deep(|| read(self));
        self.arrays = around;
        read
    }

    /// The sizes of an array, after its start tag; one of several that is left open is as large as the items
    /// that come need.
    fn sizes<'s>(&mut self, said: &'s Said) -> Result<Cow<'s, [usize]>, Error> {
        let Some(open) = said.open else {
            return Ok(Cow::Borrowed(&said.sizes));
        };
        let count = self.count_items()?.saturating_add(said.offset);
        let others = said.sizes.iter().enumerate().filter(|&(n, _)| n != open);
        let others = others.fold(1usize, |all, (_, &size)| all.saturating_mul(size));
        let mut sizes = said.sizes.clone();
        if let Some(size) = sizes.get_mut(open)
            && others > 0
        {
            *size = count.div_ceil(others);
        }
        Ok(Cow::Owned(sizes))
    }

    /// The items that were transmitted, through the end tag, and nils before each that says where it stands.
    /// Whether one does.
    fn transmitted(
        &mut self,
        field: &Field,
        sizes: &[usize],
        count: &mut usize,
        sink: &mut dyn Sink,
    ) -> Result<bool, Error> {
        let mut positioned = false;
        while let Next::Start(start) = self.child()? {
            if let Some(position) = self.position(sizes)? {
                if !positioned && let Some(sparse) = self.out_of_order(start, position, sizes)? {
                    self.in_order(field, sparse, count, sink)?;
                    return Ok(true);
                }
                self.fill_before(position, count, sink)?;
                positioned = true;
            }
            let more = self
                .repeated(field, ITEMS, start, ANY_ROOM, sink)
                .map_err(|e| e.within(format!("[{}]", *count + 1)))?;
            *count += 1 + more as usize;
        }
        Ok(positioned)
    }

    /// Nils for items that were not transmitted, up to item `to`.
    pub(super) fn fill(&mut self, count: &mut usize, to: usize, sink: &mut dyn Sink) -> Result<(), Error> {
        let gaps = to.saturating_sub(*count);
        let all = match &mut self.encoding {
            Some(encoding) => {
                encoding.gaps = encoding.gaps.saturating_add(gaps);
                encoding.gaps
            }
            None => gaps,
        };
        if all > GAPS_MAX {
            let why = format!("limit: more than {GAPS_MAX} items of arrays were not transmitted");
            return Err(self.bad(Kind::Limit, why));
        }
        (0..gaps).for_each(|_| sink.nil(ITEMS));
        *count += gaps;
        Ok(())
    }

    /// The attribute that tells of what the array at hand is.
    pub(super) fn array_type(&self) -> Option<String> {
        self.of_encoding("arrayType")
            .or_else(|| self.of_encoding("itemType"))
            .or_else(|| self.of_encoding("arraySize"))
    }

    pub(super) fn said(&mut self) -> Result<Said, Error> {
        let mut said = Said::default();
        let mut sizes = Vec::new();
        if self.reader.attributes().is_empty() {
            return Ok(said);
        }
        if let Some(text) = self.of_encoding("arrayType") {
            let (name, nested, inside) = parts(&text).ok_or_else(|| self.no_sizes(&text))?;
            sizes = sizes_of(inside, ',').ok_or_else(|| self.no_sizes(&text))?;
            // Of arrays in arrays each tells its own type.
            said.nested = !nested.is_empty();
            said.item = self.item_type(name).filter(|_| !said.nested);
        } else {
            if let Some(name) = self.of_encoding("itemType") {
                said.item = self.item_type(&name);
            }
            if let Some(text) = self.of_encoding("arraySize") {
                sizes = sizes_of(&text, ' ').ok_or_else(|| self.no_sizes(&text))?;
            }
        }
        said.open = only_open(&sizes);
        said.sizes = sizes.into_iter().map(Option::unwrap_or_default).collect();
        if let Some(text) = self.of_encoding("offset") {
            said.offset = self.index(&text, &said.sizes)?;
            said.partial = true;
        }
        // An open dimension says nothing of the size.
        if said.sizes.len() == 1 && said.sizes.contains(&0) {
            said.sizes.clear();
        }
        Ok(said)
    }

    fn item_type(&mut self, name: &str) -> Option<TypeId> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let ns = self.reader.lookup(prefix)?;
        let uri = self.reader.uri(ns);
        if ENCODINGS.contains(&uri) {
            return Builtin::from_name(local).map(|b| TypeId::Simple(b.into()));
        }
        let ns = match super::OLD_SCHEMAS.contains(&uri) {
            true => Types::XSD,
            false => self.ns(ns)?,
        };
        self.types.type_named(&QName::new(ns, local))
    }

    /// Which item the element at hand is, where it says so.
    pub(super) fn position(&self, sizes: &[usize]) -> Result<Option<usize>, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(None);
        }
        match self.of_encoding("position") {
            Some(text) => self.index(&text, sizes).map(Some),
            None => Ok(None),
        }
    }

    /// An index such as `[2,3]` in an array of these sizes.
    fn index(&self, text: &str, sizes: &[usize]) -> Result<usize, Error> {
        let inside = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        let indices = inside.and_then(|inside| sizes_of(inside, ','));
        let indices = indices.ok_or_else(|| self.no_sizes(text))?;
        let mut at = 0usize;
        for (n, index) in indices.iter().enumerate() {
            let size = if n == 0 {
                1
            } else {
                sizes.get(n).copied().unwrap_or(1)
            };
            let next = at
                .checked_mul(size)
                .and_then(|at| at.checked_add(index.unwrap_or_default()));
            at = next.ok_or_else(|| self.no_sizes(text))?;
        }
        Ok(at)
    }

    fn no_sizes(&self, text: &str) -> Error {
        self.bad(Kind::Lexical, format!("{text:?} has no sizes of an array"))
    }
}

/// The name, the dimensions of nested arrays, and the sizes of `xsd:int[][2,3]`.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, sizes) = text.trim().strip_suffix(']')?.rsplit_once('[')?;
    let split = before.find('[').unwrap_or(before.len());
    let (name, nested) = before.split_at(split);
    Some((name, nested, sizes))
}

/// The one of several sizes that is left open.
fn only_open(sizes: &[Option<usize>]) -> Option<usize> {
    let mut open = (0..sizes.len()).filter(|&n| sizes.get(n) == Some(&None));
    open.next()
        .filter(|_| sizes.len() > 1)
        .filter(|_| open.next().is_none())
}

/// Sizes between commas or spaces. Those that are left open, or are `*`, are `None`.
fn sizes_of(text: &str, between: char) -> Option<Vec<Option<usize>>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    // Only the first may be open (SOAP 1.2 part 2, 3.1.6).
    let size = |(n, part): (usize, &str)| match part.trim() {
        "" | "*" if n == 0 || between != ' ' => Some(None),
        digits => digits.parse().ok().map(Some),
    };
    let sizes: Option<Vec<Option<usize>>> = match between {
        ' ' => text.split_ascii_whitespace().enumerate().map(size).collect(),
        between => text.split(between).enumerate().map(size).collect(),
    };
    sizes.filter(|sizes| sizes.len() <= DIMENSIONS_MAX)
}
