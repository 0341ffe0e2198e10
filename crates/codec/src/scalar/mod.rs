//! Values of simple types and their text.

mod format;
mod integer;
mod parse;

pub(crate) use format::{Context, format, qname_uris};
pub(crate) use integer::range;
pub(crate) use parse::{packed, parse, parse_contract, push, push_bytes};

use std::borrow::Cow;

use castile_lexical as lexical;
use castile_plan::{Builtin, SimpleId, Types, Variety, WhiteSpace};
use castile_value::Scalar;

use crate::error::{Error, Guilty, Kind};

/// A text that breaks a simple type: names the type and says why.
#[cold]
pub(crate) fn refused(types: &Types, id: SimpleId, guilty: Guilty, why: &str) -> Error {
    let kind = if guilty == Guilty::Peer {
        Kind::Lexical
    } else {
        Kind::Value
    };
    let label = types.type_label(castile_plan::TypeId::Simple(id));
    Error::new(kind, guilty, format!("{why} (the type is {label})"))
}

/// Whether the type's values are text to a program.
pub(crate) fn is_text(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        AnySimpleType
            | String
            | NormalizedString
            | Token
            | Language
            | Name
            | NCName
            | NmToken
            | Id
            | IdRef
            | Entity
            | AnyUri
    )
}

/// Checks a value against the facets of its type; `text` is its text, white space treated as the type
/// says.
pub(crate) fn check_facets(
    types: &Types,
    id: SimpleId,
    value: &Scalar<'_>,
    text: &str,
    guilty: Guilty,
) -> Result<(), Error> {
    match types.rules(id) {
        Some(rules) => rules
            .check(value, text)
            .map_err(|why| refused(types, id, guilty, &why)),
        None => Ok(()),
    }
}

/// Checks text against the built-in types that admit not every text.
pub(crate) fn check_name(
    types: &Types,
    id: SimpleId,
    builtin: Builtin,
    text: &str,
    guilty: Guilty,
) -> Result<(), Error> {
    if name_check(builtin).is_none_or(|fits| fits(text)) {
        Ok(())
    } else {
        Err(refused(types, id, guilty, &format!("{text:?} is no such name")))
    }
}

/// What tells whether a text is a value of a built-in type that admits not every text.
pub(crate) fn name_check(builtin: Builtin) -> Option<fn(&str) -> bool> {
    Some(match builtin {
        Builtin::Name => lexical::is_name,
        Builtin::NCName | Builtin::Id | Builtin::IdRef | Builtin::Entity => lexical::is_ncname,
        Builtin::NmToken => lexical::is_nmtoken,
        Builtin::Language => lexical::is_language,
        _ => return None,
    })
}

/// Text as its type sees it (XSD 1.0 part 2, 4.3.6).
pub(crate) fn spaced(white_space: WhiteSpace, text: Cow<'_, str>) -> Cow<'_, str> {
    let change: fn(&str) -> Cow<'_, str> = match white_space {
        WhiteSpace::Preserve => return text,
        WhiteSpace::Replace => lexical::replace,
        WhiteSpace::Collapse => lexical::collapse,
    };
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => Cow::Owned(change(&text).into_owned()),
    }
}

/// What the type does with white space.
pub(crate) fn white_space(types: &Types, id: SimpleId) -> WhiteSpace {
    types
        .simple(id)
        .facets
        .white_space
        .unwrap_or(WhiteSpace::Collapse)
}

/// The built-in type whose values the simple type holds, for atomic types.
pub(crate) fn builtin(types: &Types, id: SimpleId) -> Option<Builtin> {
    match types.simple(id).variety {
        Variety::Atomic(builtin) => Some(builtin),
        _ => None,
    }
}
