//! Schema constructs from the declaration to the bytes of a message and back: what stands between tags.

mod common;

use castile_value::Value;
use common::Message;

const SHAPES: &str = "
  <xs:element name='shape' type='t:Shape' abstract='true'/>
  <xs:element name='circle' type='t:Circle' substitutionGroup='t:shape'/>
  <xs:element name='square' type='t:Square' substitutionGroup='t:shape'/>
  <xs:element name='tile' substitutionGroup='t:square'/>
  <xs:complexType name='Shape' abstract='true'><xs:sequence><xs:element name='at' type='xs:int' minOccurs='0'/></xs:sequence></xs:complexType>
  <xs:complexType name='Circle'><xs:complexContent><xs:extension base='t:Shape'><xs:sequence>
    <xs:element name='r' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:complexType name='Square'><xs:complexContent><xs:extension base='t:Shape'><xs:sequence>
    <xs:element name='side' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name='name' type='xs:string'/>
  <xs:element name='nick' type='xs:string' substitutionGroup='t:name'/>
  <xs:element name='sealed' type='xs:string' block='substitution'/>
  <xs:element name='open' type='xs:string' substitutionGroup='t:sealed'/>
  <xs:element name='drawing'><xs:complexType><xs:sequence>
    <xs:element ref='t:name' minOccurs='0'/><xs:element ref='t:shape' minOccurs='0' maxOccurs='unbounded'/>
    <xs:element ref='t:sealed' minOccurs='0'/>
  </xs:sequence></xs:complexType></xs:element>";

#[test]
fn members_stand_where_their_head_is_referred_to() {
    let drawing = Message::new(SHAPES, "drawing");
    let xml =
        "<drawing><nick>N</nick><tile><side>3</side></tile><circle><at>1</at><r>2</r></circle></drawing>";
    let (value, written) = drawing.through(xml);
    assert_eq!(
        value,
        "{name: {nick: \"N\"}, shape: [{tile: {side: 3}}, {circle: {at: 1, r: 2}}]}"
    );
    assert_eq!(written, xml);
    assert_eq!(
        drawing.through("<drawing><name>N</name></drawing>").0,
        "{name: {name: \"N\"}}"
    );
}

#[test]
fn what_is_no_member_may_not_stand_there() {
    let drawing = Message::new(SHAPES, "drawing");
    for xml in [
        "<drawing><shape><at>1</at></shape></drawing>",
        "<drawing><open>blocked</open></drawing>",
        "<drawing><name>N</name><nick>N</nick></drawing>",
    ] {
        drawing.refused(xml);
    }
}

#[test]
fn derived_types_do_not_stand_where_they_are_blocked() {
    const TYPES: &str = "
      <xs:complexType name='B'><xs:sequence><xs:element name='n' type='xs:int' minOccurs='0'/></xs:sequence></xs:complexType>
      <xs:complexType name='E'><xs:complexContent><xs:extension base='t:B'/></xs:complexContent></xs:complexType>
      <xs:complexType name='R'><xs:complexContent><xs:restriction base='t:B'/></xs:complexContent></xs:complexType>
      <xs:complexType name='C' block='extension'><xs:sequence/></xs:complexType>
      <xs:complexType name='D'><xs:complexContent><xs:extension base='t:C'/></xs:complexContent></xs:complexType>
      <xs:element name='head' type='t:B' block='restriction'/>
      <xs:element name='extended' type='t:E' substitutionGroup='t:head'/>
      <xs:element name='restricted' type='t:R' substitutionGroup='t:head'/>
      <xs:element name='m'><xs:complexType><xs:sequence>
        <xs:element name='b' type='t:B' minOccurs='0'/><xs:element name='x' type='t:B' block='extension' minOccurs='0'/>
        <xs:element name='c' type='t:C' minOccurs='0'/><xs:element name='i' type='xs:long' block='#all' minOccurs='0'/>
        <xs:element ref='t:head' minOccurs='0'/>
      </xs:sequence></xs:complexType></xs:element>";
    let message = Message::new(TYPES, "m");
    let typed = |element: &str, ty: &str| {
        let xsi = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:t='urn:t'";
        format!(
            "<m><{element} {xsi} xmlns:xsd='http://www.w3.org/2001/XMLSchema' xsi:type='{ty}'>{{}}</{element}></m>"
        )
    };
    for (element, ty, allowed) in [
        ("b", "t:E", true),
        ("x", "t:B", true),
        ("x", "t:E", false),
        ("x", "t:R", true),
        ("c", "t:D", false),
        ("i", "xsd:int", false),
        ("i", "xsd:long", true),
    ] {
        let xml = typed(element, ty).replace("{}", if element == "i" { "1" } else { "" });
        match allowed {
            true => drop(message.through(&xml)),
            false => drop(message.refused(&xml)),
        }
    }
    message.through("<m><extended/></m>");
    message.refused("<m><restricted/></m>");
}

