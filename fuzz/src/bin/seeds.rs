//! `seeds FOLDER`: writes the inputs to begin with into `FOLDER/TARGET/`, one a file.

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("usage: seeds FOLDER"));
    };
    let testdata = std::env::var_os("CASTILE_TESTDATA").map(PathBuf::from);
    for (target, _) in castile_fuzz::TARGETS {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        for (i, bytes) in castile_fuzz::seeds(target, testdata.as_deref())
            .iter()
            .enumerate()
        {
            std::fs::write(folder.join(format!("seed-{i:04}")), bytes)?;
        }
    }
    Ok(())
}
