//! Files that only their owner reads and writes, put in place whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most bytes of a file that is read.
const BYTES_MAX: u64 = 1 << 30;

/// The bytes of a file of ours; `None` if there is none, or somebody else could have written it.
pub(super) fn read(folder: &Path, path: &Path) -> Option<Vec<u8>> {
    if !is_ours(&fs::metadata(folder).ok()?) {
        return None;
    }
    let file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > BYTES_MAX || !is_ours(&metadata) {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    file.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Writes a file beside its place and renames it into it.
pub(super) fn write(folder: &Path, path: &Path, bytes: &[u8]) -> Option<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    make(folder)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}-{count}.new", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| file.write_all(bytes));
    let placed = written.and_then(|()| fs::rename(&beside, path));
    if placed.is_err() {
        let _gone = fs::remove_file(&beside);
    }
    placed.ok()
}

/// Removes the files not written for longest, beyond `files_max`, and what broken writes left.
pub(super) fn prune(folder: &Path, files_max: usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let extension = path.extension()?.to_str()?;
            let modified = fs::metadata(&path).ok()?.modified().ok()?;
            let abandoned = modified.elapsed().is_ok_and(|age| age.as_secs() > 3600);
            if extension == "new" && abandoned {
                let _gone = fs::remove_file(&path);
            }
            (extension == "castile").then_some((modified, path))
        })
        .collect();
    files.sort_unstable();
    for (_, path) in files.iter().rev().skip(files_max) {
        let _gone = fs::remove_file(path);
    }
}

fn make(folder: &Path) -> Option<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).ok()?;
    is_ours(&fs::metadata(folder).ok()?).then_some(())
}

/// Whether it belongs to this user and nobody else may write to it.
#[cfg(unix)]
fn is_ours(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

/// Elsewhere a user's folders are private by themselves.
#[cfg(not(unix))]
fn is_ours(_metadata: &fs::Metadata) -> bool {
    true
}
