//! Schema components to the tables of [`castile_plan`]: the [`Compiler`].
//!
//! A complex type gets its id when it is first referred to and is compiled later, from a queue, so
//! types may refer to one another in any way. What cannot be compiled becomes
//! [`TypeId::Unsupported`] where it is used, with a text that says what and where; the rest of the
//! contract works.
//!
//! ```text
//!  Decl --raw--> Raw (attributes + model, inherited ones in place) --flatten--> fields + particles
//!                         ^ model: groups expanded, single-element groups collapsed
//! ```

mod apache;
mod attribute;
mod block;
mod complex;
mod element;
mod encoded;
mod facets;
mod flatten;
mod model;
mod naming;
mod nillable;
mod particle;
mod refer;
mod simple;
mod substitute;
mod unique;
mod wildcard;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use castile_plan::{Complex, ComplexId, Derivation, ElementId, Namespace, NsIx, QName, TypeId, Types};

use crate::error::{Error, Place};
use crate::load::Documents;
use crate::names::Ns;
use crate::options::Limits;
use crate::tree::NodeRef;
use crate::warning::{Warning, WarningKind};
use crate::xsd::{Decl, Schemas};

pub(crate) use model::{Compositor, Leaf, Model};

/// Compiles the components of a load.
pub(crate) struct Compiler<'d> {
    pub(crate) documents: &'d Documents,
    pub(crate) schemas: Schemas<'d>,
    pub(crate) types: Types,
    pub(crate) warnings: Vec<Warning>,
    limits: Limits,
    namespaces: HashMap<Box<str>, NsIx>,
    /// The types of declarations, named and anonymous; `None` while one is being compiled.
    known: HashMap<Decl, Option<TypeId>>,
    /// Complex types to compile, with what messages call them.
    waiting: VecDeque<(ComplexId, Decl, Rc<str>)>,
    raws: Memo<Rc<complex::Raw>>,
    groups: Memo<Option<Rc<Model>>>,
    elements: HashMap<Decl, ElementId>,
    /// Of each element, the type of one element of its substitution group.
    substitutions: HashMap<Decl, Option<ComplexId>>,
    unusable: HashMap<Box<str>, Unusable>,
    /// The declarations of complex types, to see what they block.
    pub(crate) declarations: HashMap<ComplexId, Decl>,
    /// The elements and types in [`Types::disallowed`].
    noted: HashSet<(QName, TypeId)>,
    /// Complex types that turned out to be unusable after they got an id.
    broken: HashMap<ComplexId, Unusable>,
    nothing: Option<ComplexId>,
    /// The arrays of SOAP encoding that no schema names, by item type and dimensions.
    arrays: HashMap<(TypeId, u32), ComplexId>,
    /// Apache's types, by local name.
    apache: HashMap<Box<str>, TypeId>,
    /// The header block that messages share for which the contract declares no header.
    pub(crate) undeclared: Option<ComplexId>,
    /// Fields and particles so far.
    cost: u64,
    depth: u32,
}

/// What was made of declarations, or why it was not; `None` while one is being made.
type Memo<T> = HashMap<Decl, Option<Result<T, Unusable>>>;

/// This bit and the number of a document stand for a schema where names are referred to from
/// outside any schema: from WSDL.
pub(crate) const OUTSIDE: u32 = 1 << 31;

/// Why something cannot be used: an index into [`Types::unsupported`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unusable(pub(crate) u32);

impl From<Unusable> for TypeId {
    fn from(unusable: Unusable) -> Self {
        TypeId::Unsupported(unusable.0)
    }
}

/// Where a component stands: the schema it is seen through and what messages call its owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'s> {
    pub(crate) schema: u32,
    pub(crate) label: &'s str,
}

impl<'d> Compiler<'d> {
    pub(crate) fn new(documents: &'d Documents, limits: Limits) -> Self {
        let types = Types::new();
        let known = types.namespaces.iter().enumerate();
        let namespaces = known.map(|(i, n)| (n.uri.clone(), NsIx(i as u32))).collect();
        Compiler {
            documents,
            schemas: Schemas::new(documents),
            types,
            warnings: Vec::new(),
            limits,
            namespaces,
            known: HashMap::new(),
            waiting: VecDeque::new(),
            raws: HashMap::new(),
            groups: HashMap::new(),
            elements: HashMap::new(),
            substitutions: HashMap::new(),
            unusable: HashMap::new(),
            broken: HashMap::new(),
            declarations: HashMap::new(),
            noted: HashSet::new(),
            nothing: None,
            arrays: HashMap::new(),
            apache: HashMap::new(),
            undeclared: None,
            cost: 0,
            depth: 0,
        }
    }

    /// Compiles every named type and global element: any of them may be named by an `xsi:type` or
    /// stand under a wildcard.
    pub(crate) fn compile(&mut self) -> Result<(), Error> {
        self.warnings.extend(self.schemas.warnings());
        for decl in self.schemas.types.clone() {
            self.named_type(decl);
            self.drain()?;
        }
        for decl in self.schemas.elements.clone() {
            self.element(decl);
            self.drain()?;
        }
        self.mend();
        self.check_attribution();
        nillable::add_nil_fields(&mut self.types);
        Ok(())
    }

    /// Adds a complex type that no schema declares.
    pub(crate) fn synthetic(&mut self, complex: Complex) -> ComplexId {
        self.cost += (complex.fields.len() + complex.content.len()) as u64;
        let id = ComplexId(self.types.complex.len() as u32);
        self.types.complex.push(complex);
        id
    }

