//! Values of SOAP encoding are read.

mod support;

use castile_codec::{Kind, Version};
use castile_value::Value;
use support::encoded::{field, graph, line, message, read, table, write};

#[test]
fn arrays_are_read_by_order() {
    for (inside, name, expected) in [
        (
            "<doubles xsi:type='c:Array' c:arrayType='xsd:double[2]'><a>1.5</a><b>2</b></doubles>",
            "doubles",
            "[1.5,2.0]",
        ),
        (
            "<doubles c:arrayType='xsd:double[]'><item xsi:type='xsd:double'>1</item></doubles>",
            "doubles",
            "[1.0]",
        ),
        ("<doubles xsi:type='t:Doubles'/>", "doubles", "[]"),
        (
            "<doubles d:itemType='xsd:double' d:arraySize='*'><i>1</i><i>2</i></doubles>",
            "doubles",
            "[1.0,2.0]",
        ),
        (
            "<texts c:arrayType='xsd:string[4]' c:offset='[2]'><i>c</i><i>d</i></texts>",
            "texts",
            "[nil,nil,c,d]",
        ),
        (
            "<texts c:arrayType='xsd:string[5]' c:offset='[1]'><i>b</i></texts>",
            "texts",
            "[nil,b,nil,nil,nil]",
        ),
        (
            "<texts c:arrayType='xsd:string[4]'><i c:position='[1]'>b</i><i c:position='[3]'>d</i></texts>",
            "texts",
            "[nil,b,nil,d]",
        ),
        (
            "<texts><i>a</i><i xsi:nil='1'/><i xsi:nil='true'></i></texts>",
            "texts",
            "[a,nil,nil]",
        ),
        (
            "<lists c:arrayType='xsd:string[][2]'><i c:arrayType='xsd:string[1]'><s>a</s></i><i c:arrayType='xsd:string[0]'/></lists>",
            "lists",
            "[[a],[]]",
        ),
        (
            "<matrix c:arrayType='xsd:int[2,3]'><i>1</i><i>2</i><i>3</i><i>4</i><i>5</i><i>6</i></matrix>",
            "matrix",
            "sizes=[2,3] values=[1,2,3,4,5,6]",
        ),
        (
            "<matrix c:arrayType='xsd:int[][2]'><m c:arrayType='xsd:int[1]'><m>1</m></m><m c:arrayType='xsd:int[1]'><m>2</m></m></matrix>",
            "matrix",
            "sizes=[2,1] values=[1,2]",
        ),
        (
            "<matrix d:arraySize='2 1'><i>1</i><i d:position='[1,0]'>2</i></matrix>",
            "matrix",
            "sizes=[2,1] values=[1,2]",
        ),
        (
            "<matrix c:arrayType='xsd:int[2,2]'><i c:position='[0,1]'>1</i><i c:position='[1,1]'>2</i></matrix>",
            "matrix",
            "sizes=[2,2] values=[nil,1,nil,2]",
        ),
        (
            "<matrix c:arrayType='xsd:int[2,2]'><i c:position='[1,1]'>2</i><i c:position='[0,1]'>1</i></matrix>",
            "matrix",
            "sizes=[2,2] values=[nil,1,nil,2]",
        ),
        (
            "<texts c:arrayType='xsd:string[4]'><i c:position='[3]'>d</i> <i c:position='[0]'>a</i><i c:position='[1]'>b</i></texts>",
            "texts",
            "[a,b,nil,d]",
        ),
        (
            "<matrix d:itemType='xsd:int' d:arraySize='* 2'><i>1</i><i>2</i><i>3</i><i>4</i></matrix>",
            "matrix",
            "sizes=[2,2] values=[1,2,3,4]",
        ),
        (
            "<matrix c:arrayType='xsd:int[3,]'><i>1</i><i>2</i><i>3</i></matrix>",
            "matrix",
            "sizes=[3,1] values=[1,2,3]",
        ),
        (
            "<matrix c:arrayType='xsd:int[,2]'><i>1</i><i>2</i><i>3</i></matrix>",
            "matrix",
            "sizes=[2,2] values=[1,2,3,nil]",
        ),
        ("<matrix d:arraySize='* 2'/>", "matrix", "sizes=[0,2] values=[]"),
        (
            "<matrix c:arrayType='xsd:int[][]'><m><m>1</m></m><m c:arrayType='xsd:int[]'><m>2</m></m></matrix>",
            "matrix",
            "sizes=[2,1] values=[1,2]",
        ),
        (
            "<anys c:arrayType='xsd:anyType[3]'><i xsi:type='xsd:int'>1</i><i xsi:type='c:string'>a</i><i>b</i></anys>",
            "anys",
            "[1,a,b]",
        ),
        (
            "<any xsi:type='c:Array' c:arrayType='xsd:int[2]'><i>1</i><i>2</i></any>",
            "any",
            "[1,2]",
        ),
        (
            "<points c:arrayType='t:Point[2]'><i><y>1</y><x>2</x></i><i xsi:type='t:Derived' k='1'><x>3</x><y>4</y><z>5</z></i></points>",
            "points",
            "[x=2 y=1.0,x=3 y=4.0 z=5]",
        ),
        (
            "<points c:arrayType='t:Point[1]'><i><x>2</x></i></points>",
            "points",
            "[x=2]",
        ),
    ] {
        assert_eq!(line(inside, "", name), expected, "{inside}");
    }
}

