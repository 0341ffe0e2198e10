//! What the facets of a simple type ask of its values, ready to be checked: [`Rules`].
//!
//! Made when first asked for: most types of a contract never meet a value.

mod blocks;
mod bounds;
mod pattern;

use std::collections::HashSet;

use castile_lexical as lexical;
use castile_value::Scalar;
use regex::Regex;

use bounds::Bounds;
pub use bounds::Range;
pub use pattern::pattern_problem;

use crate::{Builtin, Facets, Simple, SimpleId, Types, Variety, WhiteSpace};

/// The facets of a simple type and of all that it restricts (XSD 1.0 part 2, 4.3), except white space.
#[derive(Debug)]
pub struct Rules {
    length: Option<u64>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    total_digits: Option<u32>,
    fraction_digits: Option<u32>,
    bounds: Bounds,
    /// One a step; each with the pattern as it stands in the schema. All must match.
    patterns: Vec<(Regex, Box<str>)>,
    /// One a step; the value must be in each.
    enumerations: Vec<Enumeration>,
}

/// The values of an enumeration.
#[derive(Debug)]
struct Enumeration {
    texts: HashSet<Box<str>>,
    /// For types whose values have several texts.
    values: Vec<Scalar<'static>>,
    /// The first of them, for messages.
    shown: Box<str>,
}

/// Whether the type's own facets ask anything.
pub(crate) fn constrains(facets: &Facets) -> bool {
    let Facets {
        length,
        min_length,
        max_length,
        patterns,
        enumeration,
        white_space: _,
        min_inclusive,
        min_exclusive,
        max_inclusive,
        max_exclusive,
        total_digits,
        fraction_digits,
    } = facets;
    let bounds = [min_inclusive, min_exclusive, max_inclusive, max_exclusive];
    length.or(*min_length).or(*max_length).is_some()
        || total_digits.or(*fraction_digits).is_some()
        || !patterns.is_empty()
        || !enumeration.is_empty()
        || bounds.iter().any(|bound| bound.is_some())
}

impl Rules {
    pub(crate) fn new(types: &Types, id: SimpleId) -> Rules {
        let simple = types.simple(id);
        let facets = &simple.facets;
        let atomic = match simple.variety {
            Variety::Atomic(builtin) => Some(builtin),
            _ => None,
        };
        let names = matches!(atomic, Some(Builtin::QName | Builtin::Notation));
        // The length of a QName depends on its prefix, so it means nothing (XSD 1.0, erratum E2-36).
        let length = |n: Option<u64>| n.filter(|_| !names);
        let mut rules = Rules {
            length: length(facets.length),
            min_length: length(facets.min_length),
            max_length: length(facets.max_length),
            total_digits: facets.total_digits,
            fraction_digits: facets.fraction_digits,
            bounds: Bounds::new(atomic, facets),
            patterns: Vec::new(),
            enumerations: Vec::new(),
        };
        let mut step = Some(simple);
        while let Some(simple) = step {
            let base = simple.base.map(|base| types.simple(base));
            rules.add_step(simple, base, atomic);
            step = base;
        }
        rules
    }

    /// A step has the patterns and the enumeration of its base where it has none of its own.
    fn add_step(&mut self, simple: &Simple, base: Option<&Simple>, atomic: Option<Builtin>) {
        let before = base.map(|base| &base.facets);
        let facets = &simple.facets;
        if !facets.patterns.is_empty() && before.is_none_or(|b| b.patterns != facets.patterns) {
            self.patterns.extend(pattern::alternatives(&facets.patterns));
        }
        if !facets.enumeration.is_empty() && before.is_none_or(|b| b.enumeration != facets.enumeration) {
            self.enumerations.push(Enumeration::new(facets, atomic));
        }
    }

    /// The range of a number type's values, when nothing else is asked of them.
    pub fn range(&self) -> Option<Range> {
        let only_bounds = self.patterns.is_empty()
            && self.enumerations.is_empty()
            && self.total_digits.is_none()
            && self.fraction_digits.is_none_or(|digits| digits == 0);
        self.bounds.range().filter(|_| only_bounds)
    }

