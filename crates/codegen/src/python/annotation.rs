//! Annotations: what a value is in Python, and how that is written where names are shadowed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use castile_value::DType;

use super::names::BUILTINS;

/// What a value is in Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// A name of Python, or dotted one of a module that [`MODULES`] lists.
    Name(&'static str),
    /// A class, or a union, of the generated module.
    Own(String),
    /// One of the texts of an enumeration, by the alias that the module has for them.
    Text(String),
    /// An array of numbers.
    Array(DType),
    /// A list.
    List(Box<Ty>),
    /// Any sequence, for what is sent.
    Sequence(Box<Ty>),
    /// Any of these; none is a union or stands there twice.
    Union(Vec<Ty>),
}

pub(super) const ANY: Ty = Ty::Name("Any");
pub(super) const NONE: Ty = Ty::Name("None");

impl Ty {
    /// This or that.
    pub(super) fn or(self, other: Ty) -> Ty {
        if self == ANY || other == ANY {
            return ANY;
        }
        let mut all = match self {
            Ty::Union(all) => all,
            one => vec![one],
        };
        let more = match other {
            Ty::Union(more) => more,
            one => vec![one],
        };
        for one in more {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        // None stands last.
        all.sort_by_key(|ty| *ty == NONE);
        match <[Ty; 1]>::try_from(all) {
            Ok([only]) => only,
            Err(all) => Ty::Union(all),
        }
    }

    /// This, if nothing else could be there: else this or `None`.
    pub(super) fn or_none(self, none: bool) -> Ty {
        if none { self.or(NONE) } else { self }
    }

    /// A list of it.
    pub(super) fn list(self) -> Ty {
        Ty::List(self.into())
    }

    /// Whether every value of this is one of that.
    pub(super) fn is_within(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Union(all), other) => all.iter().all(|ty| ty.is_within(other)),
            (one, Ty::Union(all)) => all.iter().any(|ty| one.is_within(ty)),
            (_, &ANY) | (Ty::Text(_), Ty::Name("str")) => true,
            (one, other) => one == other,
        }
    }
}

/// Where names come from: the name, the statement that brings it, and the same under another name.
const IMPORTS: &[(&str, &str)] = &[
    ("Sequence", "collections.abc"),
    ("Decimal", "decimal"),
    ("TYPE_CHECKING", "typing"),
    ("Any", "typing"),
    ("Literal", "typing"),
    ("Protocol", "typing"),
    ("TypeAlias", "typing"),
    ("Unpack", "typing"),
    ("typed", "castile"),
    ("NDArray", "numpy.typing"),
];

/// Names that the module has besides those that the contract gives rise to.
pub(super) fn reserved() -> Vec<&'static str> {
    let mut all: Vec<&str> = IMPORTS.iter().map(|(name, _)| *name).collect();
    all.extend(BUILTINS);
    all.extend(["np", "builtins", "annotations", "_types"]);
    all
}

/// What the text so far needs from elsewhere.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Names, each with another one where it was shadowed.
    imported: BTreeSet<(&'static str, Option<String>)>,
    /// Names of this module that were shadowed, by the other name.
    aliases: BTreeMap<String, String>,
}

impl Uses {
    /// Notes that a name is used where nothing shadows it.
    pub(super) fn note(&mut self, name: &'static str) {
        self.imported.insert((name, None));
    }

    /// The import statements, in the order that formatters have them in.
    pub(super) fn imports(&self) -> String {
        let from = |name: &str| {
            IMPORTS
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, module)| *module)
        };
        let mut standard: Vec<String> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        for (name, alias) in &self.imported {
            match (*name, alias) {
                ("np", None) => others.push("import numpy as np".into()),
                ("np", Some(alias)) => others.push(format!("import numpy as {alias}")),
                ("builtins", Some(alias)) => standard.push(format!("import builtins as {alias}")),
                _ => {}
            }
        }
        let modules = ["collections.abc", "decimal", "typing", "castile", "numpy.typing"];
        for module in modules {
            let out = if module == "castile" || module == "numpy.typing" {
                &mut others
            } else {
                &mut standard
            };
            let here = self
                .imported
                .iter()
                .filter(|(name, _)| from(name) == Some(module));
            let mut plain: Vec<&str> = here
                .clone()
                .filter(|(_, a)| a.is_none())
                .map(|(n, _)| *n)
                .collect();
            // Constants stand before classes.
            plain.sort_by_key(|name| (!name.chars().all(|c| c.is_uppercase() || c == '_'), *name));
            if !plain.is_empty() {
                out.push(format!("from {module} import {}", plain.join(", ")));
            }
            for (name, alias) in here {
                out.extend(
                    alias
                        .as_ref()
                        .map(|alias| format!("from {module} import {name} as {alias}")),
                );
            }
        }
        let parts = [standard, others];
        let parts: Vec<String> = parts
            .iter()
            .filter(|p| !p.is_empty())
            .map(|p| p.join("\n"))
            .collect();
        parts.join("\n\n")
    }

    /// The statements that give shadowed classes other names.
    pub(super) fn aliases(&self) -> String {
        self.aliases
            .iter()
            .map(|(alias, name)| format!("{alias} = {name}\n"))
            .collect()
    }
}

