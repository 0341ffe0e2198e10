//! Sealing a table: every index is checked once, and what only memory needs is derived.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use castile_value::{DType, RowLayout, Shape};

use crate::model::{Block, Order, Walk};
use crate::rules::{self, Rules};
use crate::trie::Trie;
use crate::{
    ComplexId, Disallowed, ElementId, Error, Global, Namespace, NsIx, Occurs, QName, SimpleId, TypeId, Types,
    Variety,
};
use crate::{check, derive};

/// What [`Types::seal`] derives; not stored.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// All namespaces in the order of their names. They are few: halving is faster than hashing.
    namespaces: Vec<NsIx>,
    elements: HashMap<QName, ElementId>,
    /// Made when first asked for: most messages have no wildcard.
    globals: Vec<OnceLock<Box<Global>>>,
    types: HashMap<QName, TypeId>,
    complex: Vec<DerivedComplex>,
    /// Whether some type is an array of SOAP encoding.
    pub(crate) encoded: bool,
    /// Places in [`Types::disallowed`] by the name of the element.
    pub(crate) disallowed: HashMap<QName, Vec<u32>>,
    /// Of each simple type whose values facets constrain, its rules, made when first asked for.
    rules: Vec<Option<OnceLock<Arc<Rules>>>>,
}

impl Derived {
    /// The number of a namespace of `all`, which the table was sealed with.
    pub(crate) fn namespace(&self, all: &[Namespace], uri: &str) -> Option<NsIx> {
        let name = |ns: &NsIx| all.get(ns.0 as usize).map(|n| &*n.uri).cmp(&Some(uri));
        let place = self.namespaces.binary_search_by(name).ok()?;
        self.namespaces.get(place).copied()
    }
}

/// What is derived of one complex type.
#[derive(Clone, Debug)]
pub(crate) struct DerivedComplex {
    pub(crate) shape: Arc<Shape>,
    pub(crate) packed: Option<Arc<RowLayout>>,
    pub(crate) tags: Vec<Tags>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) order: Order,
    /// Leaf numbers by local name, for what was not predicted; a name's leaves in document order.
    pub(crate) by_local: HashMap<Box<str>, Vec<u32>>,
    /// The same in other forms, made when first asked for.
    pub(crate) by_trie: OnceLock<Trie>,
    pub(crate) by_map: OnceLock<BTreeMap<Box<str>, Vec<u32>>>,
    pub(crate) wild: Vec<u32>,
    pub(crate) text: Option<(u32, SimpleId)>,
    pub(crate) mixed: Option<(u32, SimpleId)>,
    pub(crate) nil: Option<u32>,
    /// Whether some field has more than one leaf.
    pub(crate) shared: bool,
    pub(crate) plain: bool,
}

/// The bytes around an element's content, under the table's prefixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// `<ns1:item` without the closing bracket; for an attribute ` ns1:name="`.
    pub open: Box<[u8]>,
    /// The same with the declared type: `<ns1:item xsi:type="xsd:int"`, for SOAP encoding. As `open`
    /// where the type has no name, is an array, or nothing of the table is encoded.
    pub typed: Box<[u8]>,
    /// `</ns1:item>`; for an attribute the closing quote.
    pub close: Box<[u8]>,
}

/// A leaf of a content model, in document order.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Index into [`crate::Complex::fields`].
    pub field: u32,
    /// How often it may stand there.
    pub occurs: Occurs,
    /// Index into [`crate::Complex::content`].
    pub particle: u32,
    /// Whether the next leaf in document order may follow once this one was met often enough: the
    /// answer that [`Types::may_follow`] mostly has to find.
    pub leads_on: bool,
}

/// Views of a sealed table. They panic on a table that is not sealed: a bug of ours, since
/// contracts and the store hand out sealed tables only.
impl Types {
    /// Checks every index and derives what walking needs. Must be called after any change.
    pub fn seal(&mut self) -> Result<(), Error> {
        check::table(self)?;
        self.derived = Derived {
            namespaces: by_uri(&self.namespaces),
            elements: self
                .elements
                .iter()
                .enumerate()
                .map(|(i, e)| (e.name.clone(), ElementId(i as u32)))
                .collect(),
            globals: vec![OnceLock::new(); self.elements.len()],
            types: named_types(self),
            complex: Vec::new(),
            encoded: false,
            disallowed: by_element(&self.disallowed),
            rules: Vec::with_capacity(self.simple.len()),
        };
        // Bases come before what restricts them.
        for simple in &self.simple {
            let base = simple
                .base
                .is_some_and(|base| self.derived.rules[base.index()].is_some());
            let constrained = base || rules::constrains(&simple.facets);
            self.derived.rules.push(constrained.then(OnceLock::new));
        }
        self.derived.encoded = self.complex.iter().any(|c| c.array.is_some());
        let mut nullable = vec![None; self.complex.len()];
        self.derived.complex = self
            .complex
            .iter()
            .map(|c| derive::complex(self, c, &mut nullable))
            .collect();
        Ok(())
    }

