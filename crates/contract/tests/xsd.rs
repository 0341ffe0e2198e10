//! Schema constructs, one by one.

mod common;

use castile_contract::Options;
use castile_plan::{FieldKind, TypeId, Variety};
use common::{load, schema, show, shown, wsdl};

/// Each case: components, the type `T` in one line.
fn check(cases: &[(&str, &str)]) {
    for (components, expected) in cases {
        assert_eq!(shown(&schema(components), "T"), *expected, "{components}");
    }
}

#[test]
fn content_models() {
    check(&[
        ("<xs:complexType name='T'/>", ""),
        (
            "<xs:complexType name='T'><xs:sequence><xs:element name='a' type='xs:int'/>
             <xs:element name='b' type='xs:string' minOccurs='0' nillable='true'/>
             <xs:element name='c' type='t:T' minOccurs='0' maxOccurs='unbounded'/></xs:sequence></xs:complexType>",
            "(a:int!, b:string~?, c:T[]*)",
        ),
        (
            "<xs:complexType name='T'><xs:choice><xs:element name='a'/><xs:sequence minOccurs='0'>
             <xs:element name='b' type='xs:int'/><xs:element name='c' type='xs:int'/></xs:sequence></xs:choice></xs:complexType>",
            "(a:any | (b:int, c:int)?)",
        ),
        (
            "<xs:complexType name='T'><xs:all><xs:element name='a' type='xs:int' minOccurs='0'/>
             <xs:element name='b' type='xs:int'/></xs:all></xs:complexType>",
            "(a:int? & b:int!)",
        ),
        // A group of one element that repeats is an element that repeats.
        (
            "<xs:complexType name='T'><xs:sequence maxOccurs='unbounded' minOccurs='0'>
             <xs:element name='a' type='xs:int' maxOccurs='3'/></xs:sequence></xs:complexType>",
            "(a:int[]*)",
        ),
        // An empty alternative makes a choice optional.
        (
            "<xs:complexType name='T'><xs:choice><xs:element name='a'/><xs:element name='b'/><xs:sequence/></xs:choice></xs:complexType>",
            "(a:any | b:any)?",
        ),
        (
            "<xs:complexType name='T'><xs:sequence><xs:element name='a' type='xs:int' maxOccurs='0'/></xs:sequence></xs:complexType>",
            "",
        ),
    ]);
}

#[test]
fn groups_that_repeat_are_fields() {
    check(&[
        (
            "<xs:complexType name='T'><xs:sequence><xs:choice maxOccurs='unbounded'><xs:element name='a' type='xs:int'/>
             <xs:element name='b' type='xs:int'/></xs:choice></xs:sequence></xs:complexType>",
            "(choice:(a:int | b:int)[]!+)",
        ),
        (
            "<xs:group name='pair'><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>
             </xs:sequence></xs:group><xs:complexType name='T'><xs:sequence><xs:group ref='t:pair' minOccurs='0' maxOccurs='2'/>
             <xs:group ref='t:pair'/></xs:sequence></xs:complexType>",
            "(pair:(a:int!, b:int!)[]{0,2}, a:int!, b:int!)",
        ),
    ]);
    let contract = schema(
        "<xs:complexType name='T'><xs:choice maxOccurs='9'><xs:element name='a'/><xs:element name='b'/></xs:choice></xs:complexType>",
    );
    let Some(TypeId::Complex(id)) = contract.types.type_by_clark("{urn:t}T") else {
        panic!()
    };
    assert_eq!(contract.types.complex(id).fields[0].kind, FieldKind::Group);
}

#[test]
fn an_element_twice_is_one_field() {
    check(&[
        (
            "<xs:complexType name='T'><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>
             <xs:element name='a' type='xs:int'/></xs:sequence></xs:complexType>",
            "(a:int[]!, b:int!, a:int[]!)",
        ),
        (
            "<xs:complexType name='T'><xs:choice><xs:element name='a' type='xs:int'/><xs:sequence><xs:element name='b' type='xs:int'/>
             <xs:element name='a' type='xs:int'/></xs:sequence></xs:choice></xs:complexType>",
            "(a:int! | (b:int, a:int!))",
        ),
        (
            "<xs:complexType name='T'><xs:sequence><xs:element name='a' type='xs:int'/>
             <xs:element name='a' type='xs:string'/></xs:sequence></xs:complexType>",
            "(a:int!, a_2:string!)",
        ),
    ]);
}

