//! Arrays (SOAP 1.1, 5.4.2; SOAP 1.2 part 2, 3.1.4.3 to 3.1.4.5).

use castile_message::{Marks, Version};
use castile_plan::{Builtin, ComplexId, Field, QName, Tags, TypeId, Types};
use castile_value::{DType, Item, Items};

use super::super::Encoder;
use super::super::element::wrong_kind;
use crate::error::{Error, Kind};

/// What is known of an array's items.
struct Of<'t> {
    field: &'t Field,
    tags: &'t Tags,
    /// The dimensions that were declared.
    rank: usize,
}

impl<M: Marks> Encoder<'_, M> {
    /// The rest of an element of an array type after its open start tag.
    pub(in super::super) fn array_element(
        &mut self,
        id: ComplexId,
        item: Item<'_>,
        tags: &Tags,
    ) -> Result<(), Error> {
        self.is_untyped();
        let types = self.types;
        let complex = types.complex(id);
        let (Some(field), Some(item_tags)) = (complex.fields.first(), types.tags(id).first()) else {
            return Err(wrong_kind(types, TypeId::Complex(id), &item));
        };
        let rank = complex.array.unwrap_or(1) as usize;
        let of = Of {
            field,
            tags: item_tags,
            rank,
        };
        match item {
            // A record with the items as its one field.
            Item::Record(source) => self.array(&of, source.field(0, &field.name), tags),
            item => self.array(&of, item, tags),
        }
    }

    /// The same where nobody declares of what the array is.
    pub(super) fn any_array(&mut self, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        let field = Field::item(TypeId::Any);
        let item_tags = self.types.element_tags(&field.wire);
        let of = Of {
            field: &field,
            tags: &item_tags,
            rank: 1,
        };
        self.array(&of, item, tags)
    }

    fn array(&mut self, of: &Of<'_>, item: Item<'_>, tags: &Tags) -> Result<(), Error> {
        match item {
            Item::Absent => self.dimensioned(of, &[0], Item::Absent, tags),
            Item::Column(column) => self.dimensioned(of, &[column.len()], Item::Column(column), tags),
            Item::Stream(_) => Err(super::super::stream::no_encoded_stream()),
            Item::Table(table) => self.dimensioned(of, &[table.len()], Item::Table(table), tags),
            Item::Grid(sizes, values) => self.dimensioned(of, sizes, *values, tags),
            Item::Items(items) if of.rank > 1 => {
                let nested = Nested::new(items, of.rank)?;
                self.dimensioned(of, &nested.sizes, Item::Items(&nested), tags)
            }
            Item::Items(items) => self.dimensioned(of, &[items.len()], Item::Items(items), tags),
            other => Err(Error::caller(
                Kind::Value,
                format!("{} given where an array belongs", kind(&other)),
            )),
        }
    }

    fn dimensioned(
        &mut self,
        of: &Of<'_>,
        sizes: &[usize],
        values: Item<'_>,
        tags: &Tags,
    ) -> Result<(), Error> {
        let open = of.field.ty == TypeId::Any;
        if sizes.len() != of.rank && !open && !matches!(values, Item::Absent) {
            let why = format!("an array of {} dimensions where {} belong", sizes.len(), of.rank);
            return Err(Error::caller(Kind::Value, why));
        }
        let narrowed = match (&values, open) {
            (Item::Column(column), true) => Some(Field::item(TypeId::Simple(builtin(column.dtype()).into()))),
            _ => None,
        };
        let field = narrowed.as_ref().unwrap_or(of.field);
        self.array_attributes(field.ty, of.rank, sizes);
        if matches!(values, Item::Absent) || sizes.contains(&0) {
            self.raw("/>");
            return Ok(());
        }
        self.out.push(b'>');
        self.elements(field, of.tags, values)?;
        self.out.extend_from_slice(&tags.close);
        Ok(())
    }

    fn array_attributes(&mut self, item: TypeId, rank: usize, sizes: &[usize]) {
        match self.encoding {
            Some(_) => {
                self.ensure(Types::XSI);
                self.raw(" xsi:type=\"E:Array\"");
            }
            // A literal message that borrows the arrays only, as those of CWMP do.
            None => {
                self.borrows = true;
                self.declare_encoding();
            }
        }
        let (name, nested) = self.item_type(item);
        let sizes = match sizes {
            [0] if rank > 1 => vec!["0"; rank].join(","),
            sizes => sizes
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(","),
        };
        self.raw(&match self.version {
            Version::Soap11 => format!(" E:arrayType=\"{name}{nested}[{sizes}]\""),
            Version::Soap12 if nested.is_empty() => {
                format!(
                    " E:itemType=\"{name}\" E:arraySize=\"{}\"",
                    sizes.replace(',', " ")
                )
            }
            Version::Soap12 => {
                format!(
                    " E:itemType=\"E:Array\" E:arraySize=\"{}\"",
                    sizes.replace(',', " ")
                )
            }
        });
    }

    /// How an array names the type of its items, and the dimensions of those that are arrays.
    fn item_type(&mut self, item: TypeId) -> (String, String) {
        let types = self.types;
        let mut nested = String::new();
        let mut at = item;
        while let TypeId::Complex(id) = at {
            let complex = types.complex(id);
            let (Some(rank), [field]) = (complex.array, &complex.fields[..]) else {
                break;
            };
            // The outermost dimensions stand last.
            nested.insert_str(0, &format!("[{}]", ",".repeat(rank as usize - 1)));
            at = field.ty;
        }
        let any = QName::new(Types::XSD, "anyType");
        let name = types.announced(at).unwrap_or(&any);
        self.ensure(name.ns);
        (types.prefixed(name), nested)
    }
}