    /// The names of a complex type's fields, shared by all its records.
    pub fn shape(&self, id: ComplexId) -> &Arc<Shape> {
        &self.derived.complex[id.index()].shape
    }

    /// The layout of packed rows, when the type is flat: only required elements (or attributes)
    /// of number types, each once, in a plain sequence.
    pub fn row_layout(&self, id: ComplexId) -> Option<&Arc<RowLayout>> {
        self.packed_layout(id).filter(|layout| layout.texts().is_empty())
    }

    /// The same when some of the elements are texts (`xsd:string`, or a restriction of it).
    pub fn packed_layout(&self, id: ComplexId) -> Option<&Arc<RowLayout>> {
        self.derived.complex[id.index()].packed.as_ref()
    }

    /// The tags of a complex type's fields, in the order of the fields.
    pub fn tags(&self, id: ComplexId) -> &[Tags] {
        &self.derived.complex[id.index()].tags
    }

    /// The leaves of a complex type's content model, in document order.
    pub fn leaves(&self, id: ComplexId) -> &[Leaf] {
        &self.derived.complex[id.index()].leaves
    }

    /// The numbers of the leaves that an element of this local name can belong to, whatever its
    /// namespace, in document order; for a repeated group, that can stand anywhere in it.
    pub fn leaves_called(&self, id: ComplexId, local: &str) -> &[u32] {
        self.derived.complex[id.index()]
            .by_local
            .get(local)
            .map_or(&[], Vec::as_slice)
    }

    /// [`Types::leaves_called`], looked up in a trie: for measurements (paper 004).
    pub fn leaves_by_trie(&self, id: ComplexId, local: &str) -> &[u32] {
        let derived = &self.derived.complex[id.index()];
        derived
            .by_trie
            .get_or_init(|| Trie::new(&derived.by_local))
            .find(local)
    }

    /// [`Types::leaves_called`], looked up in a balanced tree: for measurements (paper 004).
    pub fn leaves_by_map(&self, id: ComplexId, local: &str) -> &[u32] {
        let derived = &self.derived.complex[id.index()];
        let all = || {
            derived
                .by_local
                .iter()
                .map(|(name, leaves)| (name.clone(), leaves.clone()))
                .collect()
        };
        let map: &BTreeMap<_, _> = derived.by_map.get_or_init(all);
        map.get(local).map_or(&[], Vec::as_slice)
    }

    /// The numbers of the wildcard leaves, in document order.
    pub fn wild_leaves(&self, id: ComplexId) -> &[u32] {
        &self.derived.complex[id.index()].wild
    }

