//! Addressed messages of Axis2's tests: those that lack a header, or have one too many.

use std::path::{Path, PathBuf};

use castile_endpoint::addressing::{AddressingService, AddressingServiceOptions, Elsewhere};
use castile_endpoint::{Found, Layer, Limits, Received, Refusal, Route, System};

/// Folder and file of Axis2's messages, and the subcode that answers them.
const CASES: &[(&str, &str)] = &[
    (
        "invalid-cardinality-messages/final/invalidCardinalityActionMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/final/invalidCardinalityFaultToMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/final/invalidCardinalityFromMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/final/invalidCardinalityMessageIDMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/final/invalidCardinalityReplyToMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/final/invalidCardinalityToMessage.xml",
        "InvalidCardinality",
    ),
    (
        "invalid-cardinality-messages/submission/invalidCardinalityFaultToMessage.xml",
        "InvalidMessageInformationHeader",
    ),
    (
        "invalid-cardinality-messages/submission/invalidCardinalityMessageIDMessage.xml",
        "InvalidMessageInformationHeader",
    ),
    (
        "invalid-cardinality-messages/submission/invalidCardinalityToMessage.xml",
        "InvalidMessageInformationHeader",
    ),
    (
        "omitted-header-messages/final/noMessageIDMessage.xml",
        "MessageAddressingHeaderRequired",
    ),
    ("omitted-header-messages/final/noFaultToMessage.xml", ""),
    ("omitted-header-messages/final/noReplyToMessage.xml", ""),
    ("omitted-header-messages/final/noToMessage.xml", ""),
];

fn folder() -> Option<PathBuf> {
    let root = std::env::var_os("CASTILE_TESTDATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
        PathBuf::from,
    );
    let folder = root.join("messages/ws-addressing-axis2");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_none(),
        "the test data is missing"
    );
    println!("SKIPPED: no test data at {}", folder.display());
    None
}

fn check(text: &str) -> Result<Found, Refusal> {
    let envelope = castile_codec::Envelope::open(text, &Limits::default()).unwrap();
    let layer = AddressingService::new(AddressingServiceOptions {
        elsewhere: Elsewhere::Hosts(vec!["example.com".to_owned()]),
        ..AddressingServiceOptions::default()
    });
    let received = Received {
        version: envelope.version(),
        operation: "",
        action: None,
        expected: &[],
        blocks: envelope.headers(),
        one_way: false,
        is_fault: false,
        world: &System,
    };
    let (mut found, mut memory) = (Found::default(), None);
    layer.check_request(&received, &mut found, &mut memory)?;
    Ok(found)
}

#[test]
fn messages_of_axis2_are_answered_as_the_standard_says() {
    let Some(folder) = folder() else { return };
    for (file, expected) in CASES {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        match (check(&text), *expected) {
            (Ok(_), "") => {}
            (Ok(_), expected) => panic!("{file}: accepted, where {expected} was expected"),
            (Err(refusal), expected) => {
                let subcodes: Vec<&str> = refusal.fault.subcodes.iter().map(|c| &*c.local).collect();
                assert!(subcodes.contains(&expected), "{file}: {refusal} {subcodes:?}");
            }
        }
    }
}

#[test]
fn a_reply_goes_where_the_message_says() {
    let Some(folder) = folder() else { return };
    let text =
        std::fs::read_to_string(folder.join("omitted-header-messages/final/noFaultToMessage.xml")).unwrap();
    let found = check(&text).unwrap();
    // Without FaultTo, faults go where replies go.
    assert_eq!(
        found.reply,
        Route::To("http://example.com/fabrikam/acct".to_owned())
    );
    assert_eq!(found.fault, found.reply);
}
