//! CWMP by the schemas of the Broadband Forum, with messages that devices sent to FreeACS.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use castile_contract::Contract;
use castile_endpoint::cwmp::{Acs, AcsOptions, Cpe, CpeOptions};
use castile_endpoint::{ClientOptions, Handlers, LoadOptions, Location, load};
use castile_http::{Request, Url, blocking};
use castile_value::{Record, Value};

/// The test data; `None`, said loudly, where there is none.
fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("CASTILE_TESTDATA").map_or_else(beside, PathBuf::from);
    if folder.join("wsdl/cwmp-tr069").is_dir() {
        return Some(folder);
    }
    let required = std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_some_and(|v| v == "1");
    assert!(!required, "no test data in {}", folder.display());
    eprintln!(
        "SKIPPED: no test data in {}; set CASTILE_TESTDATA",
        folder.display()
    );
    None
}

/// The schemas of versions 1.0 to 1.4.
fn versions(folder: &Path) -> Vec<Arc<Contract>> {
    let options = LoadOptions {
        offline: true,
        // Versions 1.3 and 1.4 include the earlier ones from the network.
        catalogs: vec![folder.join("wsdl/catalog.tsv")],
        cache: castile_endpoint::Cache::Off,
        ..LoadOptions::default()
    };
    let version = |n| {
        let path = folder.join(format!("wsdl/cwmp-tr069/cwmp-1-{n}.xsd"));
        load(&Location::from(&*path.to_string_lossy()), &options).unwrap()
    };
    (0..5).map(version).collect()
}

/// A message of a device, with another `cwmp:ID`.
fn recorded(folder: &Path, name: &str, id: &str) -> String {
    let path = folder.join("messages/cwmp-freeacs").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once("mustUnderstand=\"1\">").unwrap();
    let (_, after) = rest.split_once("</cwmp:ID>").unwrap();
    format!("{before}mustUnderstand=\"1\">{id}</cwmp:ID>{after}")
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// Name and value of each entry of a list that came.
fn pairs(list: Option<&Value>, value: &str) -> Vec<(String, String)> {
    let list = list.cloned().unwrap_or_default().into_list();
    let pair = |entry: &Value| {
        let field = |name| entry.get(name).map(text);
        Some((field("Name")?, field(value)?))
    };
    list.iter().filter_map(pair).collect()
}

#[test]
fn every_version_has_the_methods_of_its_time() {
    let Some(folder) = folder() else { return };
    let mut before: Vec<String> = Vec::new();
    for contract in versions(&folder) {
        // 1.4 redefines types of 1.3, which has them of 1.2.
        assert_eq!(contract.warnings, [], "{}", contract.name);
        let operations = &contract.bindings[0].operations;
        let unusable = operations.iter().find_map(|o| o.unsupported.as_ref());
        assert_eq!(unusable, None, "{}", contract.name);
        let names: Vec<String> = operations.iter().map(|o| o.name.clone()).collect();
        for name in [
            "Inform",
            "GetParameterValues",
            "Download",
            "Reboot",
            "FactoryReset",
        ] {
            assert!(names.iter().any(|n| n == name), "{}: {name}", contract.name);
        }
        // A later version keeps what an earlier one had, but for Kicked, which 1.3 withdrew.
        let lost: Vec<&String> = before
            .iter()
            .filter(|n| !names.contains(n) && *n != "Kicked")
            .collect();
        assert_eq!(lost, Vec::<&String>::new(), "{}", contract.name);
        before = names;
    }
}

/// What the function of a session saw: the device, and what it answered.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    events: Vec<String>,
    informed: Vec<(String, String)>,
    names: Vec<(String, String)>,
    values: Vec<(String, String)>,
}

/// An ACS of all versions that asks each device two questions.
fn acs(contracts: Vec<Arc<Contract>>, seen: &Arc<Mutex<Seen>>) -> Acs {
    let seen = seen.clone();
    Acs::new(contracts, AcsOptions::default())
        .unwrap()
        .on_session(move |session| {
            let seen = seen.clone();
            async move {
                let inform = session.inform();
                let events = inform.get("Event").cloned().unwrap_or_default().into_list();
                let mut found = Seen {
                    events: events
                        .iter()
                        .filter_map(|e| e.get("EventCode").map(text))
                        .collect(),
                    informed: pairs(inform.get("ParameterList"), "Value"),
                    ..Seen::default()
                };
                let question = Value::map([
                    ("ParameterPath", Value::from("InternetGatewayDevice.")),
                    ("NextLevel", Value::from(false)),
                ]);
                if let Ok(reply) = session.call("GetParameterNames", &question).await? {
                    found.names = pairs(Some(&reply.value), "Writable");
                }
                let names = ["InternetGatewayDevice.DeviceInfo.SoftwareVersion"];
                let names = names.iter().map(|n| Value::from(*n)).collect();
                let question = Value::map([("ParameterNames", Value::List(names))]);
                if let Ok(reply) = session.call("GetParameterValues", &question).await? {
                    found.values = pairs(Some(&reply.value), "Value");
                }
                *seen.lock().unwrap() = found;
                Ok(())
            }
        })
}