#[test]
fn attributes_and_their_groups() {
    check(&[
        (
            "<xs:attribute name='g' type='xs:int' default='4'/>
             <xs:attributeGroup name='G'><xs:attribute name='x' type='xs:int'/><xs:attributeGroup ref='t:G'/><xs:anyAttribute/></xs:attributeGroup>
             <xs:complexType name='T'><xs:sequence><xs:element name='x' type='xs:int'/></xs:sequence>
             <xs:attributeGroup ref='t:G'/><xs:attribute ref='t:g'/><xs:attribute name='y' use='required'><xs:simpleType>
             <xs:restriction base='xs:token'/></xs:simpleType></xs:attribute><xs:attribute ref='xml:lang'/></xs:complexType>",
            "@x_attribute:int @g:int @y:token! @lang:language @any_attributes (x:int!)",
        ),
        (
            "<xs:complexType name='B'><xs:attribute name='a' type='xs:int'/><xs:attribute name='b' type='xs:int'/></xs:complexType>
             <xs:complexType name='T'><xs:complexContent><xs:restriction base='t:B'><xs:attribute name='a' use='prohibited'/>
             <xs:attribute name='b' type='xs:short' use='required'/></xs:restriction></xs:complexContent></xs:complexType>",
            "@b:short!",
        ),
    ]);
}

#[test]
fn derivation() {
    let base = "<xs:complexType name='B' abstract='true'><xs:sequence><xs:element name='a' type='xs:int'/>
        <xs:element name='b' type='xs:int' minOccurs='0'/></xs:sequence><xs:attribute name='id' type='xs:ID'/></xs:complexType>";
    let contract = schema(&format!(
        "{base}<xs:complexType name='T'><xs:complexContent><xs:extension base='t:B'><xs:sequence>
         <xs:element name='c' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
         <xs:complexType name='R'><xs:complexContent><xs:restriction base='t:B'><xs:sequence>
         <xs:element name='a' type='xs:byte'/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>"
    ));
    assert_eq!(shown(&contract, "T"), "@id:ID (a:int!, b:int?, c:int!)");
    assert_eq!(shown(&contract, "R"), "@id:ID (a:byte!)");
    let ty = |name: &str| contract.types.type_by_clark(&format!("{{urn:t}}{name}")).unwrap();
    assert!(contract.types.is_derived(ty("T"), ty("B")) && !contract.types.is_derived(ty("B"), ty("T")));
    let TypeId::Complex(id) = ty("B") else { panic!() };
    assert!(contract.types.complex(id).is_abstract);
}

#[test]
fn simple_content() {
    check(&[
        (
            "<xs:complexType name='T'><xs:simpleContent><xs:extension base='xs:decimal'>
             <xs:attribute name='value' type='xs:string'/></xs:extension></xs:simpleContent></xs:complexType>",
            "@value:string text:decimal",
        ),
        (
            "<xs:complexType name='B'><xs:simpleContent><xs:extension base='xs:decimal'>
             <xs:attribute name='u' type='xs:string'/></xs:extension></xs:simpleContent></xs:complexType>
             <xs:complexType name='T'><xs:simpleContent><xs:restriction base='t:B'><xs:maxInclusive value='9'/>
             </xs:restriction></xs:simpleContent></xs:complexType>",
            "@u:string value:decimal",
        ),
    ]);
}

