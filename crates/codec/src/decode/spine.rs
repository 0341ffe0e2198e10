//! Which array of a message is read while it comes: [`Spine`].

use castile_plan::{ComplexId, FieldKind, Plan, TypeId, Types};

use crate::error::{Error, Kind};

/// Which array of a message is streamed: the numbers of the fields that lead to it from the body's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spine {
    /// As a user would name it.
    name: String,
    fields: Vec<u32>,
    /// The type of which the array is a field.
    holder: ComplexId,
    /// Whether the body's one element is the record that the other values belong to.
    wrapped: bool,
}

/// The records through which a spine may lead.
const SPINE_MAX: usize = 8;

/// Groups whose names together are longer are not looked into for the sake of a message.
const NAME_BYTES_MAX: usize = 1000;

impl Spine {
    /// The array of a message that is called `name` (`a.b` for field `b` of field `a`), or the only one in
    /// the field called so, or the only one at all.
    ///
    /// # Errors
    /// There is none, or there are several; the message is one of SOAP encoding.
    pub fn find(types: &Types, plan: &Plan, name: Option<&str>) -> Result<Spine, Error> {
        if plan.encoded {
            let why = "a message of SOAP encoding is read whole only: what it refers to may stand at its end";
            return Err(Error::caller(Kind::Unsupported, why));
        }
        let (_, wrapped) = plan.values(types);
        let mut search = Search {
            types,
            wrapped,
            names: Vec::new(),
            fields: Vec::new(),
            found: Vec::new(),
            refused: None,
        };
        search.look(plan.body);
        let is = |given: &str, name: &str| name == given || given.ends_with(&format!(".{name}"));
        let holds = |given: &str, name: &str| given.starts_with(&format!("{name}."));
        let found = |fits: &dyn Fn(&str, &str) -> bool| {
            let fits = |spine: &&Spine| name.is_none_or(|name| fits(&spine.name, name));
            search.found.iter().filter(fits).collect::<Vec<_>>()
        };
        let mut fitting = found(&is);
        if fitting.is_empty() {
            fitting = found(&holds);
        }
        if let [spine] = fitting[..] {
            return Ok(spine.clone());
        }
        let what = match (fitting.is_empty(), name) {
            (false, _) => "several arrays can be streamed: name one".to_owned(),
            (true, Some(name)) => match Search::why_not(types, plan, |given| is(given, name)) {
                Some(why) => format!("{name} cannot be streamed: {why}"),
                None => "no array of this name can be streamed".to_owned(),
            },
            (true, None) => "no array that can be streamed".to_owned(),
        };
        let all: Vec<&str> = search.found.iter().map(|spine| &*spine.name).collect();
        let why = format!("{what}; there are [{}]", all.join(", "));
        Err(Error::caller(Kind::UnknownName, why))
    }

    /// The array as [`Spine::find`] takes it: `a.b` for field `b` of field `a`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is the last of the message's values, so that all others come before it.
    pub fn is_last(&self, types: &Types, plan: &Plan) -> bool {
        let (values, _) = plan.values(types);
        self.value() as usize + 1 == types.complex(values).fields.len()
    }

    /// The number of the message's value in which the array is.
    pub fn value(&self) -> u32 {
        let place = self.fields.get(usize::from(self.wrapped));
        place.copied().unwrap_or_default()
    }

    /// The numbers of the fields that lead to the array.
    pub(super) fn fields(&self) -> &[u32] {
        &self.fields
    }

    /// The complex type that has the array, and its field there.
    pub fn array(&self) -> (ComplexId, u32) {
        (self.holder, self.fields.last().copied().unwrap_or_default())
    }
}

/// A search for arrays.
struct Search<'t> {
    types: &'t Types,
    wrapped: bool,
    names: Vec<&'t str>,
    fields: Vec<u32>,
    found: Vec<Spine>,
    /// The fields to which no spine leads, and why; only noted for who asks.
    refused: Option<Vec<(String, &'static str)>>,
}

const IN_GROUP: &str = "it stands in or beside a group that repeats, which is read whole";
const IN_MIXED: &str = "it stands beside text";
const IN_ABSTRACT: &str = "it stands in an abstract type, of which another type comes";
const IN_ITEM: &str = "each item of another array has one, and items are read whole";
const TOO_DEEP: &str = "it stands too deep";

impl<'t> Search<'t> {
    /// Why none of the fields that are meant is an array that can be streamed; `None` when there are none.
    fn why_not(types: &'t Types, plan: &Plan, meant: impl Fn(&str) -> bool) -> Option<&'static str> {
        let mut search = Search {
            types,
            wrapped: plan.values(types).1,
            names: Vec::new(),
            fields: Vec::new(),
            found: Vec::new(),
            refused: Some(Vec::new()),
        };
        search.look(plan.body);
        let refused = search.refused.unwrap_or_default();
        refused
            .into_iter()
            .find(|(name, _)| meant(name))
            .map(|(_, why)| why)
    }

    fn look(&mut self, id: ComplexId) {
        if let Some(why) = self.obstacle(id) {
            self.refuse(id, why);
            return;
        }
        let types = self.types;
        for (i, field) in types.complex(id).fields.iter().enumerate() {
            if field.kind != FieldKind::Element {
                continue;
            }
            self.fields.push(i as u32);
            // The one element around the values has no name that a user would know.
            let named = !(self.wrapped && self.fields.len() == 1);
            if named {
                self.names.push(&field.name);
            }
            match field.ty {
                ty if field.many => {
                    self.found.push(Spine {
                        name: self.names.join("."),
                        fields: self.fields.clone(),
                        holder: id,
                        wrapped: self.wrapped,
                    });
                    if let TypeId::Complex(item) = ty {
                        self.refuse(item, IN_ITEM);
                    }
                }
                TypeId::Complex(inner) => self.look(inner),
                _ => {}
            }
            if named {
                self.names.pop();
            }
            self.fields.pop();
        }
    }

    /// What keeps a spine from leading through a type.
    fn obstacle(&self, id: ComplexId) -> Option<&'static str> {
        let complex = self.types.complex(id);
        // A pass through a group ends only where another element begins.
        if complex.fields.iter().any(|f| f.kind == FieldKind::Group) {
            return Some(IN_GROUP);
        }
        if self.types.text_field(id).is_some() || self.types.mixed_field(id).is_some() {
            return Some(IN_MIXED);
        }
        if self.fields.len() >= SPINE_MAX {
            return Some(TOO_DEEP);
        }
        complex.is_abstract.then_some(IN_ABSTRACT)
    }

    /// Notes the way to a type, and the elements in it and in its groups.
    fn refuse(&mut self, id: ComplexId, why: &'static str) {
        let Some(refused) = &mut self.refused else { return };
        let types = self.types;
        let path = self.names.join(".");
        let mut groups = vec![(id, path.clone())];
        if why != IN_ITEM {
            refused.push((path, why));
        }
        while let Some((id, path)) = groups.pop() {
            for field in &types.complex(id).fields {
                let name = match &*path {
                    "" => field.name.to_string(),
                    path => format!("{path}.{}", field.name),
                };
                match (&field.kind, field.ty) {
                    (FieldKind::Group, TypeId::Complex(group)) if name.len() < NAME_BYTES_MAX => {
                        groups.push((group, name.clone()));
                    }
                    (FieldKind::Group | FieldKind::Element, _) => {}
                    _ => continue,
                }
                refused.push((name, why));
            }
        }
    }
}
