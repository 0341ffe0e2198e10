//! Messages of SOAP encoding.

use castile_codec::{EncodeOptions, Error, Version, encode};
use castile_plan::Plan;
use castile_testkit::{Table, plainly};
use castile_value::{Graph, Record, Value};

use super::brief;

pub(crate) fn table() -> Table {
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

pub(crate) fn plan(table: &Table) -> Plan {
    table.plan("op").into_encoded()
}

pub(crate) fn graph(table: &Table, op: Value, objects: Vec<Value>) -> Graph<Record> {
    let root = super::body(table, "op", op);
    Graph { root, objects }
}

pub(crate) fn write(
    table: &Table,
    version: Version,
    body: &Graph<Record>,
    share_texts: bool,
) -> Result<String, Error> {
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

pub(crate) fn read(table: &Table, text: &str) -> Result<Graph<Record>, Error> {
    plainly::read_graph(&table.types, &plan(table), text)
}

/// A message with this inside its one element, and this behind it.
pub(crate) fn message(inside: &str, behind: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t'
          xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xsd='http://www.w3.org/2001/XMLSchema'
          xmlns:c='http://schemas.xmlsoap.org/soap/encoding/' xmlns:d='http://www.w3.org/2003/05/soap-encoding'>
          <e:Body><t:op e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'>{inside}</t:op>{behind}
          </e:Body></e:Envelope>"
    )
}

pub(crate) fn field(graph: &Graph<Record>, name: &str) -> Value {
    let op = graph.root.get("op").expect("the body's element");
    op.get(name).cloned().unwrap_or_default()
}

/// What a field becomes, with the objects behind a bar.
pub(crate) fn line(inside: &str, behind: &str, name: &str) -> String {
    let table = table();
    let graph = match read(&table, &message(inside, behind)) {
        Ok(graph) => graph,
        Err(e) => return format!("{:?}: {e}", e.kind()),
    };
    let plain = |value: &Value| brief(&castile_testkit::plain(value));
    let objects = graph.objects.iter().map(|object| format!(" | {}", plain(object)));
    plain(&field(&graph, name)) + &objects.collect::<String>()
}