/// A scope in which annotations are written: the names in it hide those of the module.
pub(super) struct Writer<'u> {
    shadowed: HashSet<String>,
    uses: &'u mut Uses,
}

impl<'u> Writer<'u> {
    pub(super) fn new(uses: &'u mut Uses, shadowed: impl IntoIterator<Item = String>) -> Self {
        Writer {
            shadowed: shadowed.into_iter().collect(),
            uses,
        }
    }

    /// An annotation.
    pub(super) fn write(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Name("None") => "None".into(),
            Ty::Name("dict[str, str]") => {
                let (dict, text) = (self.name("dict"), self.name("str"));
                format!("{dict}[{text}, {text}]")
            }
            Ty::Name(name) => self.name(name),
            Ty::Own(name) | Ty::Text(name) => self.own(name),
            Ty::Array(dtype) => {
                let array = self.name("NDArray");
                format!("{array}[{}]", self.dtype(*dtype))
            }
            Ty::List(item) => {
                let list = self.name("list");
                format!("{list}[{}]", self.write(item))
            }
            Ty::Sequence(item) => {
                let sequence = self.name("Sequence");
                format!("{sequence}[{}]", self.write(item))
            }
            Ty::Union(all) => {
                let all: Vec<String> = all.iter().map(|ty| self.write(ty)).collect();
                all.join(" | ")
            }
        }
    }

    /// NumPy's name of a machine type.
    pub(super) fn dtype(&mut self, dtype: DType) -> String {
        let np = self.name("np");
        match dtype {
            DType::Bool => format!("{np}.bool_"),
            other => format!("{np}.{}", other.name()),
        }
    }

    /// A name that an import brings, or one of Python's own; dotted names by their first part.
    pub(super) fn name(&mut self, name: &'static str) -> String {
        let (head, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        if BUILTINS.contains(&head) {
            if !self.shadowed.contains(head) {
                return name.to_owned();
            }
            let builtins = self.other_name("builtins");
            self.uses.imported.insert(("builtins", Some(builtins.clone())));
            return format!("{builtins}.{name}");
        }
        let alias = self.shadowed.contains(head).then(|| self.other_name(head));
        self.uses.imported.insert((head, alias.clone()));
        format!("{}{rest}", alias.as_deref().unwrap_or(head))
    }

    fn own(&mut self, name: &str) -> String {
        if !self.shadowed.contains(name) {
            return name.to_owned();
        }
        let alias = self.other_name(name);
        self.uses.aliases.insert(alias.clone(), name.to_owned());
        alias
    }

    /// A name that nothing shadows. One underscore: Python changes names that begin with two.
    fn other_name(&self, name: &str) -> String {
        let mut other = format!("_{}", name.trim_start_matches('_'));
        while self.shadowed.contains(&other) {
            other.push('_');
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_hold_each_type_once() {
        let text = || Ty::Name("str");
        assert_eq!(text().or(text()), text());
        assert_eq!(
            NONE.or(text()).or(Ty::Name("int").or(NONE)),
            Ty::Union(vec![text(), Ty::Name("int"), NONE])
        );
        assert_eq!(text().or(ANY), ANY);
        assert!(Ty::Text("Flag".into()).is_within(&text().or(NONE)));
        assert!(!text().or(NONE).is_within(&text()));
    }

    #[test]
    fn shadowed_names_are_written_by_others() {
        let mut uses = Uses::default();
        let shadowed = ["str", "Ship", "_Ship", "np", "Any"].map(String::from);
        let mut writer = Writer::new(&mut uses, shadowed);
        let ty = Ty::Own("Ship".into())
            .list()
            .or(Ty::Name("str"))
            .or(Ty::Array(DType::F64));
        assert_eq!(
            writer.write(&ty),
            "list[_Ship_] | _builtins.str | NDArray[_np.float64]"
        );
        assert_eq!(
            uses.imports(),
            "import builtins as _builtins\n\nimport numpy as _np\nfrom numpy.typing import NDArray"
        );
        assert_eq!(uses.aliases(), "_Ship_ = Ship\n");
    }
}