/// Lists in lists, as one list with the last dimension fastest.
struct Nested<'a> {
    outer: &'a dyn Items,
    sizes: Vec<usize>,
}

impl<'a> Nested<'a> {
    fn new(outer: &'a dyn Items, rank: usize) -> Result<Self, Error> {
        let mut sizes = vec![outer.len()];
        let mut first = (!outer.is_empty()).then(|| outer.item(0));
        while sizes.len() < rank {
            let (len, next) = match &first {
                Some(Item::Items(items)) => (items.len(), (!items.is_empty()).then(|| items.item(0))),
                Some(Item::Column(column)) => (column.len(), None),
                None => (0, None),
                Some(other) => {
                    let why = format!(
                        "{} given where an array of {rank} dimensions belongs",
                        kind(other)
                    );
                    return Err(Error::caller(Kind::Value, why));
                }
            };
            sizes.push(len);
            first = next;
        }
        let nested = Nested { outer, sizes };
        nested.check(outer, &nested.sizes)?;
        Ok(nested)
    }

    /// Whether all lists of one level are as long as the first.
    fn check(&self, items: &dyn Items, sizes: &[usize]) -> Result<(), Error> {
        let [size, inner @ ..] = sizes else { return Ok(()) };
        if items.len() != *size {
            let why = format!(
                "lists of {} and {size} items in one dimension of an array",
                items.len()
            );
            return Err(Error::caller(Kind::Value, why));
        }
        if inner.is_empty() {
            return Ok(());
        }
        (0..items.len()).try_for_each(|i| match items.item(i) {
            Item::Items(items) => self.check(items, inner),
            Item::Column(column) if inner == [column.len()] => Ok(()),
            _ => Err(Error::caller(
                Kind::Value,
                "the lists of an array do not have the same dimensions",
            )),
        })
    }
}

impl Items for Nested<'_> {
    fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    fn item(&self, i: usize) -> Item<'_> {
        let mut block = self.len();
        let mut at = i;
        let mut item = Item::Items(self.outer);
        for &size in &self.sizes {
            block = block.checked_div(size).unwrap_or(0);
            let Some(number) = at.checked_div(block) else {
                return Item::Absent;
            };
            at -= number * block;
            item = match item {
                Item::Items(items) => items.item(number),
                Item::Column(column) => column.get(number).map_or(Item::Absent, Item::Scalar),
                other => other,
            };
        }
        item
    }
}

fn builtin(dtype: DType) -> Builtin {
    let numbers = Builtin::ALL.iter().copied();
    numbers
        .into_iter()
        .find(|b| b.dtype() == Some(dtype))
        .unwrap_or(Builtin::AnySimpleType)
}

fn kind(item: &Item<'_>) -> &'static str {
    match item {
        Item::Nil => "nil",
        Item::Scalar(scalar) => scalar.kind(),
        Item::Record(_) => "a record",
        Item::Xml(_) => "XML",
        Item::Ref(_) => "a reference",
        _ => "something else",
    }
}
