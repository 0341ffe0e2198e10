//! `castile inspect`, and what all commands have in common.

mod common;

use common::{castile, castile_with, foreign, interop};
use serde_json::{Value as Json, json};

#[test]
fn an_overview_names_services_ports_and_operations() {
    let run = castile(&["inspect", &interop()]);
    assert_eq!(run.code, 0, "{}", run.err);
    for expected in [
        "service Interop",
        "port Soap12  SOAP 1.2  http",
        "echoString(text?: string) -> string",
        "echoMios(mio: Mio[]) -> Mio[]",
        "notify(key: string, text: string, value: double) one-way",
        "Every double comes back with the same bits.",
    ] {
        assert!(run.out.contains(expected), "{expected} is not in\n{}", run.out);
    }
    // Nobody reads it on a terminal.
    assert!(!run.out.contains('\u{1b}'));
}

#[test]
fn an_operation_in_full_shows_what_is_wrong_with_it() {
    let ambiguous = |name: &str| {
        let content = "<xsd:element name='a' type='xsd:int' minOccurs='0'/><xsd:any minOccurs='0'/>";
        format!(
            "<xsd:element name='{name}'><xsd:complexType><xsd:sequence>{content}</xsd:sequence></xsd:complexType></xsd:element>"
        )
    };
    let text = std::fs::read_to_string(interop()).unwrap();
    let (head, rest) = text.split_once("<xsd:element name=\"echoVoid\">").unwrap();
    let (_, rest) = rest.split_once("</xsd:element>").unwrap();
    let text = format!("{head}{}{}{rest}", ambiguous("echoVoid"), ambiguous("other"));
    let wsdl = common::scratch("findings").join("findings.wsdl");
    std::fs::write(&wsdl, text).unwrap();
    let wsdl = wsdl.to_string_lossy();
    let run = castile(&["inspect", &wsdl, "-o", "echoVoid", "--no-cache"]);
    let warnings: Vec<&str> = run.out.lines().filter(|l| l.starts_with("warning: ")).collect();
    assert!(
        matches!(warnings[..], [one] if one.contains("findings.wsdl:") && one.contains("echoVoid") && one.contains("3.8.6")),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("1 other warning about the contract"),
        "{}",
        run.out
    );
    let run = castile(&["inspect", &wsdl, "-o", "notify", "--no-cache"]);
    assert!(run.out.contains("\n2 warnings about the contract"), "{}", run.out);
}

#[test]
fn an_operation_in_full_shows_the_types_of_its_arguments() {
    let run = castile(&["inspect", &interop(), "--operation", "echoPerson"]);
    for expected in [
        "one of red, green, deep-blue",
        "may be nil",
        "attribute; optional",
        "any number",
    ] {
        assert!(run.out.contains(expected), "{expected} is not in\n{}", run.out);
    }
    assert!(!run.out.contains("echoMios"), "{}", run.out);
    let fault = castile(&["inspect", &interop(), "-o", "failDeclared"]);
    assert!(fault.out.contains("faults\n    ServiceFault"), "{}", fault.out);
}

#[test]
fn json_has_everything_a_program_needs() {
    let run = castile(&["inspect", &interop(), "--json"]).json();
    let ports = run["services"][0]["ports"].as_array().unwrap();
    assert_eq!(ports.len(), 2);
    let operations = ports[0]["operations"].as_array().unwrap();
    let mios = operations.iter().find(|o| o["name"] == "echoMios").unwrap();
    let mio = &mios["input"]["arguments"][0];
    assert_eq!(mio["type"], "{urn:castile:interop:types}Mio");
    assert_eq!(
        (mio["many"].clone(), mio["max"].clone()),
        (json!(true), Json::Null)
    );
    let fields = run["types"]["{urn:castile:interop:types}Mio"]["fields"]
        .as_array()
        .unwrap();
    assert_eq!(
        fields
            .iter()
            .map(|f| f["type"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["xsd:int", "xsd:int", "xsd:double"]
    );
    let colour = &run["types"]["{urn:castile:interop:types}Colour"];
    assert_eq!(
        colour["facets"]["enumeration"],
        json!(["red", "green", "deep-blue"])
    );
}

#[test]
fn a_contract_may_come_through_standard_input() {
    let text = std::fs::read_to_string(interop()).unwrap();
    let run = castile_with(&["inspect", "-"], &text, &[]);
    assert!(run.out.contains("echoVoid()"), "{}{}", run.out, run.err);
}

#[test]
fn what_cannot_be_used_says_why() {
    let Some(wsdl) = foreign("wsdl/axis2/kernel/test-resources/wsdl/meps-wsdl11.wsdl") else {
        return;
    };
    let run = castile(&["inspect", &wsdl]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("cannot be used: a notification"), "{}", run.out);
}

#[test]
fn encoded_operations_are_shown_and_called() {
    let Some(wsdl) = foreign("wsdl/googlesearch/GoogleSearch.wsdl") else {
        return;
    };
    let run = castile(&["inspect", &wsdl, "-o", "doGoogleSearch"]);
    assert!(run.out.contains("rpc/encoded"), "{}{}", run.out, run.err);
    let call = castile(&[
        "call",
        &wsdl,
        "doGoogleSearch",
        "--dry-run",
        "key=k",
        "maxResults=10",
    ]);
    let expected = "<maxResults xsi:type=\"xsd:int\">10</maxResults>";
    assert!(call.out.contains(expected), "{}{}", call.out, call.err);
}

#[test]
fn huge_foreign_contracts_are_shown() {
    let Some(wsdl) = foreign("wsdl/ews-php/services.wsdl") else {
        return;
    };
    let run = castile(&["inspect", &wsdl, "--offline"]);
    assert!(run.out.contains("FindItem"), "{}", run.err);
    let one = castile(&["inspect", &wsdl, "--offline", "-o", "FindItem", "--json"]).json();
    assert!(one["types"].as_object().unwrap().len() > 100);
}

#[test]
fn mistakes_say_what_and_whose() {
    let unknown = castile(&["inspect", &interop(), "-o", "ecoVoid"]);
    assert!(
        unknown
            .failed(1)
            .contains("has no operation ecoVoid; did you mean echoVoid? it has echoVoid"),
        "{}",
        unknown.err
    );
    assert!(
        unknown.err.contains("at fault: the command as it was given"),
        "{}",
        unknown.err
    );
    let file = castile(&["inspect", "/no/such/file.wsdl"]);
    assert!(file.failed(1).contains("/no/such/file.wsdl"), "{}", file.err);
    let text = castile_with(&["inspect", "-"], "<a>", &[]);
    assert!(text.failed(1).contains("not well-formed"), "{}", text.err);
    let json = castile(&["inspect", "/no/such/file.wsdl", "--json"]);
    let error: Json = serde_json::from_str(json.failed(1)).unwrap();
    assert!(
        error["error"]["text"]
            .as_str()
            .unwrap()
            .contains("/no/such/file.wsdl")
    );
    // 2 is kept for faults.
    assert_eq!(castile(&["inspect"]).code, 1);
    assert_eq!(castile(&["no-such-command"]).code, 1);
}

#[test]
fn help_teaches_and_the_version_is_told() {
    let help = castile(&["--help"]);
    assert!(
        help.out.contains("castile call weather.wsdl Forecast"),
        "{}",
        help.out
    );
    for command in ["inspect", "call", "serve", "validate"] {
        let help = castile(&[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains("Examples:"), "{}", help.out);
    }
    assert!(castile(&["--version"]).out.starts_with("castile 0."));
    assert!(castile(&["completions", "bash"]).out.contains("_castile"));
}
