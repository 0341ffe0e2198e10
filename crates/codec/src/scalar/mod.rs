//! Values of simple types and their text.

mod format;
mod integer;
mod parse;

pub(crate) use format::{Context, format, qname_uris};
pub(crate) use integer::range;
pub(crate) use parse::{parse, parse_contract, push, push_bytes};

use castile_plan::{Builtin, SimpleId, Types, Variety};

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

/// Checks an enumeration of text against the type and the types it restricts.
pub(crate) fn check_enumeration(
    types: &Types,
    id: SimpleId,
    text: &str,
    guilty: Guilty,
) -> Result<(), Error> {
    let mut at = Some(id);
    while let Some(step) = at {
        let simple = types.simple(step);
        let allowed = &simple.facets.enumeration;
        if !allowed.is_empty() && !allowed.iter().any(|a| &**a == text) {
            let shown: Vec<&str> = allowed.iter().take(8).map(|a| &**a).collect();
            let more = if allowed.len() > 8 { ", ..." } else { "" };
            let why = format!("{text:?} is not one of {}{more}", shown.join(", "));
            return Err(refused(types, id, guilty, &why));
        }
        at = simple.base;
    }
    Ok(())
}

/// The built-in type whose values the simple type holds, for atomic types.
pub(crate) fn builtin(types: &Types, id: SimpleId) -> Option<Builtin> {
    match types.simple(id).variety {
        Variety::Atomic(builtin) => Some(builtin),
        _ => None,
    }
}
