//! Contracts that would cost too much.

mod common;

use std::fmt::Write;

use castile_contract::{Contract, Kind, Limits, MemoryResolver, Options};
use castile_plan::TypeId;
use common::{load, schema, shown};

#[test]
fn groups_that_multiply_are_refused_by_name() {
    let mut groups = "<xs:group name='g0'><xs:sequence><xs:element name='a'/><xs:element name='b'/></xs:sequence></xs:group>".to_owned();
    for i in 1..26 {
        let before = i - 1;
        write!(groups, "<xs:group name='g{i}'><xs:sequence><xs:group ref='t:g{before}'/><xs:group ref='t:g{before}'/></xs:sequence></xs:group>").unwrap();
    }
    let contract = schema(&format!(
        "{groups}<xs:complexType name='Bomb'><xs:group ref='t:g25'/></xs:complexType>
         <xs:complexType name='T'><xs:sequence><xs:element name='bomb' type='t:Bomb' minOccurs='0'/><xs:element name='ok' type='xs:int'/></xs:sequence></xs:complexType>"
    ));
    let line = shown(&contract, "T");
    assert!(line.contains("the limit particles_max = 16384"), "{line}");
    assert!(line.ends_with("ok:int!)"), "{line}");
}

#[test]
fn attribute_groups_that_multiply_do_not() {
    let mut groups = "<xs:attributeGroup name='g0'><xs:attribute name='a'/></xs:attributeGroup>".to_owned();
    for i in 1..60 {
        let before = i - 1;
        write!(groups, "<xs:attributeGroup name='g{i}'><xs:attributeGroup ref='t:g{before}'/><xs:attributeGroup ref='t:g{before}'/></xs:attributeGroup>").unwrap();
    }
    let contract = schema(&format!(
        "{groups}<xs:complexType name='T'><xs:attributeGroup ref='t:g59'/></xs:complexType>"
    ));
    assert_eq!(shown(&contract, "T"), "@a:anySimpleType");
}

#[test]
fn deep_nesting_and_long_chains_are_refused_by_name() {
    let deep = format!(
        "{}<xs:element name='a'/><xs:element name='b'/>{}",
        "<xs:choice><xs:element name='x'/><xs:sequence><xs:element name='y'/>".repeat(100),
        "</xs:sequence></xs:choice>".repeat(100)
    );
    let mut chain =
        "<xs:complexType name='c0'/><xs:simpleType name='s0'><xs:restriction base='xs:int'/></xs:simpleType>"
            .to_owned();
    for i in 1..200 {
        let before = i - 1;
        write!(
            chain,
            "<xs:complexType name='c{i}'><xs:complexContent><xs:extension base='t:c{before}'/></xs:complexContent></xs:complexType>
             <xs:simpleType name='s{i}'><xs:restriction base='t:s{before}'/></xs:simpleType>"
        )
        .unwrap();
    }
    // The last ones first, so that the chain is walked from its end.
    let contract = schema(&format!(
        "<xs:complexType name='T'><xs:sequence><xs:element name='d'><xs:complexType>{deep}</xs:complexType></xs:element>
         <xs:element name='c' type='t:c199'/><xs:element name='s' type='t:s199'/></xs:sequence></xs:complexType>{chain}"
    ));
    let line = shown(&contract, "T");
    assert_eq!(
        line.matches("limit depth_max = 64 is exceeded").count(),
        3,
        "{line}"
    );
}

#[test]
fn imports_without_end_stop() {
    struct Endless;
    impl castile_contract::Resolver for Endless {
        fn load(&self, location: &str) -> Result<castile_contract::Loaded, castile_contract::ResolveError> {
            let text = format!(
                "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:include schemaLocation='{location}x'/>
                 <xs:include schemaLocation='{location}y'/></xs:schema>"
            );
            Ok(castile_contract::Loaded {
                bytes: text.into(),
                location: location.into(),
                charset: None,
            })
        }
    }
    let error = Contract::load("a", &Endless, &Options::default()).unwrap_err();
    assert!(
        matches!(
            error.kind(),
            Kind::Limit {
                name: "documents_max",
                max: 1000
            }
        ),
        "{error}"
    );
}

#[test]
fn bytes_and_tables_are_limited() {
    let limits = |limits| Options {
        limits,
        ..Options::default()
    };
    let text = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:complexType name='a'><xs:attribute name='a'/><xs:attribute name='b'/></xs:complexType></xs:schema>";
    let error = load(
        &[("a", text)],
        &limits(Limits {
            bytes_max: 10,
            ..Limits::default()
        }),
    )
    .unwrap_err();
    assert!(matches!(
        error.kind(),
        Kind::Limit {
            name: "bytes_max",
            ..
        }
    ));
    let error = load(
        &[("a", text)],
        &limits(Limits {
            table_max: 1,
            ..Limits::default()
        }),
    )
    .unwrap_err();
    assert!(matches!(
        error.kind(),
        Kind::Limit {
            name: "table_max",
            ..
        }
    ));
    assert!(
        error
            .to_string()
            .starts_with("a: limit table_max = 1 is exceeded")
    );
}

/// Inheritance that would make a table of quadratic size.
#[test]
fn inherited_fields_count() {
    let mut types = String::new();
    let attributes: String = (0..1000)
        .map(|i| format!("<xs:attribute name='a{i}'/>"))
        .collect();
    write!(types, "<xs:complexType name='B'>{attributes}</xs:complexType>").unwrap();
    for i in 0..9000 {
        write!(types, "<xs:complexType name='d{i}'><xs:complexContent><xs:extension base='t:B'/></xs:complexContent></xs:complexType>").unwrap();
    }
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:t'>{types}</xs:schema>"
    );
    let files = MemoryResolver::new().with("t.xsd", text);
    let error = Contract::load("t.xsd", &files, &Options::default()).unwrap_err();
    assert!(
        matches!(
            error.kind(),
            Kind::Limit {
                name: "table_max",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn deep_documents_are_refused() {
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>{}{}</xs:schema>",
        "<a>".repeat(5000),
        "</a>".repeat(5000)
    );
    let error = load(&[("a", &text)], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("depth_max"), "{error}");
    assert!(matches!(
        schema("").types.type_by_clark("x"),
        None | Some(TypeId::Any)
    ));
}
