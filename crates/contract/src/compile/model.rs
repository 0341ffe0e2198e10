//! Content models before they are flattened: [`Model`], always in its simplest form.
//!
//! Groups that say nothing are gone: a sequence in a sequence, a choice in a choice, a group of one
//! particle (the numbers of occurrences are multiplied), a group of none.

use std::rc::Rc;

use castile_plan::{FieldKind, Occurs, QName, TypeId};

/// A particle with everything below it.
#[derive(Debug)]
pub(crate) enum Model {
    Leaf(Rc<Leaf>, Occurs),
    Group(Group),
}

/// An element or a wildcard.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) wire: QName,
    pub(crate) kind: FieldKind,
    pub(crate) ty: TypeId,
    pub(crate) nillable: bool,
    pub(crate) default: Option<Box<str>>,
    pub(crate) fixed: Option<Box<str>>,
    pub(crate) doc: Option<Box<str>>,
}

/// A sequence, choice or all of at least two particles.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) compositor: Compositor,
    pub(crate) occurs: Occurs,
    pub(crate) items: Vec<Rc<Model>>,
    /// The name of the `xsd:group` it comes from.
    pub(crate) name: Option<Box<str>>,
    /// Particles in it, itself included.
    size: u64,
    depth: u32,
    emptiable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compositor {
    Sequence,
    Choice,
    All,
}

impl Compositor {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compositor::Sequence => "sequence",
            Compositor::Choice => "choice",
            Compositor::All => "all",
        }
    }
}

impl Model {
    /// A group in its simplest form; `None` if nothing can stand in it.
    pub(crate) fn group(
        compositor: Compositor,
        mut occurs: Occurs,
        items: Vec<Rc<Model>>,
        name: Option<&str>,
    ) -> Option<Rc<Model>> {
        if occurs.max == 0 {
            return None;
        }
        let mut flat: Vec<Rc<Model>> = Vec::with_capacity(items.len());
        for item in items {
            match &*item {
                Model::Group(inner) if inner.dissolves_in(compositor) => {
                    if inner.occurs.min == 0 {
                        occurs.min = 0;
                    }
                    flat.extend(inner.items.iter().cloned());
                }
                _ => flat.push(item),
            }
        }
        if flat.len() < 2 {
            return flat.pop().map(|only| only.times(occurs, name));
        }
        Some(Rc::new(Model::Group(Group::new(
            compositor,
            occurs,
            flat,
            name.map(Into::into),
        ))))
    }

    /// The particle, occurring `occurs` as often.
    pub(crate) fn times(self: Rc<Self>, occurs: Occurs, name: Option<&str>) -> Rc<Self> {
        if occurs == Occurs::ONE && name.is_none() {
            return self;
        }
        Rc::new(match &*self {
            Model::Leaf(leaf, own) => Model::Leaf(leaf.clone(), product(*own, occurs)),
            Model::Group(group) => {
                let name = name.map(Into::into).or_else(|| group.name.clone());
                let items = group.items.clone();
                Model::Group(Group::new(
                    group.compositor,
                    product(group.occurs, occurs),
                    items,
                    name,
                ))
            }
        })
    }

    /// Particles in it, itself included; a bound for the cost of walking it.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Model::Leaf(..) => 1,
            Model::Group(group) => group.size,
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        match self {
            Model::Leaf(..) => 1,
            Model::Group(group) => group.depth,
        }
    }

    fn emptiable(&self) -> bool {
        match self {
            Model::Leaf(_, occurs) => occurs.min == 0,
            Model::Group(group) => group.emptiable,
        }
    }
}

