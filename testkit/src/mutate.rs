//! Changes to messages: some that mean nothing, some that break them.

use crate::Rng;

/// An element of a message as bytes.
#[derive(Clone, Copy, Debug)]
struct Element {
    start: usize,
    /// After the start tag.
    inside: usize,
    /// Before the end tag.
    stop: usize,
    end: usize,
    leaf: bool,
}

/// The elements inside the body, of text as the encoder writes it: no `<` but in tags.
fn elements(text: &str) -> Vec<Element> {
    let (mut open, mut found): (Vec<(usize, usize, bool)>, Vec<Element>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|i| at + i) {
        let Some(end) = text[start..].find('>').map(|i| start + i + 1) else {
            break;
        };
        at = end;
        match &text[start..end] {
            tag if tag.starts_with("<?") || tag.starts_with("<!") => {}
            tag if tag.starts_with("</") => {
                if let Some((from, inside, parent)) = open.pop() {
                    found.push(Element {
                        start: from,
                        inside,
                        stop: start,
                        end,
                        leaf: !parent,
                    });
                }
            }
            tag => {
                if let Some((_, _, parent)) = open.last_mut() {
                    *parent = true;
                }
                if tag.ends_with("/>") {
                    found.push(Element {
                        start,
                        inside: end,
                        stop: end,
                        end,
                        leaf: false,
                    });
                } else {
                    open.push((start, end, false));
                }
            }
        }
    }
    let body = text.find("<S:Body>").or(text.find("<e:Body>")).unwrap_or(0);
    found.retain(|e| e.start > body);
    found
}

/// One random change.
pub fn mutate(text: &str, rng: &mut Rng) -> String {
    let elements = elements(text);
    if elements.is_empty() || rng.once_in(12) {
        return garble(text, rng);
    }
    let one = *rng.pick(&elements);
    let leaves: Vec<Element> = elements.iter().copied().filter(|e| e.leaf).collect();
    let leaf = if leaves.is_empty() {
        one
    } else {
        *rng.pick(&leaves)
    };
    let mut out = text.to_owned();
    match rng.below(12) {
        0 | 1 => {
            let place = *rng.pick(&[one.start, one.end, one.inside, one.stop]);
            let what = *rng.pick(&[
                " ",
                "\n  ",
                "\r\n",
                "<!-- c -->",
                "<?pi x?>",
                "<![CDATA[]]>",
                "\t",
                "x",
            ]);
            out.insert_str(place, what);
        }
        2 => {
            let (before, after) = *rng.pick(&[
                ("<![CDATA[", "]]>"),
                (" ", ""),
                ("", " "),
                ("\n", "\r\n"),
                ("<!---->", ""),
                ("", "<?p?>"),
            ]);
            out.insert_str(leaf.stop, after);
            out.insert_str(leaf.inside, before);
        }
        3 => {
            if let Some(c) = out[leaf.inside..leaf.stop].chars().next() {
                out.replace_range(
                    leaf.inside..leaf.inside + c.len_utf8(),
                    &format!("&#x{:x};", c as u32),
                );
            }
        }
        4 | 5 => {
            const TEXTS: &[&str] = &[
                "",
                "5",
                "+5",
                "-0",
                "007",
                " 12 ",
                "1.5",
                "INF",
                "-INF",
                "NaN",
                "+INF",
                "1e400",
                "-1e-400",
                "1e",
                "1_0",
                "true",
                "0",
                "99999999999",
                "-99999999999999999999",
                "300",
                "x",
                "&amp;",
                "a]b",
                "a]]b",
                "\u{FF21}",
                "5\r\n",
                "..",
                "0x1",
            ];
            let text: &&str = rng.pick(TEXTS);
            out.replace_range(leaf.inside..leaf.stop, text);
        }
        6 => out.insert_str(one.end, &text[one.start..one.end]),
        7 => out.replace_range(one.start..one.end, ""),
        8 => {
            if let Some(next) = elements.iter().find(|e| e.start == one.end) {
                let swapped = [&text[next.start..next.end], &text[one.start..one.end]].concat();
                out.replace_range(one.start..next.end, &swapped);
            }
        }
        9 => {
            if text[one.start..one.inside].ends_with('>') && one.stop != one.end {
                let tag = text[one.start..one.inside].trim_end_matches('>').to_owned() + "/>";
                out.replace_range(one.start..one.end, &tag);
            }
        }
        10 => {
            const ATTRIBUTES: &[&str] = &[
                " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:nil='true'",
                " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:nil='false'",
                " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:d='http://www.w3.org/2001/XMLSchema' i:type='d:int'",
                " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:t='urn:t' i:type='t:Derived'",
                " xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='no:such'",
                " foo='1'",
                " xml:lang='en'",
                " xmlns:z='urn:z'",
                " xmlns='urn:t'",
                " xmlns:ns1='urn:changed'",
            ];
            let tag = &text[one.start..one.inside];
            let name = tag[1..]
                .find([' ', '>', '/'])
                .map_or(one.inside, |i| one.start + 1 + i);
            let attribute: &&str = rng.pick(ATTRIBUTES);
            out.insert_str(name, attribute);
        }
        _ => out = reprefixed(text, one).unwrap_or(out),
    }
    out
}

/// The element under a prefix of its own.
fn reprefixed(text: &str, one: Element) -> Option<String> {
    let tag = text.get(one.start + 1..one.inside)?;
    let name = &tag[..tag.find([' ', '>', '/'])?];
    let local = name.split_once(':').filter(|(prefix, _)| *prefix == "ns1")?.1;
    let attributes = &tag[name.len()..];
    let inside = &text[one.inside..one.stop];
    let end = if one.stop == one.end {
        String::new()
    } else {
        format!("</z:{local}>")
    };
    let new = format!("<z:{local} xmlns:z='urn:t'{attributes}{inside}{end}");
    Some([&text[..one.start], &new, &text[one.end..]].concat())
}

/// Bytes changed, lost, added or cut off.
fn garble(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    let at = rng.below(bytes.len());
    match rng.below(5) {
        0 => bytes[at] = b"<>&;/= '\"a0\n\x01]"[rng.below(13)],
        1 => {
            bytes.remove(at);
        }
        2 => bytes.insert(at, b"<>&;/= '\"a0\n\x01]"[rng.below(13)]),
        3 => bytes.truncate(at),
        _ => {
            let end = (at + rng.below(20)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