    /// Whether leaf `next` may come after leaf `after`, or first when there is none. `counts` says
    /// how often each leaf was met so far; leaves beyond its end were not. Whether `next` was met
    /// too often already is not looked at.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn may_follow(
        &self,
        id: ComplexId,
        counts: &[u32],
        after: Option<u32>,
        next: u32,
    ) -> Result<(), Block> {
        self.walk(id, counts).may_follow(after, next)
    }

    /// Whether the content may end after leaf `after`, or be empty when there is none.
    ///
    /// # Errors
    /// The particle that must be there still: a leaf or a choice, as an index into
    /// [`crate::Complex::content`].
    pub fn may_end(&self, id: ComplexId, counts: &[u32], after: Option<u32>) -> Result<(), u32> {
        self.walk(id, counts).may_end(after)
    }

    /// Whether no element need stand for this particle of the type's content.
    pub fn nullable(&self, id: ComplexId, particle: u32) -> bool {
        self.derived.complex[id.index()].order.nullable(particle)
    }

    /// What facets ask of a simple type's values; `None` if nothing.
    pub fn rules(&self, id: SimpleId) -> Option<&Rules> {
        let place = self.derived.rules[id.index()].as_ref()?;
        Some(place.get_or_init(|| Arc::new(Rules::new(self, id))))
    }

    /// Whether some field of the type has more than one leaf.
    pub fn shares_fields(&self, id: ComplexId) -> bool {
        self.derived.complex[id.index()].shared
    }

    /// Whether values of the type are just single child elements of simple types, one after another:
    /// no attributes, no alternatives, nothing repeated.
    pub fn is_plain(&self, id: ComplexId) -> bool {
        self.derived.complex[id.index()].plain
    }

    /// The field and simple type of the text, for simple content.
    pub fn text_field(&self, id: ComplexId) -> Option<(u32, SimpleId)> {
        self.derived.complex[id.index()].text
    }

    /// The field and simple type of the text, for mixed content.
    pub fn mixed_field(&self, id: ComplexId) -> Option<(u32, SimpleId)> {
        self.derived.complex[id.index()].mixed
    }

    /// The field that says that an element which has attributes is nil: the attribute `xsi:nil`.
    pub fn nil_field(&self, id: ComplexId) -> Option<u32> {
        self.derived.complex[id.index()].nil
    }

    fn walk<'w>(&'w self, id: ComplexId, counts: &'w [u32]) -> Walk<'w> {
        let derived = &self.derived.complex[id.index()];
        Walk {
            content: &self.complex(id).content,
            order: &derived.order,
            leaves: &derived.leaves,
            counts,
        }
    }

    /// The global element of this name.
    pub fn element_named(&self, name: &QName) -> Option<ElementId> {
        self.derived.elements.get(name).copied()
    }

    /// A global element as it stands under a wildcard.
    pub fn global(&self, id: ElementId) -> &Global {
        self.derived.globals[id.index()]
            .get_or_init(|| Box::new(Global::new(self, &self.elements[id.index()])))
    }

    /// The named type of this name.
    pub fn type_named(&self, name: &QName) -> Option<TypeId> {
        self.derived.types.get(name).copied()
    }

    /// The named type of this `{namespace}local` name.
    pub fn type_by_clark(&self, clark: &str) -> Option<TypeId> {
        self.type_named(&self.parse_clark(clark)?)
    }

    /// A `{namespace}local` name as one of this table; `None` when the table lacks the namespace.
    pub fn parse_clark(&self, clark: &str) -> Option<QName> {
        match clark.strip_prefix('{').and_then(|rest| rest.rsplit_once('}')) {
            Some((uri, local)) => Some(QName::new(self.namespace(uri)?, local)),
            None => Some(QName::new(NsIx::NONE, clark)),
        }
    }

    /// The name that `xsi:type` gives to a declared type: its own, or that of the nearest type it
    /// restricts. `None` for arrays and for complex types without a name.
    pub fn announced(&self, ty: TypeId) -> Option<&QName> {
        match ty {
            TypeId::Complex(id) => {
                let complex = self.complex(id);
                complex.name.as_ref().filter(|_| complex.array.is_none())
            }
            TypeId::Simple(id) => {
                let mut at = Some(id);
                std::iter::from_fn(|| {
                    let simple = self.simple(at?);
                    at = simple.base;
                    Some(simple)
                })
                .find_map(|simple| simple.name.as_ref())
            }
            TypeId::Any | TypeId::Unsupported(_) => None,
        }
    }

    /// The tags of an element, under the table's prefixes.
    pub fn element_tags(&self, name: &QName) -> Tags {
        let name = self.prefixed(name);
        let open: Box<[u8]> = format!("<{name}").into_bytes().into();
        Tags {
            typed: open.clone(),
            open,
            close: format!("</{name}>").into_bytes().into(),
        }
    }

    /// A name under the table's prefix.
    pub fn prefixed(&self, name: &QName) -> String {
        match &*self.namespaces[name.ns.0 as usize].prefix {
            "" => name.local.to_string(),
            prefix => format!("{prefix}:{}", name.local),
        }
    }

    /// The machine type of a simple type's values, when they are numbers or booleans.
    pub fn dtype(&self, id: SimpleId) -> Option<DType> {
        match self.simple(id).variety {
            Variety::Atomic(builtin) => builtin.dtype(),
            _ => None,
        }
    }
}

fn by_element(disallowed: &[Disallowed]) -> HashMap<QName, Vec<u32>> {
    let mut places: HashMap<QName, Vec<u32>> = HashMap::new();
    for (i, entry) in disallowed.iter().enumerate() {
        places.entry(entry.element.clone()).or_default().push(i as u32);
    }
    places
}

fn by_uri(all: &[Namespace]) -> Vec<NsIx> {
    let mut sorted: Vec<NsIx> = (0..all.len() as u32).map(NsIx).collect();
    sorted.sort_by_key(|ns| &*all[ns.0 as usize].uri);
    sorted
}

fn named_types(types: &Types) -> HashMap<QName, TypeId> {
    let simple = types.simple.iter().enumerate();
    let simple = simple.filter_map(|(i, s)| Some((s.name.clone()?, TypeId::Simple(SimpleId(i as u32)))));
    let complex = types.complex.iter().enumerate();
    let complex = complex.filter_map(|(i, c)| Some((c.name.clone()?, TypeId::Complex(ComplexId(i as u32)))));
    let any = (QName::new(Types::XSD, "anyType"), TypeId::Any);
    simple.chain(complex).chain([any]).collect()
}
