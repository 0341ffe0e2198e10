//! Messages that nest as deep as raised limits allow, on stacks that are smaller than that.

mod support;

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Error, Kind, Limits, Version, encode};
use castile_plan::Plan;
use castile_testkit::Table;
use castile_value::{Graph, Record, Value, ValueSink};

const LEVELS: usize = 100_000;

const LIMITS: Limits = Limits {
    depth_max: 2 * LEVELS as u32,
    attributes_max: 256,
    name_bytes_max: 4096,
    namespaces_max: 1024,
    bytes_max: 2 << 30,
    window_bytes_max: 16 << 20,
    capture_bytes_max: 256 << 20,
};

/// What threads of servers and of other languages often have.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    let running = thread.spawn(test).expect("a thread");
    running.join().expect("the test passes");
}

fn read(table: &Table, plan: &Plan, text: &str, limits: &Limits) -> Result<Graph<Record>, Error> {
    let mut header = ValueSink::new(table.types.shape(plan.header).clone());
    let mut body = ValueSink::new(table.types.shape(plan.body).clone());
    let options = DecodeOptions::default();
    Envelope::open(text, limits)?.decode(&table.types, plan, &options, &mut header, &mut body)?;
    Ok(body.finish_graph())
}

fn write(table: &Table, plan: &Plan, body: &Graph<Record>, depth_max: u32) -> Result<String, Error> {
    let options = EncodeOptions {
        depth_max,
        ..EncodeOptions::default()
    };
    let (header, mut out) = (Vec::new(), Vec::new());
    encode(
        &table.types,
        plan,
        Version::Soap11,
        &header,
        body,
        &options,
        &mut out,
    )?;
    Ok(String::from_utf8(out).expect("a message is UTF-8"))
}

fn nested(open: &str, close: &str, levels: usize) -> String {
    open.repeat(levels) + &close.repeat(levels)
}

#[test]
fn records_in_records_are_read_copied_compared_shown_written_and_dropped() {
    on_a_small_stack(|| {
        for (types, levels) in [
            ("Deep = d:Deep?", LEVELS),
            ("Deep = d:Deep*", LEVELS / 10),
            ("Deep = (d:Deep | e:Deep)?", LEVELS / 10),
            ("Deep = (e:Deep?, d:Deep?)*", LEVELS / 10),
            // Mixed content, which is looked through before it is read.
            ("Deep = #:string, d:Deep?", LEVELS),
        ] {
            let table = Table::parse(types);
            let plan = table.plan("Deep");
            let text = support::message("Deep", &nested("<d>", "</d>", levels));
            let value = read(&table, &plan, &text, &LIMITS).expect("read");
            let copy = value.clone();
            assert!(copy == value);
            assert!(format!("{copy:?}").matches("Record(").count() > levels);
            let written = write(&table, &plan, &value, LIMITS.depth_max).expect("written");
            assert!(read(&table, &plan, &written, &LIMITS).expect("read again") == value);
        }
    });
}

#[test]
fn mixed_content_is_looked_through_for_each_element_in_it() {
    let table = Table::parse("Deep = #:string, d:Deep*");
    let inside = "a<d>b<d>c</d><d>d<d/>e</d></d><d>f<d>g</d>h</d><d>i<d>j</d></d>";
    let deep = support::read(&table, "Deep", inside).expect("read");
    let shown = support::brief(&castile_testkit::plain(&deep));
    let [first, second] = [
        "<d xmlns=\"urn:t\">d<d></d>e</d>",
        "<d xmlns=\"urn:t\">f<d>g</d>h</d>",
    ];
    let expected = format!("d=[d=[text=c,{first}] text=b,{second},d=[text=j] text=i] text=a");
    assert_eq!(shown, expected);
}

#[test]
fn what_is_deeper_than_allowed_is_refused_by_the_name_of_the_limit_both_ways() {
    let table = Table::parse("Deep = d:Deep?");
    let plan = table.plan("Deep");
    let of = |levels| support::message("Deep", &nested("<d>", "</d>", levels));
    // Envelope, Body and the first Deep stand around the others.
    let value = read(&table, &plan, &of(253), &Limits::default()).expect("just as deep as allowed");
    let error = read(&table, &plan, &of(254), &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit);
    assert!(error.message().contains("depth_max"), "{error}");
    write(&table, &plan, &value, 256).expect("just as deep as allowed");
    let error = write(&table, &plan, &value, 255).unwrap_err();
    assert_eq!(error.kind(), Kind::Value);
    assert!(error.message().contains("depth_max = 255"), "{error}");
    let inside = nested("<d>", "</d>", 5000).replacen("</d>", "<wrong/></d>", 1);
    let error = read(&table, &plan, &support::message("Deep", &inside), &LIMITS).unwrap_err();
    let path = error.path();
    assert!(
        path.starts_with("/Envelope/Body/Deep/d/d/d") && path.contains("/d/.../d/"),
        "{path}"
    );
    assert!(path.len() < 2000, "{path}");
}

