//! Facets (XSD part 2, 4.3).

use castile_plan::{Facets, WhiteSpace};

use crate::names::Ns;
use crate::tree::NodeRef;

/// Puts the facets that stand in `node` over those of the step before. Enumerations and patterns
/// replace what was there: the base keeps its own, and they bind as well. `name` gives the text that is
/// kept of an enumerated value; with one that means nothing, the enumeration asks nothing.
pub(super) fn narrow<'t>(
    facets: &mut Facets,
    node: NodeRef<'t>,
    mut name: impl FnMut(NodeRef<'t>, &'t str) -> Option<Box<str>>,
) {
    let mut patterns = Vec::new();
    let mut enumeration = Some(Vec::new());
    for facet in node.children().filter(|c| c.ns() == Ns::XSD) {
        let Some(value) = facet.attribute("value") else {
            continue;
        };
        match facet.local() {
            "pattern" => patterns.push(value.into()),
            "enumeration" => {
                enumeration = enumeration.zip(name(facet, value)).map(|(mut values, value)| {
                    values.push(value);
                    values
                });
            }
            name => one(facets, name, value),
        }
    }
    if !patterns.is_empty() {
        facets.patterns = patterns;
    }
    if let Some(enumeration) = enumeration.filter(|values| !values.is_empty()) {
        facets.enumeration = enumeration;
    }
}

/// A facet that stands at most once a step. One whose value is no number says nothing.
fn one(facets: &mut Facets, name: &str, value: &str) {
    let value = value.trim();
    let bound = || Some(value.into());
    match name {
        "length" => facets.length = value.parse().ok().or(facets.length),
        "minLength" => facets.min_length = value.parse().ok().or(facets.min_length),
        "maxLength" => facets.max_length = value.parse().ok().or(facets.max_length),
        "totalDigits" => facets.total_digits = value.parse().ok().or(facets.total_digits),
        "fractionDigits" => facets.fraction_digits = value.parse().ok().or(facets.fraction_digits),
        "whiteSpace" => facets.white_space = white_space(value).or(facets.white_space),
        "minInclusive" => (facets.min_inclusive, facets.min_exclusive) = (bound(), None),
        "minExclusive" => (facets.min_inclusive, facets.min_exclusive) = (None, bound()),
        "maxInclusive" => (facets.max_inclusive, facets.max_exclusive) = (bound(), None),
        "maxExclusive" => (facets.max_inclusive, facets.max_exclusive) = (None, bound()),
        _ => {}
    }
}

fn white_space(value: &str) -> Option<WhiteSpace> {
    match value {
        "preserve" => Some(WhiteSpace::Preserve),
        "replace" => Some(WhiteSpace::Replace),
        "collapse" => Some(WhiteSpace::Collapse),
        _ => None,
    }
}
