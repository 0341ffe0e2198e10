//! SOAP encoding: arrays, references, types that elements say. The messages are those of SOAP 1.1,
//! section 5, or in the manner of toolkits that write it.

mod support;

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Error, Kind, Limits, Version, encode};
use castile_plan::Plan;
use castile_testkit::Table;
use castile_value::{ColumnBuf, Graph, Record, Value, ValueSink};
use support::brief;

fn table() -> Table {
    Table::parse(
        "Doubles = item:double*
         Texts = item:string*
         Matrix = item:int*
         Lists = item:Texts*
         Anys = item:any*
         Point = ^x:int, ^y:double
         Points = item:Point*
         Node = ^value:int, ^next:Node?
         Nodes = item:Node*
         Derived(Point) = ^z:string
         op = ^doubles:Doubles?, ^texts:Texts?, ^matrix:Matrix?, ^lists:Lists?, ^anys:Anys?, ^points:Points?
              , ^node:Node?, ^other:Node?, ^nodes:Nodes?, ^point:Point?, ^any:any?, ^text:string?",
    )
    .with_arrays(&[
        ("Doubles", 1),
        ("Texts", 1),
        ("Matrix", 2),
        ("Lists", 1),
        ("Anys", 1),
        ("Points", 1),
        ("Nodes", 1),
    ])
}

fn plan(table: &Table) -> Plan {
    table.plan("op").into_encoded()
}

fn graph(table: &Table, op: Value, objects: Vec<Value>) -> Graph<Record> {
    let root = support::body(table, "op", op);
    Graph { root, objects }
}

fn write(table: &Table, version: Version, body: &Graph<Record>, share_texts: bool) -> Result<String, Error> {
    let mut out = Vec::new();
    let options = EncodeOptions {
        share_texts,
        ..EncodeOptions::default()
    };
    let header = Vec::new();
    encode(
        &table.types,
        &plan(table),
        version,
        &header,
        body,
        &options,
        &mut out,
    )?;
    Ok(String::from_utf8(out).expect("a message is UTF-8"))
}

fn read(table: &Table, text: &str) -> Result<Graph<Record>, Error> {
    let plan = plan(table);
    let mut header = ValueSink::new(table.types.shape(plan.header).clone());
    let mut body = ValueSink::new(table.types.shape(plan.body).clone());
    let envelope = Envelope::open(text, &Limits::default())?;
    envelope.decode(
        &table.types,
        &plan,
        &DecodeOptions::default(),
        &mut header,
        &mut body,
    )?;
    Ok(body.finish_graph())
}

/// A message with this inside its one element, and this behind it.
fn message(inside: &str, behind: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t'
          xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xsd='http://www.w3.org/2001/XMLSchema'
          xmlns:c='http://schemas.xmlsoap.org/soap/encoding/' xmlns:d='http://www.w3.org/2003/05/soap-encoding'>
          <e:Body><t:op e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'>{inside}</t:op>{behind}
          </e:Body></e:Envelope>"
    )
}

fn field(graph: &Graph<Record>, name: &str) -> Value {
    let op = graph.root.get("op").expect("the body's element");
    op.get(name).cloned().unwrap_or_default()
}

/// What a field becomes, with the objects behind a bar.
fn line(inside: &str, behind: &str, name: &str) -> String {
    let table = table();
    let graph = match read(&table, &message(inside, behind)) {
        Ok(graph) => graph,
        Err(e) => return format!("{:?}: {e}", e.kind()),
    };
    let plain = |value: &Value| brief(&castile_testkit::plain(value));
    let objects = graph.objects.iter().map(|object| format!(" | {}", plain(object)));
    plain(&field(&graph, name)) + &objects.collect::<String>()
}

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
            "<points c:arrayType='t:Point[2]'><i><y>1</y><x>2</x></i><i xsi:type='t:Derived'><x>3</x><y>4</y><z>5</z></i></points>",
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
            "<matrix c:arrayType='xsd:int[][1]'><m href='#1'/></matrix>",
            "<m id='1'/>",
            Kind::Unexpected,
            "does not say its size",
        ),
        ("<node><bad>1</bad></node>", "", Kind::Unexpected, "bad"),
        ("<doubles><i>x</i></doubles>", "", Kind::Lexical, "double"),
        (&*format!("<node>{deep}</node>"), &*deeper, Kind::Limit, "deeper"),
    ] {
        let error = read(&table(), &message(inside, behind)).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), kind, "{inside}{behind}: {error}");
        assert!(error.to_string().contains(words), "{inside}{behind}: {error}");
        assert_eq!(error.guilty(), castile_codec::Guilty::Peer, "{error}");
    }
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