#[test]
fn types_of_unfinished_schema_versions_are_known() {
    let old =
        "xmlns:o='http://www.w3.org/1999/XMLSchema' xmlns:i='http://www.w3.org/1999/XMLSchema-instance'";
    for (inside, name, expected) in [
        (format!("<any {old} i:type='o:int'>7</any>"), "any", "7"),
        (format!("<text {old} i:null='1'/>"), "text", "nil"),
        (
            format!("<any {old} i:type='c:Array' c:arrayType='o:int[1]'><x>7</x></any>"),
            "any",
            "[7]",
        ),
    ] {
        assert_eq!(line(&inside, "", name), expected, "{inside}");
    }
}

#[test]
fn references_are_followed() {
    for (inside, behind, name, expected) in [
        // One reference: the value itself.
        (
            "<point href='#1'/>",
            "<m id='1'><x>1</x><y>2</y></m>",
            "point",
            "x=1 y=2.0",
        ),
        (
            "<point d:ref='1'/>",
            "<m d:id='1'><x>1</x><y>2</y></m>",
            "point",
            "x=1 y=2.0",
        ),
        (
            "<text href='#1'/>",
            "<m id='1' xsi:type='xsd:string'>a</m>",
            "text",
            "a",
        ),
        // Numbers that are objects of their own, as Axis writes them, are a column all the same.
        (
            "<doubles c:arrayType='xsd:double[3]'><i href='#1'/><i href='#2'/><i href='#1'/></doubles>",
            "<m id='1' xsi:type='xsd:double'>1</m><m id='2' xsi:type='xsd:double'>2</m>",
            "doubles",
            "[1.0,2.0,1.0]",
        ),
        (
            "<texts href='#9'/>",
            "<m id='9' c:arrayType='xsd:string[2]'><i href='#8'/><i>b</i></m><m id='8'>a</m>",
            "texts",
            "[a,b]",
        ),
        // Several: one object.
        (
            "<node href='#1'/><other href='#1'/>",
            "<m id='1'><value>1</value></m>",
            "other",
            "Ref(0) | value=1",
        ),
        // A circle, forwards and in place.
        (
            "<node href='#1'/>",
            "<m id='1'><value>1</value><next href='#2'/></m><m id='2'><value>2</value><next href='#1'/></m>",
            "node",
            "Ref(0) | next=(value=2 next=Ref(0)) value=1",
        ),
        (
            "<node id='n'><value>1</value><next href='#n'/></node>",
            "",
            "node",
            "Ref(0) | next=Ref(0) value=1",
        ),
        // An id that nobody refers to is nothing.
        ("<node id='n'><value>1</value></node>", "", "node", "value=1"),
        // The first accessor holds the object, and a later one refers back to it.
        (
            "<node id='n'><value>1</value></node><other href='#n'/>",
            "",
            "other",
            "Ref(0) | value=1",
        ),
        (
            "<other href='#n'/><node id='n'><value>1</value></node>",
            "",
            "node",
            "Ref(0) | value=1",
        ),
        // Arrays in an array of several dimensions, one of them twice.
        (
            "<matrix c:arrayType='xsd:int[][3]'><m href='#1'/><m href='#2'/><m href='#1'/></matrix>",
            "<m id='1' c:arrayType='xsd:int[2]'><m>1</m><m href='#3'/></m><m id='2' c:arrayType='xsd:int[2]'><m>3</m><m>4</m></m>\
             <m id='3' xsi:type='xsd:int'>2</m>",
            "matrix",
            "sizes=[3,2] values=[1,2,3,4,1,2]",
        ),
        // What prefixes mean is told where the object stands, not where the reference does.
        (
            "<any href='#1'/>",
            "<m xmlns:q='http://www.w3.org/2001/XMLSchema'><k id='1' xsi:type='q:int'>5</k></m>",
            "any",
            "5",
        ),
    ] {
        let got = line(inside, behind, name);
        let same = support::sorted(&got) == support::sorted(expected);
        assert!(same, "{inside}{behind}: {got} is not {expected}");
    }
}