#[test]
fn a_value_need_not_name_what_its_type_or_the_head_says() {
    let drawing = Message::new(SHAPES, "drawing");
    let types = &drawing.types;
    let Some(castile_plan::TypeId::Complex(circle)) = types.type_by_clark("{urn:t}Circle") else {
        panic!("a complex type")
    };
    let mut typed = castile_value::Record::new(types.shape(circle).clone());
    typed.set("r", 2).unwrap();
    let value = Value::map([
        ("name", "N".into()),
        ("shape", Value::List(vec![Value::Record(typed)])),
    ]);
    assert_eq!(
        drawing.write(value).unwrap(),
        "<drawing><name>N</name><circle><r>2</r></circle></drawing>"
    );
    let nameless = Value::map([("shape", Value::List(vec![Value::map([("r", 2.into())])]))]);
    let error = drawing.write(nameless).unwrap_err();
    assert!(
        error.message().contains("\"r\"") && error.message().contains("circle"),
        "{error}"
    );
}

#[test]
fn a_type_of_several_members_does_not_say_which_is_meant() {
    const TWINS: &str = "<xs:complexType name='B'><xs:sequence><xs:element name='r' type='xs:int'/></xs:sequence></xs:complexType>
      <xs:element name='head' type='t:B' abstract='true'/><xs:element name='disc' type='t:B' substitutionGroup='t:head'/>
      <xs:element name='circle' type='t:B' substitutionGroup='t:head'/>
      <xs:element name='m'><xs:complexType><xs:sequence><xs:element ref='t:head'/></xs:sequence></xs:complexType></xs:element>";
    let message = Message::new(TWINS, "m");
    let Some(castile_plan::TypeId::Complex(id)) = message.types.type_by_clark("{urn:t}B") else {
        panic!("a complex type")
    };
    let mut typed = castile_value::Record::new(message.types.shape(id).clone());
    typed.set("r", 2).unwrap();
    let typed = Value::Record(typed);
    let error = message.write(Value::map([("head", typed.clone())])).unwrap_err();
    assert!(
        error
            .message()
            .contains("disc or circle; say which, as in {\"disc\": value}"),
        "{error}"
    );
    let said = Value::map([("head", Value::map([("circle", typed)]))]);
    assert_eq!(message.write(said).unwrap(), "<m><circle><r>2</r></circle></m>");
}

#[test]
fn members_come_from_other_namespaces() {
    let head = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:t' elementFormDefault='qualified'>
        <xs:import namespace='urn:u' schemaLocation='u.xsd'/><xs:element name='h' type='xs:string'/>
        <xs:element name='r'><xs:complexType><xs:sequence><xs:element ref='t:h' maxOccurs='9'/></xs:sequence></xs:complexType></xs:element></xs:schema>";
    let member = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:u'>
        <xs:import namespace='urn:t'/><xs:element name='h' type='xs:string' substitutionGroup='t:h'/></xs:schema>";
    let message = Message::of(&[("t.xsd", head), ("u.xsd", member)], "r");
    let (value, _) = message.through("<r><h>a</h><u:h xmlns:u='urn:u'>b</u:h><h>c</h></r>");
    assert_eq!(value, "{h: [{h: \"a\"}, {h_2: \"b\"}, {h: \"c\"}]}");
}

const MIXED: &str = "
  <xs:element name='p' type='t:P'/>
  <xs:complexType name='P' mixed='true'><xs:sequence><xs:element name='b' type='xs:int' minOccurs='0' maxOccurs='unbounded'/></xs:sequence>
    <xs:attribute name='lang' type='xs:string'/></xs:complexType>
  <xs:complexType name='Q'><xs:complexContent><xs:extension base='t:P'><xs:sequence><xs:element name='c' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name='q' type='t:Q'/>
  <xs:element name='bare' ><xs:complexType mixed='true'><xs:attribute name='n' type='xs:int'/></xs:complexType></xs:element>
  <xs:element name='open'><xs:complexType><xs:complexContent><xs:extension base='xs:anyType'/></xs:complexContent></xs:complexType></xs:element>";