#[test]
fn simple_types_and_facets() {
    let contract = schema(
        "<xs:simpleType name='A'><xs:restriction base='xs:string'><xs:maxLength value='9'/><xs:enumeration value='x'/>
         <xs:enumeration value=' y '/></xs:restriction></xs:simpleType>
         <xs:simpleType name='B'><xs:restriction base='t:A'><xs:minLength value='1'/><xs:whiteSpace value='collapse'/>
         <xs:pattern value='[a-z]'/><xs:pattern value='q'/></xs:restriction></xs:simpleType>
         <xs:simpleType name='L'><xs:list itemType='t:B'/></xs:simpleType>
         <xs:simpleType name='U'><xs:union memberTypes='xs:int t:L'><xs:simpleType><xs:restriction base='xs:date'/></xs:simpleType></xs:union></xs:simpleType>
         <xs:simpleType name='N'><xs:restriction base='xs:int'><xs:minExclusive value='0'/></xs:restriction></xs:simpleType>
         <xs:simpleType name='M'><xs:restriction base='t:N'><xs:minInclusive value='5'/></xs:restriction></xs:simpleType>",
    );
    let simple = |name: &str| match contract.types.type_by_clark(&format!("{{urn:t}}{name}")) {
        Some(TypeId::Simple(id)) => contract.types.simple(id),
        other => panic!("{name}: {other:?}"),
    };
    let b = &simple("B").facets;
    assert_eq!(
        (b.min_length, b.max_length, b.patterns.len()),
        (Some(1), Some(9), 2)
    );
    assert_eq!(&*simple("A").facets.enumeration, &["x".into(), " y ".into()]);
    assert_eq!(shown(&contract, "L"), "list of B");
    assert_eq!(shown(&contract, "U"), "union of int L date");
    assert!(matches!(simple("U").variety, Variety::Union(_)) && simple("U").base.is_none());
    let m = &simple("M").facets;
    assert_eq!(
        (m.min_exclusive.as_deref(), m.min_inclusive.as_deref()),
        (None, Some("5"))
    );
}

#[test]
fn what_is_open_is_any() {
    check(&[
        (
            "<xs:complexType name='M' mixed='true'><xs:sequence><xs:element name='b'/></xs:sequence></xs:complexType>
             <xs:complexType name='T'><xs:sequence><xs:element name='m' type='t:M'/><xs:any namespace='##other' minOccurs='0'/>
             <xs:any maxOccurs='unbounded'/><xs:element ref='xs:schema'/></xs:sequence><xs:anyAttribute/></xs:complexType>",
            "@any_attributes (m:M!, any:any?, any_2:any[]!+, schema:any!)",
        ),
        (
            "<xs:complexType name='B' mixed='true'/><xs:complexType name='E'><xs:complexContent><xs:extension base='t:B'/></xs:complexContent></xs:complexType>
             <xs:complexType name='T'><xs:sequence><xs:element name='e' type='t:E'/></xs:sequence></xs:complexType>",
            "(e:E!)",
        ),
    ]);
}

#[test]
fn names_and_forms() {
    let contract = schema(
        "<xs:element name='g' type='xs:int' nillable='true' default='3'/>
         <xs:complexType name='T'><xs:sequence><xs:element ref='t:g'/><xs:element name='u' form='unqualified' type='xs:int'/>
         <xs:element name='an'><xs:annotation><xs:documentation> Some
           words. </xs:documentation></xs:annotation><xs:complexType><xs:sequence><xs:element name='deep'><xs:complexType/></xs:element></xs:sequence></xs:complexType></xs:element>
         </xs:sequence><xs:attribute name='q' form='qualified' type='xs:int'/></xs:complexType>",
    );
    let types = &contract.types;
    let Some(TypeId::Complex(id)) = types.type_by_clark("{urn:t}T") else {
        panic!()
    };
    let fields = &types.complex(id).fields;
    let wires: Vec<String> = fields.iter().map(|f| types.clark(&f.wire)).collect();
    assert_eq!(wires, ["{urn:t}q", "{urn:t}g", "u", "{urn:t}an"]);
    assert_eq!(
        (fields[1].nillable, fields[1].default.as_deref()),
        (true, Some("3"))
    );
    assert_eq!(fields[3].doc.as_deref(), Some("Some words."));
    assert_eq!(types.type_label(fields[3].ty), "{urn:t}T/an");
    let TypeId::Complex(inner) = fields[3].ty else {
        panic!()
    };
    assert_eq!(
        types.type_label(types.complex(inner).fields[0].ty),
        "{urn:t}T/an/deep"
    );
}

