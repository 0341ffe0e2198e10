//! rpc/encoded bodies (SOAP 1.1, 5): every element says its type, as the toolkits of that age write it.

use base64::Engine as _;

use super::lexical;
use super::literal::packed;
use crate::trace::{Field, Kind, Trace, Type};

/// The element `name` with the trace's values.
pub(super) fn values(name: &str, trace: &Trace) -> String {
    let mut out = String::new();
    match trace.kind {
        Kind::Bytes => {
            typed(name, "xsd:base64Binary", &mut out, |out| {
                trace.rows.iter().flatten().for_each(|field| lexical(field, out));
            });
        }
        Kind::Packed => {
            let bytes: Vec<u8> = trace.rows.iter().flatten().flat_map(packed).collect();
            typed(name, "xsd:base64Binary", &mut out, |out| {
                base64::engine::general_purpose::STANDARD.encode_string(&bytes, out);
            });
        }
        Kind::Ring => ring(name, trace, &mut out),
        Kind::Google => search(name, trace, &mut out),
        _ => items(name, trace, &mut out),
    }
    out
}

fn typed(name: &str, kind: &str, out: &mut String, content: impl FnOnce(&mut String)) {
    out.push_str(&format!("<{name} xsi:type=\"{kind}\">"));
    content(out);
    out.push_str(&format!("</{name}>"));
}

fn array(name: &str, kind: &str, count: usize, out: &mut String, content: impl FnOnce(&mut String)) {
    out.push_str(&format!(
        "<{name} xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"{kind}[{count}]\">"
    ));
    content(out);
    out.push_str(&format!("</{name}>"));
}

/// The type of an array's items.
fn item(kind: Kind) -> &'static str {
    match kind {
        Kind::Doubles => "xsd:double",
        Kind::Ints => "xsd:int",
        Kind::Mios => "b:Mio",
        Kind::Events => "b:Event",
        Kind::Attributes => "b:Attribute",
        Kind::ClassAds => "b:ClassAd",
        Kind::Google => "b:ResultElement",
        _ => "xsd:string",
    }
}

fn items(name: &str, trace: &Trace, out: &mut String) {
    array(name, item(trace.kind), trace.rows.len(), out, |out| {
        for row in &trace.rows {
            typed("item", item(trace.kind), out, |out| match trace.kind {
                Kind::ClassAds => {
                    array("attributes", "b:ClassAdAttribute", row.len() / 3, out, |out| {
                        for attribute in row.chunks(3) {
                            typed("item", "b:ClassAdAttribute", out, |out| {
                                record(trace.kind, attribute, out);
                            });
                        }
                    });
                }
                _ => record(trace.kind, row, out),
            });
        }
    });
}

fn record(kind: Kind, row: &[Field], out: &mut String) {
    let mut inner = false;
    for ((name, kind), field) in kind.columns().iter().zip(row) {
        let category = name.contains('/');
        if category != inner {
            out.push_str(match category {
                true => "<directoryCategory xsi:type=\"b:DirectoryCategory\">",
                false => "</directoryCategory>",
            });
            inner = category;
        }
        let name = name.rsplit('/').next().unwrap_or(name);
        match name {
            "" => lexical(field, out),
            name => typed(name, scalar(*kind), out, |out| lexical(field, out)),
        }
    }
}

fn scalar(kind: Type) -> &'static str {
    match kind {
        Type::Double => "xsd:double",
        Type::Int => "xsd:int",
        Type::Bool => "xsd:boolean",
        Type::Text => "xsd:string",
        Type::Bytes => "xsd:base64Binary",
    }
}

fn search(name: &str, trace: &Trace, out: &mut String) {
    typed(name, "b:GoogleSearchResult", out, |out| {
        let member = |name: &str, kind: &str, value: &str, out: &mut String| {
            typed(name, kind, out, |out| out.push_str(value));
        };
        member("documentFiltering", "xsd:boolean", "false", out);
        member("searchComments", "xsd:string", "", out);
        member("estimatedTotalResultsCount", "xsd:int", "3220000", out);
        member("estimateIsExact", "xsd:boolean", "false", out);
        items("resultElements", trace, out);
        member("searchQuery", "xsd:string", "grid computing", out);
        member("startIndex", "xsd:int", "1", out);
        member("endIndex", "xsd:int", &trace.rows.len().to_string(), out);
        member("searchTips", "xsd:string", "", out);
        array("directoryCategories", "b:DirectoryCategory", 0, out, |_| {});
        member("searchTime", "xsd:double", "0.194871", out);
    });
}

/// Each node points at the next, the last at the first.
fn ring(name: &str, trace: &Trace, out: &mut String) {
    for (index, row) in trace.rows.iter().enumerate() {
        let tag = if index == 0 { name } else { "next" };
        let id = if index == 0 { " id=\"first\"" } else { "" };
        out.push_str(&format!("<{tag} xsi:type=\"b:Node\"{id}>"));
        typed("name", "xsd:string", out, |out| {
            row.iter().for_each(|field| lexical(field, out));
        });
    }
    out.push_str("<next href=\"#first\"/>");
    for index in (0..trace.rows.len()).rev() {
        out.push_str(if index == 0 { "</" } else { "</next>" });
        if index == 0 {
            out.push_str(&format!("{name}>"));
        }
    }
}
