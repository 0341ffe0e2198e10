//! `castile generate`: files that a program can use.

mod common;

use common::castile;

const WSDL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/generated/wsdl/harbour.wsdl"
);

#[test]
fn source_and_contract_are_written_side_by_side() {
    let folder = common::scratch("generate").display().to_string();
    let source = format!("{folder}/harbour.rs");
    let run = castile(&["generate", "rust", WSDL, "-o", &source]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = std::fs::read_to_string(&source).expect("the source");
    let bytes = std::fs::read(format!("{folder}/harbour.contract")).expect("the contract");
    let bundle = castile_contract::Bundle::read(&bytes).expect("a bundle");
    let digest = castile_contract::Bundle::digest(&bytes);
    assert!(
        text.contains(&format!("include_bytes!(\"harbour.contract\"), \"{digest}\"")),
        "{text}"
    );
    for line in [
        "    /// Enters a ship into the book.",
        "/// Something that a ship carries.",
        "pub struct HarbourClient(castile::Client);",
        "pub trait HarbourService: Send + Sync + 'static {",
        "    pub sounding: Vec<Sounding>,",
        "    pub captain: typed::Maybe<String>,",
        "    pub next_to: Option<Box<Container>>,",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in {text}");
    }
    // Nothing of this machine is in what others get.
    let contract = bundle.contract().expect("a contract");
    assert_eq!(
        contract.documents.first().map(|d| d.location.as_str()),
        Some("harbour.wsdl")
    );
    assert_eq!(castile(&["generate", "rust", WSDL, "-o", &source]).code, 0);
    assert_eq!(
        std::fs::read_to_string(&source).ok(),
        Some(text),
        "the same again"
    );
}

#[test]
fn what_is_no_contract_is_refused() {
    let run = castile(&["generate", "rust", file!()]);
    assert!(run.failed(1).contains("generate.rs"), "{}", run.err);
}
