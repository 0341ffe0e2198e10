//! Documentation of the schema as comments.

use std::fmt::Write;

/// Bytes of text in a line.
const WIDTH: usize = 96;

/// Longer texts are cut.
const TEXT_MAX: usize = 4000;

/// Appends a text as lines of a Rust documentation comment, each with this indentation. What would
/// be Markdown is escaped: the text is anybody's.
pub(crate) fn comment(out: &mut String, indent: &str, mark: &str, text: &str) {
    for line in lines(&escaped(text), WIDTH) {
        let _ = writeln!(out, "{indent}{mark} {line}");
    }
}

/// A text in lines of fewer bytes than that, if its words allow it.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for word in text.split_whitespace() {
        if out.len() > TEXT_MAX {
            out.push_str(" ...");
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        // At the start of a line these would begin a list, a heading, a quotation or a rule.
        let starts = ['-', '+', '#', '=', '~', '|', ':'];
        let number = word.trim_end_matches(['.', ')']);
        if word.starts_with(starts) {
            out.push('\\');
        } else if number.len() < word.len() && number.chars().all(|c| c.is_ascii_digit()) {
            out.push_str(number);
            out.push('\\');
            out.push_str(word.get(number.len()..).unwrap_or_default());
            continue;
        }
        for c in word.chars() {
            // Text that turns around the reading direction is refused by the compiler.
            if matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') || c.is_control() {
                continue;
            }
            if matches!(c, '[' | ']' | '<' | '>' | '`' | '*' | '_' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn nothing_in_a_text_is_markdown() {
        let mut out = String::new();
        comment(
            &mut out,
            "    ",
            "///",
            "See [x] at <http://h/a_b>. 1. one\n - two `c` \u{202E}",
        );
        assert_eq!(
            out,
            "    /// See \\[x\\] at \\<http://h/a\\_b\\>. 1\\. one \\- two \\`c\\`\n"
        );
    }
}
