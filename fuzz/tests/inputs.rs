//! Every input that once failed, and every seed, does what must hold.

use std::fs;
use std::path::Path;

use castile_fuzz::{TARGETS, run, seeds};

#[test]
fn what_once_failed() {
    let crashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("crashes");
    for folder in fs::read_dir(crashes)
        .expect("the folder")
        .flatten()
        .filter(|e| e.path().is_dir())
    {
        let target = folder.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(folder.path()).expect("a folder").flatten() {
            println!("{target}: {}", file.path().display());
            run(&target, &fs::read(file.path()).expect("a file"));
        }
    }
}

#[test]
fn what_a_fuzzer_begins_with() {
    for (target, run) in TARGETS {
        let seeds = seeds(target, None);
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for seed in seeds {
            run(&seed);
            // Cut short and changed, too: a target takes anything.
            run(&seed[..seed.len() / 2]);
            run(&seed
                .iter()
                .map(|b| b.wrapping_add(u8::from(b % 61 == 0)))
                .collect::<Vec<_>>());
        }
    }
}