#[test]
fn what_a_peer_gets_wrong_is_named() {
    let long = |n: usize| {
        let link = |i: usize| format!("<m id='{i}' href='#{}'/>", i + 1);
        (0..n).map(link).collect::<String>()
    };
    let chain = long(200);
    let nested = |n: usize, inside: &str| format!("{}{inside}{}", "<next>".repeat(n), "</next>".repeat(n));
    let deep = nested(45, "<next href='#1'/>");
    let deeper = format!("<m id='1'>{}</m>", nested(240, ""));
    for (inside, behind, kind, words) in [
        (
            "<node href='#1'/>",
            "",
            Kind::MissingId,
            "no element has the id \"1\"",
        ),
        (
            "<node href='#1'/>",
            "<m id='1'/><m id='1'/>",
            Kind::DuplicateId,
            "stands twice",
        ),
        (
            "<node href='#1'>x</node>",
            "<m id='1'/>",
            Kind::Unexpected,
            "has content",
        ),
        ("<node href='#0'/>", &*chain, Kind::Limit, "references"),
        (
            "<node href='#1'/>",
            "<m id='1' href='#1'/>",
            Kind::Limit,
            "references",
        ),
        (
            "<texts c:arrayType='xsd:string[99999999]'/>",
            "",
            Kind::Limit,
            "not transmitted",
        ),
        (
            "<texts c:arrayType='xsd:string[9]' c:offset='[99999999999999999999]'/>",
            "",
            Kind::Lexical,
            "sizes",
        ),
        ("<texts c:arrayType='xsd:string[x]'/>", "", Kind::Lexical, "sizes"),
        ("<texts c:arrayType='nonsense'/>", "", Kind::Lexical, "sizes"),
        (
            "<matrix c:arrayType='xsd:int[4294967296,4294967296,4294967296]'/>",
            "",
            Kind::Unexpected,
            "dimensions",
        ),
        (
            "<matrix c:arrayType='xsd:int[4294967296,4294967296]'/>",
            "",
            Kind::Limit,
            "not transmitted",
        ),
        (
            "<matrix c:arrayType='xsd:int[1,1]'><i>1</i><i>2</i></matrix>",
            "",
            Kind::Unexpected,
            "2 items",
        ),
        (
            "<matrix c:arrayType='xsd:int[][1]'><m c:arrayType='xsd:int[2]'><m>1</m></m></matrix>",
            "",
            Kind::Unexpected,
            "1 items in an array of 2",
        ),
        (
            "<matrix c:arrayType='xsd:int[][2]'><m href='#1'/><m href='#2'/></matrix>",
            "<m id='1' c:arrayType='xsd:int[0]'/><m id='2' href='#2'/>",
            Kind::Limit,
            "references",
        ),
        (
            "<texts c:arrayType='xsd:string[2]'><i c:position='[1]'>b</i><i c:position='[1]'>c</i></texts>",
            "",
            Kind::Unexpected,
            "item 1 of a sparse array stands twice",
        ),
        (
            "<texts><i c:position='[2]'>b</i><i>c</i><i c:position='[1]'>c</i></texts>",
            "",
            Kind::Unexpected,
            "item 1 of a sparse array stands twice",
        ),
        ("<node><bad>1</bad></node>", "", Kind::Unexpected, "bad"),
        ("<doubles><i>x</i></doubles>", "", Kind::Lexical, "double"),
        (
            &*format!("<node>{deep}</node>"),
            &*deeper,
            Kind::Limit,
            "references followed",
        ),
    ] {
        let error = read(&table(), &message(inside, behind)).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), kind, "{inside}{behind}: {error}");
        assert!(error.to_string().contains(words), "{inside}{behind}: {error}");
        assert_eq!(error.guilty(), castile_codec::Guilty::Peer, "{error}");
    }
}