#[test]
fn mixed_content_is_text_and_children_or_xml() {
    let p = Message::new(MIXED, "p");
    for (xml, value) in [
        ("<p>text &amp; more</p>", "{value: \"text & more\"}"),
        (
            "<p lang=\"en\">text<b>1</b><b>2</b></p>",
            "{lang: \"en\", value: \"text\", b: [1, 2]}",
        ),
        ("<p><b>1</b></p>", "{b: [1]}"),
        ("<p></p>", "{}"),
    ] {
        assert_eq!(p.through(xml), (value.to_owned(), xml.to_owned()));
    }
    let (value, written) = p.through("<p lang='x'>one <b>1</b> two</p>");
    assert!(
        value.starts_with("<p ") && value.ends_with("one <b>1</b> two</p>"),
        "{value}"
    );
    assert_eq!(castile_testkit::reference::canonical(&written), value);
    assert!(p.refused("<p>one <c/></p>").contains("{urn:t}c"));
    assert_eq!(p.write("just text".into()).unwrap(), "<p>just text</p>");
    let other = p.write(Value::Xml("<x/>".into())).unwrap_err();
    assert!(other.message().contains("XML of element x"), "{other}");
}

#[test]
fn extensions_of_mixed_content_are_mixed() {
    let q = Message::new(MIXED, "q");
    assert_eq!(
        q.through("<q>t<b>1</b><c>2</c></q>"),
        (
            "{value: \"t\", b: [1], c: 2}".into(),
            "<q>t<b>1</b><c>2</c></q>".into()
        )
    );
    let bare = Message::new(MIXED, "bare");
    assert_eq!(bare.through("<bare n=\"1\">t</bare>").0, "{n: 1, value: \"t\"}");
    let open = Message::new(MIXED, "open");
    assert_eq!(
        open.through("<open k=\"v\">t<z xmlns=\"\"/></open>").0,
        "{any_attributes: {k: \"v\"}, value: \"t\", any: [<z></z>]}"
    );
}

const NILS: &str = "
  <xs:complexType name='Priced'><xs:simpleContent><xs:extension base='xs:int'><xs:attribute name='unit' type='xs:string'/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name='list'><xs:complexType><xs:sequence>
    <xs:element name='price' type='t:Priced' nillable='true' maxOccurs='9'/><xs:element name='n' type='xs:int' minOccurs='0'/>
  </xs:sequence></xs:complexType></xs:element>";

#[test]
fn nil_elements_keep_their_attributes() {
    let list = Message::new(NILS, "list");
    let (value, written) = list.through(
        "<list><price unit='kg'>3</price><price xsi:nil='true' unit='lb'/><price xsi:nil='1'/></list>",
    );
    assert_eq!(
        value,
        "{price: [{unit: \"kg\", value: 3}, {unit: \"lb\", nil: true}, nil]}"
    );
    assert_eq!(
        written,
        "<list><price unit=\"kg\">3</price><price unit=\"lb\" xsi:nil=\"true\"/><price xsi:nil=\"true\"/></list>"
    );
    let full = "<list><price xsi:nil='true' unit='lb'>3</price></list>";
    assert!(list.refused(full).contains("nil has content"));
}

#[test]
fn only_a_nillable_element_is_nil() {
    let list = Message::new(NILS, "list");
    let xml = "<list><price>1</price><n xsi:nil='true'/></list>";
    assert!(list.refused(xml).contains("may not be"));
    assert_eq!(
        common::shown(&list.read(xml, false).unwrap()),
        "{price: [{value: 1}], n: nil}"
    );
}

const WILD: &str = "
  <xs:element name='known' type='t:Known'/><xs:complexType name='Known'><xs:sequence><xs:element name='v' type='xs:int'/></xs:sequence></xs:complexType>
  <xs:element name='lax'><xs:complexType><xs:sequence><xs:any processContents='lax' maxOccurs='unbounded'/></xs:sequence></xs:complexType></xs:element>
  <xs:element name='skip'><xs:complexType><xs:sequence><xs:any processContents='skip'/></xs:sequence></xs:complexType></xs:element>
  <xs:element name='other'><xs:complexType><xs:sequence><xs:any namespace='##other'/></xs:sequence></xs:complexType></xs:element>
  <xs:element name='local'><xs:complexType><xs:sequence><xs:any namespace='##local urn:z'/></xs:sequence></xs:complexType></xs:element>
  <xs:element name='none'><xs:complexType><xs:sequence><xs:any namespace='' minOccurs='0'/></xs:sequence></xs:complexType></xs:element>";

