//! `--generated FOLDER`: a crate with the generated code of every WSDL, and a program in it that sends
//! samples of every message through the generated types.
//!
//! `cargo check` in the folder says whether all of it compiles, warnings denied; `cargo run` whether
//! the generated types give the bytes that dynamic values give.

use std::fmt::Write;
use std::path::Path;

use castile_contract::Bundle;
use castile_contract::files::FileResolver;

use crate::corpus::Corpus;

const HARNESS: &str = include_str!("../generated/harness.rs");

/// Writes the crate: of every WSDL, or of every `every`th. Gives the number of modules.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write(
    corpus: &Corpus,
    folder: &Path,
    every: usize,
    only: Option<&str>,
) -> std::io::Result<usize> {
    let source = folder.join("src");
    std::fs::create_dir_all(&source)?;
    let mut main = String::from(
        "//! Generated code of a corpus.\n#![deny(warnings)]\nmod harness;\n\
         use castile::typed::Empty;\nuse harness::{Tally, round};\n",
    );
    let mut calls = String::new();
    let mut modules = 0;
    for (n, row) in corpus.rows().iter().enumerate().filter(|(n, _)| n % every == 0) {
        if only.is_some_and(|part| !row.file.contains(part)) {
            continue;
        }
        let Ok(contract) = corpus.load(row) else { continue };
        let module = format!("m{n:04}");
        let mut bytes = Vec::new();
        let bundle = Bundle::new(&contract, &FileResolver::new()).and_then(|b| b.write(&mut bytes));
        bundle.map_err(|e| std::io::Error::other(format!("{}: {e}", row.file)))?;
        let file = format!("{module}.contract");
        let text = castile_codegen::rust(&contract, &file, &Bundle::digest(&bytes));
        std::fs::write(source.join(file), bytes)?;
        replace(&source.join(format!("{module}.rs")), &text)?;
        modules += 1;
        let _ = writeln!(main, "/// {}\n#[rustfmt::skip]\npub mod {module};", row.file);
        let _ = writeln!(calls, "    {module}_all(&mut tally);");
        let _ = writeln!(main, "fn {module}_all(tally: &mut Tally) {{\n    let _ = &tally;");
        for told in castile_codegen::messages(&contract) {
            let of =
                |name: Option<String>| name.map_or("Empty".to_owned(), |name| format!("{module}::{name}"));
            let _ = writeln!(
                main,
                "    round::<{}, {}>(tally, {:?}, &{module}::CONTRACT, {:?}, {:?}, {});",
                of(told.values),
                of(told.header),
                row.file,
                told.port_type,
                told.operation,
                told.reply
            );
        }
        main.push_str("}\n");
    }
    let _ = write!(
        main,
        "fn main() -> std::process::ExitCode {{\n    let mut tally = Tally::default();\n{calls}    \
         println!(\"{{}} messages, {{}} samples, {{}} not the same by generated types\", tally.messages, tally.samples, tally.unlike);\n    \
         std::process::ExitCode::from(u8::from(tally.unlike > 0))\n}}\n"
    );
    replace(&source.join("main.rs"), &main)?;
    replace(&source.join("harness.rs"), HARNESS)?;
    replace(&folder.join("Cargo.toml"), &manifest())?;
    // The versions that the workspace was built with.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock"))?;
    Ok(modules)
}

/// Writes a file that has another content; one that stays the same is not compiled again.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    match std::fs::read(path) {
        Ok(old) if old == text.as_bytes() => Ok(()),
        _ => std::fs::write(path, text),
    }
}

/// As the workspace's, so that what comes from elsewhere is compiled once for both.
fn manifest() -> String {
    let [castile, testkit] =
        ["../crates/castile", "../testkit"].map(|at| Path::new(env!("CARGO_MANIFEST_DIR")).join(at));
    format!(
        "[package]\nname = \"castile-generated-corpus\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\ncastile = {{ path = {castile:?} }}\ncastile-testkit = {{ path = {testkit:?} }}\n\n[workspace]\n\n\
         [profile.dev]\nopt-level = 0\ndebug = false\n\n[profile.dev.package.\"*\"]\nopt-level = 2\ndebug = false\n"
    )
}