    /// The complex type without content that header blocks and details share which hold nothing.
    pub(crate) fn nothing(&mut self) -> ComplexId {
        match self.nothing {
            Some(id) => id,
            None => {
                let id = self.synthetic(empty("nothing"));
                self.nothing = Some(id);
                id
            }
        }
    }

    /// A namespace of the load as one of the table.
    pub(crate) fn ns(&mut self, ns: Ns) -> NsIx {
        let documents = self.documents;
        self.ns_of(documents.names.uri(ns))
    }

    /// The same by URI.
    pub(crate) fn ns_of(&mut self, uri: &str) -> NsIx {
        if let Some(&ix) = self.namespaces.get(uri) {
            return ix;
        }
        // What `Types::intern` does, which would look through all of them.
        let ix = NsIx(self.types.namespaces.len() as u32);
        let named = || self.types.namespaces.iter().any(|n| &*n.prefix == CWMP.1);
        let prefix = if uri.starts_with(CWMP.0) && !named() {
            CWMP.1.into()
        } else {
            format!("ns{}", ix.0 - Types::XML.0).into()
        };
        self.types.namespaces.push(Namespace {
            uri: uri.into(),
            prefix,
        });
        self.namespaces.insert(uri.into(), ix);
        ix
    }

    pub(crate) fn qname(&mut self, ns: Ns, local: &str) -> QName {
        QName::new(self.ns(ns), local)
    }

    /// Why something cannot be used: a text that names the construct; `node` is where it stands.
    pub(crate) fn refuse(&mut self, schema: u32, node: NodeRef<'d>, text: &str) -> Unusable {
        let text = format!("{text}, at {}", self.place(schema, node));
        self.unusable(text)
    }

    pub(crate) fn unusable(&mut self, text: String) -> Unusable {
        if let Some(&known) = self.unusable.get(&*text) {
            return known;
        }
        let unusable = Unusable(self.types.unsupported.len() as u32);
        self.types.unsupported.push(text.as_str().into());
        self.unusable.insert(text.into(), unusable);
        unusable
    }

    pub(crate) fn place(&self, schema: u32, node: NodeRef<'_>) -> Place {
        let document = self.documents.schemas.get(schema as usize).map(|s| s.document);
        self.documents.place(document.unwrap_or(schema ^ OUTSIDE), node)
    }

    pub(crate) fn warn(&mut self, kind: WarningKind, schema: u32, node: NodeRef<'d>, text: String) {
        let place = self.place(schema, node);
        self.warnings.push(Warning {
            kind,
            place,
            text: text.into(),
        });
    }

    /// Runs `work` one level deeper; too deep is unusable.
    fn deeper<T>(
        &mut self,
        schema: u32,
        node: NodeRef<'d>,
        work: impl FnOnce(&mut Self) -> Result<T, Unusable>,
    ) -> Result<T, Unusable> {
        if self.depth >= self.limits.depth_max {
            let text = format!("limit depth_max = {} is exceeded", self.limits.depth_max);
            return Err(self.refuse(schema, node, &text));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Compiles the complex types that were referred to.
    fn drain(&mut self) -> Result<(), Error> {
        while let Some((id, decl, label)) = self.waiting.pop_front() {
            match self.complex(decl, &label) {
                Ok(complex) => {
                    self.cost += (complex.fields.len() + complex.content.len()) as u64;
                    if let Some(place) = self.types.complex.get_mut(id.index()) {
                        *place = complex;
                    }
                }
                Err(unusable) => {
                    self.broken.insert(id, unusable);
                }
            }
            if self.cost > self.limits.table_max.into() {
                let max = self.limits.table_max.into();
                let place = Place::document(self.documents.location(0));
                return Err(Error::limit("table_max", max, place));
            }
        }
        Ok(())
    }

    /// Replaces references to types that turned out to be unusable.
    fn mend(&mut self) {
        let broken = &self.broken;
        let mend = |ty: &mut TypeId| {
            if let TypeId::Complex(id) = *ty
                && let Some(&unusable) = broken.get(&id)
            {
                *ty = unusable.into();
            }
        };
        for complex in &mut self.types.complex {
            complex.fields.iter_mut().for_each(|field| mend(&mut field.ty));
            complex.base.iter_mut().for_each(mend);
        }
        self.types
            .elements
            .iter_mut()
            .for_each(|element| mend(&mut element.ty));
    }

    /// The type as it is after [`mend`](Self::mend).
    pub(crate) fn mended(&self, ty: TypeId) -> TypeId {
        match ty {
            TypeId::Complex(id) => self.broken.get(&id).map_or(ty, |&unusable| unusable.into()),
            _ => ty,
        }
    }

    /// An id for a complex type that is compiled later.
    fn reserve(&mut self, decl: Decl, label: Rc<str>) -> ComplexId {
        let id = ComplexId(self.types.complex.len() as u32);
        self.types.complex.push(empty(&label));
        self.waiting.push_back((id, decl, label));
        self.declarations.insert(id, decl);
        id
    }
}

/// What the namespaces of CWMP begin with, and the prefix without which some devices find no method.
const CWMP: (&str, &str) = ("urn:dslforum-org:cwmp-1-", "cwmp");

/// A complex type without content.
pub(crate) fn empty(label: &str) -> Complex {
    Complex {
        name: None,
        label: label.into(),
        base: None,
        derivation: Derivation::None,
        is_abstract: false,
        fields: Vec::new(),
        content: Vec::new(),
        array: None,
        doc: None,
    }
}