#[test]
fn references_to_heads_are_choices_of_their_members() {
    let contract = schema(
        "<xs:element name='head' abstract='true' type='xs:int'/><xs:element name='member' substitutionGroup='t:head'/>
         <xs:element name='open' type='xs:int'/><xs:element name='other' substitutionGroup='t:open'/>
         <xs:element name='barren' abstract='true'/>
         <xs:complexType name='T'><xs:sequence><xs:element ref='t:head'/><xs:element ref='t:open' maxOccurs='2'/>
         <xs:element ref='t:member'/><xs:element ref='t:barren' minOccurs='0'/></xs:sequence></xs:complexType>",
    );
    let line = shown(&contract, "T");
    assert!(
        line.starts_with(
            "(head:(member:int!)!, open:(open:int | other:int)[]!{1,2}, member:int!, barren:unsupported: "
        ),
        "{line}"
    );
    assert!(
        line.contains("{urn:t}barren is abstract, and no element substitutes it, at t.xsd:6:"),
        "{line}"
    );
    let name = contract.types.parse_clark("{urn:t}member").unwrap();
    let member = &contract.types.elements[contract.types.element_named(&name).unwrap().index()];
    assert_eq!(member.substitutes.as_ref().map(|q| &*q.local), Some("head"));
}

#[test]
fn circles_end() {
    let contract = schema(
        "<xs:complexType name='A'><xs:complexContent><xs:extension base='t:B'/></xs:complexContent></xs:complexType>
         <xs:complexType name='B'><xs:complexContent><xs:extension base='t:A'/></xs:complexContent></xs:complexType>
         <xs:simpleType name='S'><xs:restriction base='t:S'/></xs:simpleType>
         <xs:group name='G'><xs:sequence><xs:group ref='t:H'/></xs:sequence></xs:group>
         <xs:group name='H'><xs:sequence><xs:group ref='t:G'/></xs:sequence></xs:group>
         <xs:element name='e' substitutionGroup='t:f'/><xs:element name='f' substitutionGroup='t:e'/>
         <xs:complexType name='T'><xs:sequence><xs:element name='a' type='t:A'/><xs:element name='s' type='t:S'/>
         <xs:element name='g'><xs:complexType><xs:group ref='t:G'/></xs:complexType></xs:element></xs:sequence></xs:complexType>",
    );
    let line = shown(&contract, "T");
    assert!(
        line.contains("is derived from itself") && line.contains("refers to itself"),
        "{line}"
    );
}

#[test]
fn includes_imports_and_redefinitions() {
    let main = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' xmlns:o='urn:o' targetNamespace='urn:t'>
        <xs:include schemaLocation='sub/chameleon.xsd'/><xs:import namespace='urn:o' schemaLocation='o.xsd'/>
        <xs:redefine schemaLocation='old.xsd'><xs:complexType name='R'><xs:complexContent><xs:extension base='t:R'><xs:sequence>
        <xs:element name='new' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>
        <xs:complexType name='T'><xs:sequence><xs:element name='c' type='t:C'/><xs:element name='o' type='o:O'/></xs:sequence></xs:complexType></xs:schema>";
    let chameleon = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' elementFormDefault='qualified'>
        <xs:include schemaLocation='chameleon.xsd'/>
        <xs:complexType name='C'><xs:sequence><xs:element name='d' type='D'/></xs:sequence></xs:complexType>
        <xs:simpleType name='D'><xs:restriction base='xs:int'/></xs:simpleType></xs:schema>";
    let old = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'>
        <xs:complexType name='R'><xs:sequence><xs:element name='old' type='xs:int'/></xs:sequence></xs:complexType></xs:schema>";
    let other = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:o'>
        <xs:import namespace='urn:t' schemaLocation='a/../t.xsd'/>
        <xs:complexType name='O'><xs:sequence><xs:element name='t' type='t:T' minOccurs='0'/></xs:sequence></xs:complexType></xs:schema>";
    let documents = [
        ("x/t.xsd", main),
        ("x/sub/chameleon.xsd", chameleon),
        ("x/o.xsd", other),
        ("x/old.xsd", old),
    ];
    let contract = load(&documents, &Options::default()).unwrap();
    assert!(contract.warnings.is_empty(), "{:?}", contract.warnings);
    assert_eq!(contract.documents.len(), 4);
    assert_eq!(shown(&contract, "T"), "(c:C!, o:O!)");
    assert_eq!(shown(&contract, "C"), "(d:D!)");
    assert_eq!(shown(&contract, "R"), "(old:int!, new:int!)");
    let Some(TypeId::Complex(id)) = contract.types.type_by_clark("{urn:t}C") else {
        panic!()
    };
    assert_eq!(
        contract.types.clark(&contract.types.complex(id).fields[0].wire),
        "{urn:t}d"
    );
}