#[test]
fn known_elements_under_a_wildcard_are_decoded() {
    let lax = Message::new(WILD, "lax");
    let (value, written) = lax.through("<lax><known><v>1</v></known><x xmlns='urn:z'/></lax>");
    assert_eq!(value, "{any: [{{urn:t}known: {v: 1}}, <x xmlns=\"urn:z\"></x>]}");
    assert!(
        written.starts_with("<lax><known><v>1</v></known><x "),
        "{written}"
    );
    assert!(
        lax.refused("<lax><known><v>no number</v></known></lax>")
            .contains("no number")
    );
    let raw = Value::map([("any", Value::Xml("<known xmlns='urn:t'><v>1</v></known>".into()))]);
    assert_eq!(
        lax.write(raw).unwrap(),
        "<lax><known xmlns='urn:t'><v>1</v></known></lax>"
    );
    let unknown = Value::map([("any", Value::map([("{urn:t}unheard", 1.into())]))]);
    assert!(
        lax.write(unknown)
            .unwrap_err()
            .message()
            .contains("no global element {urn:t}unheard")
    );
    let skip = Message::new(WILD, "skip");
    assert!(
        skip.through("<skip><known><v>no number</v></known></skip>")
            .0
            .contains("<known")
    );
}

#[test]
fn wildcards_admit_the_namespaces_that_they_name() {
    for (element, admitted, refused) in [
        ("other", "<x xmlns='urn:z'/>", "<known><v>1</v></known>"),
        ("other", "<x xmlns='urn:z'/>", "<x xmlns=''/>"),
        ("local", "<x xmlns=''/>", "<x/>"),
        ("local", "<x xmlns='urn:z'/>", "<x xmlns='urn:y'/>"),
        ("none", "", "<x xmlns=''/>"),
    ] {
        let message = Message::new(WILD, element);
        message.through(&format!("<{element}>{admitted}</{element}>"));
        message.refused(&format!("<{element}>{refused}</{element}>"));
    }
}

#[test]
fn repeated_choices_keep_their_order_and_groups() {
    let events = "<xs:element name='events'><xs:complexType><xs:choice minOccurs='0' maxOccurs='unbounded'>
        <xs:element name='object' type='xs:int' minOccurs='0' maxOccurs='unbounded'/>
        <xs:element name='other' type='xs:string' minOccurs='0' maxOccurs='unbounded'/></xs:choice></xs:complexType></xs:element>";
    let message = Message::new(events, "events");
    let xml = "<events><object>1</object><object>2</object><other>a</other><object>3</object></events>";
    let (value, written) = message.through(xml);
    assert_eq!(
        value,
        "{choice: [{object: [1, 2]}, {other: [\"a\"]}, {object: [3]}]}"
    );
    assert_eq!(written, xml);
}

#[test]
fn fixed_values_are_just_that_and_defaults_fill_in() {
    let components =
        "<xs:element name='e'><xs:complexType><xs:sequence><xs:element name='f' type='xs:int' fixed='07'/>
        <xs:element name='d' type='xs:int' default='3' minOccurs='0'/></xs:sequence>
        <xs:attribute name='v' type='xs:string' fixed='1.0'/></xs:complexType></xs:element>";
    let e = Message::new(components, "e");
    let read = |xml: &str| common::shown(&e.read(xml, true).unwrap());
    assert_eq!(read("<e><f>7</f></e>"), "{v: \"1.0\", f: 7}");
    assert_eq!(read("<e v='1.0'><f/><d/></e>"), "{v: \"1.0\", f: 7, d: 3}");
    assert!(e.refused("<e><f>8</f></e>").contains("fixed"));
    assert!(e.refused("<e v='2'><f>7</f></e>").contains("fixed"));
    assert_eq!(
        e.write(Value::map([("f", "07".into())])).unwrap(),
        "<e><f>7</f></e>"
    );
    let other = e.write(Value::map([("f", 8.into())])).unwrap_err();
    assert!(other.message().contains("fixed"), "{other}");
}