#[test]
fn arrays_are_written() {
    let table = table();
    let column = Value::from(vec![1.5, 2.0]);
    let matrix = castile_value::Grid::new(vec![2, 1], vec![1, 2].into()).unwrap();
    for (name, value, soap11, soap12) in [
        (
            "doubles",
            column,
            "<doubles xsi:type=\"E:Array\" E:arrayType=\"xsd:double[2]\"><ns1:item>1.5</ns1:item><ns1:item>2</ns1:item></doubles>",
            "<doubles xsi:type=\"E:Array\" E:itemType=\"xsd:double\" E:arraySize=\"2\">",
        ),
        (
            "texts",
            Value::List(Vec::new()),
            "<texts xsi:type=\"E:Array\" E:arrayType=\"xsd:string[0]\"/>",
            "<texts xsi:type=\"E:Array\" E:itemType=\"xsd:string\" E:arraySize=\"0\"/>",
        ),
        (
            "matrix",
            matrix.into(),
            "<matrix xsi:type=\"E:Array\" E:arrayType=\"xsd:int[2,1]\"><ns1:item>1</ns1:item>",
            "E:arraySize=\"2 1\"",
        ),
        (
            "matrix",
            vec![Value::from(vec![1, 2]), vec![Value::Int(3), Value::Int(4)].into()].into(),
            "E:arrayType=\"xsd:int[2,2]\"><ns1:item>1</ns1:item><ns1:item>2</ns1:item><ns1:item>3</ns1:item>",
            "E:arraySize=\"2 2\"",
        ),
        (
            "lists",
            vec![Value::List(vec!["a".into()])].into(),
            "<lists xsi:type=\"E:Array\" E:arrayType=\"xsd:string[][1]\"><ns1:item xsi:type=\"E:Array\" E:arrayType=\"xsd:string[1]\">",
            "E:itemType=\"E:Array\" E:arraySize=\"1\"",
        ),
        (
            "any",
            vec![1.5, 2.0].into(),
            "<any xsi:type=\"E:Array\" E:arrayType=\"xsd:double[2]\"><item>1.5</item>",
            "E:itemType=\"xsd:double\"",
        ),
        (
            "point",
            Value::map([("x", 1.into()), ("y", 2.0.into())]),
            "<point xsi:type=\"ns1:Point\"><x xsi:type=\"xsd:int\">1</x><y xsi:type=\"xsd:double\">2</y></point>",
            "<point xsi:type=\"ns1:Point\">",
        ),
        (
            "points",
            vec![Value::map([("x", 1.into()), ("y", Value::Absent)]); 5].into(),
            "E:arrayType=\"ns1:Point[5]\"><ns1:item><x xsi:type=\"xsd:int\">1</x><y xsi:nil=\"true\"/></ns1:item>",
            "E:itemType=\"ns1:Point\" E:arraySize=\"5\"",
        ),
    ] {
        let body = graph(&table, Value::map([(name, value)]), Vec::new());
        let text = write(&table, Version::Soap11, &body, false).unwrap();
        assert!(text.contains(soap11), "{soap11} in {text}");
        let text = write(&table, Version::Soap12, &body, false).unwrap();
        assert!(text.contains(soap12), "{soap12} in {text}");
    }
}

#[test]
fn fast_and_slow_ways_write_the_same() {
    let table = table();
    let point = |i: i64| Value::map([("x", i.into()), ("y", (i as f64).into())]);
    for n in [1, 3, 4, 9] {
        let numbers: Vec<f64> = (0..n).map(|i| i as f64 / 4.0).collect();
        let list: Vec<Value> = numbers.iter().map(|&v| v.into()).collect();
        let same = |a: Value, b: Value, name: &str| {
            let write = |v: Value| {
                let body = graph(&table, Value::map([(name, v)]), Vec::new());
                write(&table, Version::Soap11, &body, false).unwrap()
            };
            assert_eq!(write(a), write(b));
        };
        same(numbers.into(), list.into(), "doubles");
        let points: Vec<Value> = (0..n).map(point).collect();
        let text = write(
            &table,
            Version::Soap11,
            &graph(&table, Value::map([("points", points.clone().into())]), vec![]),
            false,
        )
        .unwrap();
        let Value::Rows(rows) = field(&read(&table, &text).unwrap(), "points") else {
            panic!("flat records are rows")
        };
        same(points.into(), rows.into(), "points");
    }
}

#[test]
fn numbers_are_one_column() {
    let table = table();
    let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
    let body = graph(
        &table,
        Value::map([("doubles", numbers.clone().into())]),
        Vec::new(),
    );
    let text = write(&table, Version::Soap11, &body, false).unwrap();
    assert_eq!(
        field(&read(&table, &text).unwrap(), "doubles"),
        Value::Column(ColumnBuf::F64(numbers))
    );
}

#[test]
fn numbers_behind_references_are_one_column() {
    let items = "<i href='#1'/><i href='#2'/><i>3</i><i href='#1'/>";
    let behind = "<m id='1' xsi:type='xsd:double'>1</m><m id='2' xsi:type='xsd:double'>2</m>";
    let text = message(&format!("<doubles>{items}</doubles>"), behind);
    let numbers = ColumnBuf::F64(vec![1.0, 2.0, 3.0, 1.0]);
    assert_eq!(
        field(&read(&table(), &text).unwrap(), "doubles"),
        Value::Column(numbers)
    );
}