    /// Whether a value is one of the type. `text` is its text, white space treated as the type says.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn check(&self, value: &Scalar<'_>, text: &str) -> Result<(), String> {
        self.check_length(value)?;
        self.check_digits(value)?;
        self.bounds.check(value, text)?;
        if let Some((_, pattern)) = self.patterns.iter().find(|(regex, _)| !regex.is_match(text)) {
            return Err(format!("{} does not match the pattern {pattern}", quoted(text)));
        }
        match self.enumerations.iter().find(|e| !e.has(value, text)) {
            Some(enumeration) => Err(format!("{} is not one of {}", quoted(text), enumeration.shown)),
            None => Ok(()),
        }
    }

    fn check_length(&self, value: &Scalar<'_>) -> Result<(), String> {
        if self.length.or(self.min_length).or(self.max_length).is_none() {
            return Ok(());
        }
        let (found, unit) = match value {
            Scalar::Text(text) => (text.chars().count(), "characters"),
            Scalar::Bytes(bytes) => (bytes.len(), "bytes"),
            Scalar::List(items) => (items.len(), "items"),
            Scalar::Numbers(column) => (column.view().len(), "items"),
            _ => return Ok(()),
        };
        let found = found as u64;
        let wrong = |wanted: &str, n: u64| Err(format!("{found} {unit} where {wanted} {n} may be"));
        match (self.length, self.min_length, self.max_length) {
            (Some(n), _, _) if found != n => wrong("just", n),
            (_, Some(n), _) if found < n => wrong("at least", n),
            (_, _, Some(n)) if found > n => wrong("at most", n),
            _ => Ok(()),
        }
    }

    fn check_digits(&self, value: &Scalar<'_>) -> Result<(), String> {
        if self.total_digits.is_none() && self.fraction_digits.is_none() {
            return Ok(());
        }
        let (total, fraction) = match value {
            Scalar::Decimal(v) => (v.total_digits(), v.fraction_digits()),
            Scalar::Int(v) => (digits(v.unsigned_abs()), 0),
            Scalar::UInt(v) => (digits(*v), 0),
            _ => return Ok(()),
        };
        let more = |found: usize, most: Option<u32>| most.is_some_and(|most| found > most as usize);
        match (self.total_digits, self.fraction_digits) {
            (Some(most), _) if more(total, self.total_digits) => {
                Err(format!("{total} digits where at most {most} may be"))
            }
            (_, Some(most)) if more(fraction, self.fraction_digits) => Err(format!(
                "{fraction} digits behind the point where at most {most} may be"
            )),
            _ => Ok(()),
        }
    }
}

impl Enumeration {
    fn new(facets: &Facets, atomic: Option<Builtin>) -> Enumeration {
        let spaced = |text: &str| match facets.white_space.unwrap_or(WhiteSpace::Collapse) {
            WhiteSpace::Preserve => text.into(),
            WhiteSpace::Replace => lexical::replace(text).into(),
            WhiteSpace::Collapse => lexical::collapse(text).into(),
        };
        let texts: Vec<Box<str>> = facets.enumeration.iter().map(|text| spaced(text)).collect();
        let some: Vec<&str> = texts.iter().take(8).map(|t| &**t).collect();
        let more = if texts.len() > 8 { ", ..." } else { "" };
        let value = |text| bounds::value(atomic?, text);
        Enumeration {
            shown: format!("{}{more}", some.join(", ")).into(),
            values: texts.iter().filter_map(|text| value(text)).collect(),
            texts: texts.into_iter().collect(),
        }
    }

    fn has(&self, value: &Scalar<'_>, text: &str) -> bool {
        match value {
            Scalar::QName(name) if name.namespace.is_empty() => self.texts.contains(&*name.local),
            Scalar::QName(name) => {
                let clark = format!("{{{}}}{}", name.namespace, name.local);
                self.texts.contains(&*clark)
            }
            _ => self.texts.contains(text) || self.values.iter().any(|v| bounds::equal(v, value)),
        }
    }
}

fn digits(v: u64) -> usize {
    v.checked_ilog10().unwrap_or(0) as usize + 1
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{more}")
}
