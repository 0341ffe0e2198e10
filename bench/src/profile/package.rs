//! Which package, crate or library a frame is of, and whether it waits.

/// The package of a frame: a crate of Rust, a package of Java, a module of Python, a shared object of C.
pub(super) fn of(frame: &str) -> String {
    if let Some((object, _)) = frame.split_once('`') {
        return object.to_owned();
    }
    let path = frame.trim_start_matches("(anonymous namespace)::");
    let path = path.trim_start_matches(['<', '&', '(', '[', '*']);
    let path = path.trim_start_matches("dyn ").trim_start_matches("mut ");
    let name = path.split(['<', ' ', '(']).next().unwrap_or(path);
    if let Some((package, _)) = name.split_once("::") {
        return package.to_owned();
    }
    if let Some((_, place)) = frame.split_once(" (") {
        return source(place.trim_end_matches(')'));
    }
    let parts: Vec<&str> = frame.split(['.', '/']).collect();
    match parts.len() {
        0..=2 => frame.to_owned(),
        // Class and method go; of what is left as much as names a product.
        n => parts[..(n - 2).clamp(1, 3)].join("."),
    }
}

/// The package of a source file: `path/to/site-packages/lxml/etree.py:12`, `path/to/node_modules/sax/lib/sax.js:12`
fn source(place: &str) -> String {
    let path = place.rsplit_once(':').map_or(place, |(path, _)| path);
    if let Some((_, inside)) = path.rsplit_once("node_modules/") {
        let parts = if inside.starts_with('@') { 2 } else { 1 };
        return inside.split('/').take(parts).collect::<Vec<_>>().join("/");
    }
    if path.starts_with("node:") {
        return "node".to_owned();
    }
    let inside = path
        .rsplit_once("site-packages/")
        .map_or(path, |(_, inside)| inside);
    let parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
    let of_library = parts
        .iter()
        .position(|part| part.starts_with("python3"))
        .and_then(|at| parts.get(at + 1));
    // py-spy leaves out where packages are installed.
    let name = match path.contains("site-packages/") || !path.starts_with('/') {
        true => parts.first(),
        false => of_library.or(parts.last()),
    };
    let name = name.map_or(place, |name| *name);
    let endings = [".py", ".js", ".c"];
    let bare = endings.iter().find_map(|ending| name.strip_suffix(ending));
    bare.unwrap_or(name).to_owned()
}

/// Whether a stack that ends so waits instead of working.
pub(super) fn waits(innermost: &[String]) -> bool {
    const WORDS: [&str; 31] = [
        "epoll_wait",
        "futex_wait",
        "pthread_cond",
        "poll_schedule",
        "nanosleep",
        "inet_csk_accept",
        "accept4",
        "socketAccept",
        "socketRead0",
        "SocketDispatcher.read",
        "NioSocketImpl.park",
        "NioSocketImpl.accept",
        "Unsafe.park",
        "Object.wait",
        "Thread.sleep",
        "EPoll.wait",
        "Net.accept",
        "Net.poll",
        "select (selectors",
        "accept (socket",
        "readinto (socket",
        "FileInputStream.read",
        "read (libc",
        "recv (libc",
        "poll (libc",
        "accept (libc",
        "select (libc",
        "Selector.poll",
        "epoll_pwait",
        "poll (selectors",
        "wait (threading",
    ];
    innermost
        .iter()
        .any(|frame| WORDS.iter().any(|word| frame.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_packages() {
        for (frame, package) in [
            ("castile_codec::decode::repeat::run", "castile_codec"),
            ("<alloc::vec::Vec<T> as Clone>::clone", "alloc"),
            ("zeep_codec::call::<fn(u8) -> (a::B, c::D)>", "zeep_codec"),
            ("libc.so.6`memcpy", "libc.so.6"),
            (
                "org.apache.cxf.phase.PhaseInterceptorChain.doIntercept",
                "org.apache.cxf",
            ),
            ("java.lang.String.length", "java.lang"),
            (
                "parse (/v/lib/python3.11/site-packages/zeep/xsd/types.py:12)",
                "zeep",
            ),
            ("loads (/usr/lib/python3.11/json/decoder.py:3)", "json"),
            ("main (engine.py:3)", "engine"),
            ("render (zeep/xsd/elements/element.py:12)", "zeep"),
            ("0x7f5a (lxml/etree.cpython-311-x86_64-linux-gnu.so)", "lxml"),
            ("send (libc.so.6)", "libc.so.6"),
            ("encoding/xml::(*Decoder).unmarshal", "encoding/xml"),
            ("write (file:///b/node_modules/sax/lib/sax.js:10)", "sax"),
            ("on (/b/node_modules/@xmldom/xmldom/dom.js:7)", "@xmldom/xmldom"),
            ("emit (node:events:517)", "node"),
            ("load (/b/trace.js:9)", "trace"),
            ("runtime.mallocgc", "runtime.mallocgc"),
        ] {
            assert_eq!(of(frame), package, "{frame}");
        }
    }

    #[test]
    fn waiting_is_told_from_work() {
        assert!(waits(&["jdk.internal.misc.Unsafe.park".into()]));
        assert!(waits(&["readinto (socket.py:705)".into()]));
        assert!(!waits(&["castile_xml::read".into()]));
    }
}