#[test]
fn shared_objects_are_written_once() {
    let table = table();
    let ring = vec![
        Value::map([("value", 1.into()), ("next", Value::Ref(1))]),
        Value::map([("value", 2.into()), ("next", Value::Ref(0))]),
        Value::List(vec![Value::Ref(0), Value::Ref(1), Value::Ref(0)]),
    ];
    let op = Value::map([
        ("node", Value::Ref(0)),
        ("other", Value::Ref(1)),
        ("nodes", Value::Ref(2)),
    ]);
    let body = graph(&table, op, ring);
    for version in [Version::Soap11, Version::Soap12] {
        let text = write(&table, version, &body, false).unwrap();
        assert_eq!(text.matches("<value").count(), 2, "{text}");
        let back = read(&table, &text).unwrap();
        // The list has one reference only and is no object of its own.
        assert_eq!(back.objects.len(), 2, "{text}");
        let again = read(&table, &write(&table, version, &back, false).unwrap()).unwrap();
        assert_eq!(again, back, "{text}");
    }
    let text = write(&table, Version::Soap11, &body, false).unwrap();
    assert!(text.contains("<node href=\"#id1\"/>"), "{text}");
    assert!(text.contains("</ns1:op><multiRef id=\"id1\""), "{text}");
    let text = write(&table, Version::Soap12, &body, false).unwrap();
    assert!(
        text.contains("<node E:id=\"id1\" xsi:type=\"ns1:Node\">"),
        "{text}"
    );
    assert!(
        text.contains("E:ref=\"id1\"/>") && !text.contains("multiRef"),
        "{text}"
    );
}

#[test]
fn texts_are_shared_at_will() {
    let table = table();
    let long = "a text of more than sixteen bytes";
    let texts: Vec<Value> = [long, "short", long, "short", long].map(Value::from).into();
    let body = graph(
        &table,
        Value::map([("texts", texts.into()), ("text", long.into())]),
        Vec::new(),
    );
    let plain = write(&table, Version::Soap11, &body, false).unwrap();
    assert_eq!(plain.matches(long).count(), 4);
    for version in [Version::Soap11, Version::Soap12] {
        let shared = write(&table, version, &body, true).unwrap();
        assert_eq!(shared.matches(long).count(), 1, "{shared}");
        assert_eq!(shared.matches("short").count(), 2, "{shared}");
        assert_eq!(read(&table, &shared).unwrap(), read(&table, &plain).unwrap());
    }
}

#[test]
fn what_a_caller_gets_wrong_is_named() {
    let table = table();
    for (name, value, objects, words) in [
        ("node", Value::Ref(3), vec![], "no object 3"),
        ("node", Value::Ref(0), vec![Value::Ref(0)], "a reference itself"),
        ("doubles", Value::Int(1), vec![], "where an array belongs"),
        ("matrix", vec![1, 2].into(), vec![], "1 dimensions where 2 belong"),
        (
            "matrix",
            vec![Value::from(vec![1, 2]), Value::from(vec![1])].into(),
            vec![],
            "dimensions",
        ),
    ] {
        let body = graph(&table, Value::map([(name, value)]), objects);
        let error = write(&table, Version::Soap11, &body, false).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.guilty(), castile_codec::Guilty::Caller, "{error}");
    }
}

#[test]
fn mutations_do_not_panic_either_way() {
    let table = table();
    let seeds = [
        message(
            "<node href='#1'/><other href='#2'/><texts href='#3'/>
             <matrix c:arrayType='xsd:int[][2]'><m c:arrayType='xsd:int[1]'><m>1</m></m><m c:arrayType='xsd:int[1]'><m>2</m></m></matrix>",
            "<m id='1'><value>1</value><next href='#2'/></m><m id='2'><next href='#1'/></m>
             <m id='3' c:arrayType='xsd:string[3]' c:offset='[1]'><i>a</i><i c:position='[2]'>b</i></m>",
        ),
        message(
            "<any xsi:type='c:Array' c:arrayType='xsd:anyType[3]'><i id='a' xsi:type='t:Point'><x>1</x><y>2</y></i>
             <i href='#a'/><i xmlns:q='urn:q' href='#b'/></any><doubles><i>1</i><i href='#n'/></doubles>",
            "<m id='n' xsi:type='xsd:double'>2</m><m xmlns:q='urn:q'><b id='b' xsi:type='xsd:string'>x</b></m>",
        ),
    ];
    let mut rng = castile_testkit::Rng::new(7);
    let (mut taken, mut refused) = (0, 0);
    for i in 0..6000 {
        let mut text = seeds[i % 2].clone();
        for _ in 0..=i % 3 {
            text = support::mutate::mutate(&text, &mut rng);
        }
        match read(&table, &text) {
            Ok(graph) => {
                taken += 1;
                let _ = write(&table, Version::Soap11, &graph, false);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
}