#[test]
fn chains_of_soap_encoding_nest_as_deep() {
    use support::encoded::{field, message, plan, table};
    on_a_small_stack(|| {
        let (table, open) = (table(), "<next><value>1</value>");
        let chain = format!(
            "<node>{}</node>",
            nested(open, "</next>", LEVELS).replacen(open, "<value>0</value>", 1)
        );
        let chain = chain.replacen("</next>", "", 1);
        let text = message(&chain, "");
        let graph = read(&table, &plan(&table), &text, &LIMITS).expect("read");
        let mut node = &field(&graph, "node");
        let mut levels = 0;
        while let Some(next) = node.get("next").filter(|next| !matches!(next, Value::Absent)) {
            (node, levels) = (next, levels + 1);
        }
        assert_eq!(levels, LEVELS - 1);
        let written = write(&table, &plan(&table), &graph, LIMITS.depth_max).expect("written");
        assert!(read(&table, &plan(&table), &written, &LIMITS).expect("read again") == graph);
        let error = read(&table, &plan(&table), &text, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Limit);
    });
}

/// A toolkit that refers only back writes a ring so.
#[test]
fn a_ring_that_its_peer_nests_is_a_ring() {
    use support::encoded::{field, message, plan, table};
    on_a_small_stack(|| {
        let table = table();
        let inside = nested("<next><value>1</value>", "</next>", LEVELS / 10);
        let last = inside.find("</next>").expect("an end");
        let inside = [&inside[..last], "<next href='#n'/>", &inside[last..]].concat();
        let text = message(&format!("<node id='n'><value>0</value>{inside}</node>"), "");
        let graph = read(&table, &plan(&table), &text, &LIMITS).expect("read");
        assert_eq!(field(&graph, "node"), Value::Ref(0));
        let mut node = &graph.objects[0];
        let mut levels = 0;
        while let Some(next @ Value::Record(_)) = node.get("next") {
            (node, levels) = (next, levels + 1);
        }
        assert_eq!((levels, node.get("next")), (LEVELS / 10, Some(&Value::Ref(0))));
        let written = write(&table, &plan(&table), &graph, LIMITS.depth_max).expect("written");
        assert!(read(&table, &plan(&table), &written, &LIMITS).expect("read again") == graph);
        assert!(graph.into_tree(1 << 20).is_err(), "it goes in a circle");
    });
}

#[test]
fn deep_messages_are_learned_and_followed() {
    on_a_small_stack(|| {
        let table = Table::parse("Deep = a:int, d:Deep?");
        let plan = table.plan("Deep");
        let mut learned = support::learned::Learned {
            limits: LIMITS,
            ..Default::default()
        };
        // A track has a bound of its own, beyond which messages are read plainly.
        for (levels, followed) in [(2000, 1), (LEVELS, 0)] {
            learned.followed = 0;
            for value in ["1", "2"] {
                let open = format!("<a>{value}</a><d>");
                let inside = open.repeat(levels) + "<a>3</a>" + &"</d>".repeat(levels);
                let text = support::message("Deep", &inside);
                let value = learned.decode(&table, &plan, &text, true).expect("read");
                assert!(value == read(&table, &plan, &text, &LIMITS).expect("read").root);
            }
            assert_eq!(learned.followed, followed);
        }
    });
}

#[test]
fn arrays_that_are_items_of_one_another_have_a_limit_of_their_own() {
    use support::encoded::{message, plan, table};
    let table = table();
    let of = |levels| {
        let open = "<i xsi:type='c:Array' c:arrayType='xsd:anyType[1]'>";
        let anys = nested(open, "</i>", levels);
        message(&format!("<anys c:arrayType='xsd:anyType[1]'>{anys}</anys>"), "")
    };
    on_a_small_stack(move || {
        read(&table, &plan(&table), &of(90), &LIMITS).expect("lists in lists");
        let error = read(&table, &plan(&table), &of(LEVELS), &LIMITS).unwrap_err();
        assert_eq!(error.kind(), Kind::Limit, "{error}");
    });
}

#[test]
fn xml_that_a_wildcard_admits_nests_as_deep() {
    on_a_small_stack(|| {
        let table = Table::parse("Wild = *any*");
        let plan = table.plan("Wild");
        let text = support::message("Wild", &nested("<x>", "</x>", LEVELS));
        let value = read(&table, &plan, &text, &LIMITS).expect("read");
        let written = write(&table, &plan, &value, LIMITS.depth_max).expect("written");
        assert_eq!(written.matches("</x>").count(), LEVELS);
        write(&table, &plan, &value, LEVELS as u32).expect_err("deeper than allowed");
    });
}
