//! What a patched message must say: what a fresh one says.

use castile_testkit::{difference, plainly};
use castile_value::{Record, Value};

use super::step::Messages;

/// One message in so many is decoded, as its length falls.
const READ: usize = 32;

impl Messages {
    /// A patched message has to say what a fresh one says, with `exact` widths in the same bytes. Where bytes tell
    /// nothing both are decoded, and so is one message in some whatever its bytes are.
    pub(crate) fn compare(&self, patched: &[u8], fresh: &[u8], exact: bool) {
        if exact {
            assert!(
                patched == fresh,
                "exact widths give the bytes of a fresh encoding"
            );
        }
        if fresh.len().is_multiple_of(READ) || !is_padded(patched, fresh) {
            let (patched, fresh) = (self.decode(patched), self.decode(fresh));
            assert_eq!(difference(&Value::Record(patched), &Value::Record(fresh)), None);
        }
    }

    fn decode(&self, message: &[u8]) -> Record {
        let text = std::str::from_utf8(message).expect("UTF-8");
        let read = plainly::read(&self.table.types, &self.plan, text, true);
        read.expect("a good message").1
    }
}

/// Elements of steps that are numbers wherever they stand: spaces around the value say nothing.
const NUMBERS: [&[u8]; 7] = [b"a", b"b", b"c", b"wide", b"x", b"y", b"value"];

/// Whether all that differs is spaces which say nothing: behind closing tags, and around numbers.
fn is_padded(patched: &[u8], fresh: &[u8]) -> bool {
    if patched == fresh {
        return true;
    }
    let (mut patched, mut fresh) = (tags(patched), tags(fresh));
    loop {
        match (patched.next(), fresh.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_padded_tag(a, b) => {}
            _ => return false,
        }
    }
}

/// A tag without its `<`, and the text behind it.
fn tags(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    message.split(|&b| b == b'<')
}

fn is_padded_tag(patched: &[u8], fresh: &[u8]) -> bool {
    let Some(end) = fresh.iter().position(|&b| b == b'>') else {
        return false;
    };
    let ((tag, text), fresh) = (fresh.split_at(end + 1), patched.split_at_checked(end + 1));
    let name = tag[..end].split(|&b| b == b':').next_back();
    fresh.is_some_and(|(same, padded)| {
        same == tag
            && padded.trim_ascii() == text.trim_ascii()
            && (tag[0] == b'/' || name.is_some_and(|name| NUMBERS.contains(&name)))
    })
}

#[test]
fn spaces_are_told_from_values() {
    let fresh = b"<s:a>1</s:a><s:note>n</s:note>";
    let good: [&[u8]; 4] = [
        fresh,
        b"<s:a>1  </s:a><s:note>n</s:note>",
        b"<s:a> 1</s:a>  <s:note>n</s:note>",
        b"<s:a>1</s:a><s:note>n</s:note>  ",
    ];
    let bad: [&[u8]; 6] = [
        b"<s:a>1 1</s:a><s:note>n</s:note>",
        b"<s:a></s:a><s:note>n</s:note>",
        b"<s:a>1</s:a><s:note>n </s:note>",
        b"<s:a>1</s:a>x<s:note>n</s:note>",
        b"<s:b>1 </s:a><s:note>n</s:note>",
        b"<s:a>1</s:a><s:note>n",
    ];
    assert!(good.iter().all(|patched| is_padded(patched, fresh)));
    assert!(bad.iter().all(|patched| !is_padded(patched, fresh)));
}