#[test]
fn a_redefinition_in_a_wsdl_has_the_forms_of_its_schema() {
    let types = "<xs:redefine schemaLocation='old.xsd'><xs:complexType name='R'><xs:complexContent><xs:extension base='t:R'>
        <xs:sequence><xs:element name='new' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>";
    let old = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'>
        <xs:complexType name='R'><xs:sequence><xs:element name='old' type='xs:int'/></xs:sequence></xs:complexType></xs:schema>";
    let documents = [("x.wsdl", &*wsdl(types, "")), ("old.xsd", old)];
    let contract = load(&documents, &Options::default()).unwrap();
    let Some(TypeId::Complex(id)) = contract.types.type_by_clark("{urn:t}R") else {
        panic!()
    };
    let fields = &contract.types.complex(id).fields;
    let names: Vec<String> = fields.iter().map(|f| contract.types.clark(&f.wire)).collect();
    assert_eq!(names, ["old", "{urn:t}new"]);
}

#[test]
fn what_is_missing_fails_where_it_is_used() {
    let text = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' xmlns:o='urn:o' targetNamespace='urn:t'>
        <xs:import namespace='urn:o' schemaLocation='o.xsd'/><xs:complexType name='T'><xs:sequence>
        <xs:element name='a' type='o:A'/><xs:element ref='o:e'/><xs:element name='n' type='nope:N'/></xs:sequence><xs:attribute ref='o:at'/></xs:complexType></xs:schema>";
    let contract = load(&[("t.xsd", text)], &Options::default()).unwrap();
    assert_eq!(contract.missing, ["o.xsd"]);
    let Some(id) = contract.types.type_by_clark("{urn:t}T") else {
        panic!()
    };
    let line = show(&contract.types, id);
    let missing =
        "type {urn:o}A is not declared (o.xsd cannot be loaded: there is no such document), at t.xsd:3:9";
    for part in [
        missing,
        "element {urn:o}e is not declared",
        "attribute {urn:o}at",
        "prefix that is not declared",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(
        contract.warnings[0]
            .to_string()
            .starts_with("t.xsd:2:9: o.xsd cannot be loaded")
    );
}

#[test]
fn wrong_namespaces_are_forgiven_where_only_one_is_meant() {
    let contract = schema(
        "<xs:simpleType name='S'><xs:restriction base='xs:int'/></xs:simpleType>
         <xs:complexType name='T'><xs:sequence><xs:element name='a' type='S'/><xs:element name='b' type='string'/></xs:sequence></xs:complexType>",
    );
    assert_eq!(shown(&contract, "T"), "(a:S!, b:string!)");
    assert!(
        contract.warnings[0]
            .text
            .contains("there is no type S; {urn:t}S is taken")
    );
}

#[test]
fn names_that_can_mean_one_thing_only_are_taken_with_a_warning() {
    let contract = schema(
        "<xs:element name='e'><xs:complexType><xs:sequence><xs:element name='n' type='xs:int'/></xs:sequence></xs:complexType></xs:element>
         <xs:complexType name='T'><xs:sequence><xs:element name='a' type='xsd:string'/><xs:element name='b' type='string'/><xs:element name='c' type='t:e'/></xs:sequence></xs:complexType>",
    );
    let line = shown(&contract, "T");
    assert!(line.starts_with("(a:string!, b:string!, c:"), "{line}");
    assert!(!line.contains("not declared"), "{line}");
    let warnings: Vec<&str> = contract.warnings.iter().map(|w| &*w.text).collect();
    for words in [
        "; xsd:string is taken",
        "there is no type {urn:t}e; that of the element {urn:t}e is taken",
    ] {
        assert!(
            warnings.iter().any(|w| w.contains(words)),
            "{words}: {warnings:?}"
        );
    }
}