#[test]
fn a_recorded_device_is_understood() {
    let Some(folder) = folder() else { return };
    let seen = Arc::default();
    let running = acs(versions(&folder), &seen)
        .bind("127.0.0.1:0")
        .unwrap()
        .start()
        .unwrap();
    let url = Url::parse(&format!("http://{}/", running.addr())).unwrap();
    let device = blocking::Client::new(castile_http::ClientOptions::default()).unwrap();
    let post = |body: String| {
        let request = Request::post(url.clone(), body)
            .header("content-type", "text/xml")
            .unwrap();
        let reply = device.send(request).unwrap();
        (
            reply.status.as_u16(),
            String::from_utf8(reply.body.to_vec()).unwrap(),
        )
    };

    let (status, informed) = post(recorded(&folder, "Inform.xml", "first"));
    assert_eq!(status, 200, "{informed}");
    assert!(informed.contains("<cwmp:InformResponse>"), "{informed}");
    assert!(informed.contains("urn:dslforum-org:cwmp-1-2"), "{informed}");
    assert!(informed.contains(">first</"), "{informed}");
    let (_, asked) = post(String::new());
    assert!(
        asked.contains("<NextLevel>false</NextLevel>") || asked.contains("<NextLevel>0</NextLevel>"),
        "{asked}"
    );
    // This recording is of another version than the session: devices do that.
    let (_, asked) = post(recorded(&folder, "GetParameterNamesResponse.xml", "1"));
    assert!(asked.contains(":arrayType=\"xsd:string[1]\""), "{asked}");
    let end = post(recorded(&folder, "GetParameterValuesResponse.xml", "2"));
    assert_eq!(end, (204, String::new()));

    running.stop();
    let seen: Seen = seen.lock().unwrap().clone();
    assert_eq!(seen.events, ["0 BOOTSTRAP", "1 BOOT", "4 VALUE CHANGE"]);
    assert_eq!(seen.informed.len(), 4);
    assert_eq!(
        seen.informed[3],
        (
            "InternetGatewayDevice.DeviceInfo.SoftwareVersion".to_owned(),
            "V5.2.10P4T26".to_owned()
        )
    );
    assert_eq!(seen.names.len(), 18);
    assert_eq!(
        seen.values,
        [
            ("InternetGatewayDevice.DeviceInfo.SoftwareVersion", "v1.1.91"),
            (
                "InternetGatewayDevice.ManagementServer.PeriodicInformInterval",
                "Int(360)"
            ),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

#[test]
fn a_device_of_each_version_meets_a_server_of_all() {
    let Some(folder) = folder() else { return };
    for contract in versions(&folder) {
        let version = contract.name.clone();
        let seen = Arc::default();
        let running = acs(versions(&folder), &seen)
            .bind("127.0.0.1:0")
            .unwrap()
            .start()
            .unwrap();
        let options = CpeOptions {
            client: ClientOptions {
                endpoint: Some(format!("http://{}/", running.addr())),
                strict: true,
                ..ClientOptions::default()
            },
            ..CpeOptions::default()
        };
        let get = |args: Record| {
            let names = args
                .get("ParameterNames")
                .cloned()
                .unwrap_or_default()
                .into_list();
            let value = |name| Value::map([("Name", name), ("Value", Value::from(true))]);
            Ok(Value::map([(
                "ParameterList",
                Value::List(names.into_iter().map(value).collect()),
            )]))
        };
        let list = |_| {
            let info = Value::map([
                ("Name", Value::from("InternetGatewayDevice.")),
                ("Writable", Value::from(false)),
            ]);
            Ok(Value::map([("ParameterList", Value::List(vec![info]))]))
        };
        let methods = Handlers::new()
            .on("GetParameterValues", get)
            .on("GetParameterNames", list);
        let cpe = Cpe::new(contract, options, methods).unwrap();
        let session = cpe.inform(&inform()).unwrap();
        assert_eq!(session.finish().unwrap(), 2, "{version}");
        running.stop();
        let seen: Seen = seen.lock().unwrap().clone();
        assert_eq!(seen.events, ["2 PERIODIC"], "{version}");
        assert_eq!(seen.names.len(), 1, "{version}");
        assert_eq!(seen.values[0].1, "Bool(true)", "{version}");
    }
}

fn inform() -> Value {
    let device = ["Manufacturer", "OUI", "ProductClass", "SerialNumber"].map(|name| {
        let value = if name == "OUI" { "00AABB" } else { "x" };
        (name, Value::from(value))
    });
    let event = Value::map([
        ("EventCode", Value::from("2 PERIODIC")),
        ("CommandKey", Value::from("")),
    ]);
    Value::map([
        ("DeviceId", Value::map(device)),
        ("Event", Value::List(vec![event])),
        ("MaxEnvelopes", Value::from(1i64)),
        ("CurrentTime", Value::from("2026-05-01T12:00:00Z")),
        ("RetryCount", Value::from(0i64)),
        ("ParameterList", Value::List(Vec::new())),
    ])
}
