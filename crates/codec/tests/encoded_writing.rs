//! Values of SOAP encoding are written, and what is written is read again.

mod support;

use castile_codec::Version;
use castile_value::{ColumnBuf, Value};
use support::encoded::{field, graph, message, read, table, write};

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
        same(points.into(), Value::Rows(rows), "points");
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
fn what_comes_after_a_shared_text_says_its_type() {
    let table = table();
    let texts = Value::List(vec!["a text of more than sixteen bytes".into(); 3]);
    let op = Value::map([("texts", texts), ("text", "short".into())]);
    let body = graph(&table, op, Vec::new());
    let written = write(&table, Version::Soap11, &body, true).unwrap();
    assert!(
        written.contains("<text xsi:type=\"xsd:string\">short</text>"),
        "{written}"
    );
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
            text = castile_testkit::mutate(&text, &mut rng);
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