impl Group {
    fn new(
        compositor: Compositor,
        mut occurs: Occurs,
        items: Vec<Rc<Model>>,
        name: Option<Box<str>>,
    ) -> Self {
        let empties = items.iter().filter(|item| item.emptiable()).count();
        let emptied = match compositor {
            Compositor::Choice => empties > 0,
            _ => empties == items.len(),
        };
        // A group whose every particle may be left out need not be optional itself.
        if emptied && occurs.max == 1 && compositor != Compositor::Choice {
            occurs = Occurs::ONE;
        }
        Group {
            size: items
                .iter()
                .fold(1u64, |sum, item| sum.saturating_add(item.size())),
            depth: items
                .iter()
                .map(|item| item.depth())
                .max()
                .unwrap_or(0)
                .saturating_add(1),
            emptiable: emptied || occurs.min == 0,
            compositor,
            occurs,
            items,
            name,
        }
    }

    /// Whether its items can stand in a group of this kind directly.
    fn dissolves_in(&self, outer: Compositor) -> bool {
        match outer {
            Compositor::All => false,
            Compositor::Sequence => self.compositor == outer && self.occurs == Occurs::ONE,
            Compositor::Choice => self.compositor == outer && self.occurs.max == 1,
        }
    }
}

/// How often something occurs `b` times that itself occurs `a` times.
fn product(a: Occurs, b: Occurs) -> Occurs {
    let times = |a: u32, b: u32| match (a, b) {
        (0, _) | (_, 0) => 0,
        _ => a.saturating_mul(b),
    };
    Occurs {
        min: times(a.min, b.min).min(Occurs::UNBOUNDED - 1),
        max: times(a.max, b.max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castile_plan::NsIx;

    fn leaf(name: &str, min: u32, max: u32) -> Rc<Model> {
        let wire = QName::new(NsIx::NONE, name);
        let (kind, ty) = (FieldKind::Element, TypeId::Any);
        let leaf = Leaf {
            wire,
            kind,
            ty,
            nillable: false,
            default: None,
            fixed: None,
            doc: None,
        };
        Rc::new(Model::Leaf(leaf.into(), Occurs { min, max }))
    }

    fn shown(model: &Model) -> String {
        let times = |o: &Occurs| {
            if *o == Occurs::ONE {
                String::new()
            } else {
                format!("{{{},{}}}", o.min, o.max)
            }
        };
        match model {
            Model::Leaf(leaf, occurs) => format!("{}{}", leaf.wire.local, times(occurs)),
            Model::Group(g) => {
                let items: Vec<_> = g.items.iter().map(|i| shown(i)).collect();
                let sign = match g.compositor {
                    Compositor::Sequence => ",",
                    Compositor::Choice => "|",
                    Compositor::All => "&",
                };
                format!("({}){}", items.join(sign), times(&g.occurs))
            }
        }
    }

    #[test]
    fn groups_take_their_simplest_form() {
        use Compositor::{Choice, Sequence};
        let optional = Occurs { min: 0, max: 1 };
        let many = Occurs { min: 0, max: 9 };
        let sequence = |occurs, items| Model::group(Sequence, occurs, items, None).unwrap();
        let choice = |occurs, items| Model::group(Choice, occurs, items, None).unwrap();
        let two = || vec![leaf("a", 1, 1), leaf("b", 1, 1)];
        let inner = sequence(Occurs::ONE, two());
        assert_eq!(
            shown(&sequence(Occurs::ONE, vec![inner, leaf("c", 1, 1)])),
            "(a,b,c)"
        );
        assert_eq!(shown(&sequence(many, vec![leaf("a", 1, 2)])), "a{0,18}");
        let inner = choice(optional, two());
        assert_eq!(
            shown(&choice(Occurs::ONE, vec![inner, leaf("c", 1, 1)])),
            "(a|b|c){0,1}"
        );
        assert_eq!(
            shown(&sequence(optional, vec![leaf("a", 0, 1), leaf("b", 0, 5)])),
            "(a{0,1},b{0,5})"
        );
        let inner = choice(many, two());
        assert_eq!(
            shown(&sequence(Occurs::ONE, vec![inner, leaf("c", 1, 1)])),
            "((a|b){0,9},c)"
        );
        assert!(Model::group(Choice, Occurs::ONE, vec![], None).is_none());
        assert!(Model::group(Choice, Occurs { min: 0, max: 0 }, two(), None).is_none());
    }
}