/// Objects declare namespaces each for itself, as Axis has them do, and in any order.
#[test]
fn a_prefix_means_what_its_object_says() {
    let declared = "xmlns:s='http://www.w3.org/2001/XMLSchema'";
    let behind = format!(
        "<m id='1' xmlns:z='urn:z' {declared} xsi:type='s:int'>1</m><m id='2' {declared} xsi:type='s:int'>2</m>
         <m id='3' xmlns:y='urn:y' xmlns:z='urn:z' {declared} xsi:type='c:Array'><i xsi:type='s:int'>3</i></m>"
    );
    let inside = "<anys><i href='#1'/><i href='#2'/><i href='#3'/><i href='#3'/><i href='#2'/></anys>";
    let text = message(inside, &behind).replace("xmlns:xsd='http://www.w3.org/2001/XMLSchema'", "");
    let graph = read(&table(), &text).unwrap();
    let items = field(&graph, "anys").into_list();
    let numbers: Vec<&Value> = items.iter().filter(|v| matches!(v, Value::Int(_))).collect();
    assert_eq!(
        numbers,
        [&Value::Int(1), &Value::Int(2), &Value::Int(2)],
        "{items:?}"
    );
    assert_eq!(graph.objects.len(), 1);
}

#[test]
fn shared_objects_do_not_multiply() {
    // Each level refers to the next twice: two to the power of a hundred if they were copied.
    let level = |i: u32| {
        format!(
            "<m id='{i}' xsi:type='c:Array' c:arrayType='xsd:anyType[2]'><i href='#{0}'/><i href='#{0}'/></m>",
            i + 1
        )
    };
    let levels: String = (0..100).map(level).collect();
    let graph = read(
        &table(),
        &message(
            "<any href='#0'/>",
            &(levels + "<m id='100' xsi:type='xsd:int'>1</m>"),
        ),
    )
    .unwrap();
    assert_eq!(graph.objects.len(), 99, "each of them is one object");
    // A text is copied, so what references make of it has a limit.
    let text = format!("<m id='t' xsi:type='xsd:string'>{}</m>", "x".repeat(100_000));
    let many = "<i href='#t'/>".repeat(1000);
    let error = read(&table(), &message(&format!("<texts>{many}</texts>"), &text)).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
}

#[test]
fn a_long_chain_takes_no_stack_and_linear_time() {
    const LINKS: u32 = 20_000;
    let table = table();
    let node = |i: u32| {
        let next = if i + 1 < LINKS {
            Value::Ref(i + 1)
        } else {
            Value::Absent
        };
        Value::map([("value", Value::Int(i.into())), ("next", next)])
    };
    let sent = graph(
        &table,
        Value::map([("node", Value::Ref(0)), ("other", Value::Ref(LINKS / 2))]),
        (0..LINKS).map(node).collect(),
    );
    for version in [Version::Soap11, Version::Soap12] {
        let text = write(&table, version, &sent, false).unwrap();
        let back = read(&table, &text).unwrap();
        let total: usize =
            count(back.root.get("op").unwrap()) + back.objects.iter().map(count).sum::<usize>();
        assert_eq!(total, LINKS as usize + 1, "every node once, and the operation");
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Record(record) => 1 + record.values().iter().map(count).sum::<usize>(),
        Value::List(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}
