//! Document/literal bodies.

use base64::Engine as _;

use super::{escape, lexical};
use crate::trace::{Field, Kind, Trace};

/// The element `name` with the trace's values.
pub(super) fn values(name: &str, trace: &Trace) -> String {
    let mut out = String::new();
    match trace.kind {
        Kind::Bytes => {
            element(name, &mut out, |out| {
                trace.rows.iter().flatten().for_each(|field| lexical(field, out));
            });
        }
        Kind::Packed => {
            let bytes: Vec<u8> = trace.rows.iter().flatten().flat_map(packed).collect();
            element(name, &mut out, |out| {
                base64::engine::general_purpose::STANDARD.encode_string(&bytes, out);
            });
        }
        Kind::Nested => levels(name, trace, &mut out),
        Kind::Google => search(name, trace, &mut out),
        _ => element(name, &mut out, |out| items(trace, out)),
    }
    out
}

/// The eight bytes of a double in base64 arrays.
pub(super) fn packed(field: &Field) -> [u8; 8] {
    match field {
        Field::Double(v) => v.to_le_bytes(),
        _ => [0; 8],
    }
}

fn element(name: &str, out: &mut String, content: impl FnOnce(&mut String)) {
    out.push_str(&format!("<{name}>"));
    content(out);
    out.push_str(&format!("</{name}>"));
}

fn items(trace: &Trace, out: &mut String) {
    for row in &trace.rows {
        element("item", out, |out| match trace.kind {
            Kind::ClassAds => element("attributes", out, |out| {
                for attribute in row.chunks(3) {
                    element("item", out, |out| record(trace.kind, attribute, out));
                }
            }),
            _ => record(trace.kind, row, out),
        });
    }
}

/// A row's fields as elements; a single one without a name is the content itself. Columns with one path
/// before the slash stand in one inner element.
fn record(kind: Kind, row: &[Field], out: &mut String) {
    let mut inner = None;
    for ((name, _), field) in kind.columns().iter().zip(row) {
        let (group, name) = match name.split_once('/') {
            Some((group, name)) => (Some(group), name),
            None => (None, *name),
        };
        if group != inner {
            if let Some(open) = inner {
                out.push_str(&format!("</{open}>"));
            }
            if let Some(open) = group {
                out.push_str(&format!("<{open}>"));
            }
            inner = group;
        }
        match name {
            "" => lexical(field, out),
            name => element(name, out, |out| lexical(field, out)),
        }
    }
}

fn search(name: &str, trace: &Trace, out: &mut String) {
    element(name, out, |out| {
        out.push_str(
            "<documentFiltering>false</documentFiltering><searchComments></searchComments>\
             <estimatedTotalResultsCount>3220000</estimatedTotalResultsCount><estimateIsExact>false</estimateIsExact>",
        );
        element("resultElements", out, |out| items(trace, out));
        out.push_str(&format!(
            "<searchQuery>grid computing</searchQuery><startIndex>1</startIndex><endIndex>{}</endIndex>\
             <searchTips></searchTips><directoryCategories></directoryCategories><searchTime>0.194871</searchTime>",
            trace.rows.len()
        ));
    });
}

fn levels(name: &str, trace: &Trace, out: &mut String) {
    const A: &str = "urn:castile:bench:a";
    const B: &str = "urn:castile:bench:b";
    for (depth, row) in trace.rows.iter().enumerate() {
        let text: Vec<String> = row
            .iter()
            .map(|field| {
                let mut text = String::new();
                if let Field::Text(value) = field {
                    escape(value, &mut text);
                }
                text
            })
            .collect();
        let [a_id, b_id, a_kind, b_kind, a_name, b_name] = text.as_slice() else {
            continue;
        };
        let name = if depth == 0 { name } else { "level" };
        out.push_str(&format!(
            "<{name} xmlns:a=\"{A}\" xmlns:b=\"{B}\" a:id=\"{a_id}\" b:id=\"{b_id}\" a:kind=\"{a_kind}\" \
             b:kind=\"{b_kind}\"><a:name>{a_name}</a:name><b:name>{b_name}</b:name>"
        ));
    }
    for depth in (0..trace.rows.len()).rev() {
        let name = if depth == 0 { name } else { "level" };
        out.push_str(&format!("</{name}>"));
    }
}
