//! Text of Python: documentation strings, literals, lists that break into lines.

use std::fmt::Write;

use crate::doc::lines;

/// Characters in a line, as formatters have it.
pub(super) const WIDTH: usize = 88;

/// Longer documentation is cut.
const TEXT_MAX: usize = 4000;

/// Appends paragraphs as a documentation string.
pub(super) fn docstring(out: &mut String, indent: &str, paragraphs: &[&str]) {
    let mut all: Vec<String> = Vec::new();
    for paragraph in paragraphs.iter().filter(|p| !p.trim().is_empty()) {
        if !all.is_empty() {
            all.push(String::new());
        }
        all.extend(lines(&harmless(paragraph), WIDTH - indent.len() - 6));
    }
    // A fourth quotation mark at the start would be hard to read.
    if let Some(first) = all.first_mut().filter(|first| first.starts_with('"')) {
        first.insert(0, ' ');
    }
    match &all[..] {
        [] => {}
        [only] if !only.ends_with('"') => {
            let _ = writeln!(out, "{indent}\"\"\"{only}\"\"\"");
        }
        _ => {
            for (n, line) in all.iter().enumerate() {
                match (n, line.is_empty()) {
                    (0, _) => drop(writeln!(out, "{indent}\"\"\"{line}")),
                    (_, true) => out.push('\n'),
                    _ => drop(writeln!(out, "{indent}{line}")),
                }
            }
            let _ = writeln!(out, "{indent}\"\"\"");
        }
    }
}

/// Text that ends no string and hides nothing from a reader.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if out.len() > TEXT_MAX {
            out.push_str(" ...");
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        let seen = |c: &char| !c.is_control() && !is_turning(*c);
        let mut word: String = word.chars().filter(seen).collect();
        word = word.replace('\\', "\\\\").replace("\"\"\"", "'''");
        out.push_str(&word);
    }
    out
}

/// Turns the reading direction around.
fn is_turning(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A string literal, as formatters write it.
pub(super) fn literal(text: &str) -> String {
    let quote = if text.contains('"') && !text.contains('\'') {
        '\''
    } else {
        '"'
    };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => drop(write!(out, "\\{c}")),
            c if c.is_control() || is_turning(c) => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// `head`, items and `tail` in one line where that fits, else one item a line.
pub(super) fn bracketed(out: &mut String, indent: &str, head: &str, items: &[String], tail: &str) {
    let line = format!("{head}{}{tail}", items.join(", "));
    let text = match fits(indent, &line) {
        true => line,
        false => broken(indent, head, items, tail),
    };
    let _ = writeln!(out, "{indent}{text}");
}

/// The same as an item of another such list, before its comma.
pub(super) fn nested(indent: &str, head: &str, items: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}", items.join(", "));
    match fits(indent, &format!("{line},")) {
        true => line,
        false => broken(indent, head, items, tail),
    }
}

fn broken(indent: &str, head: &str, items: &[String], tail: &str) -> String {
    let items: String = items
        .iter()
        .map(|item| format!("{indent}    {item},\n"))
        .collect();
    format!("{head}\n{items}{indent}{tail}")
}

/// Whether a text is one line that is not too long.
pub(super) fn fits(indent: &str, line: &str) -> bool {
    !line.contains('\n') && indent.len() + line.chars().count() <= WIDTH
}

/// A union in one line after `head`, else one alternative a line.
pub(super) fn union(indent: &str, head: &str, all: &[String], tail: &str) -> String {
    let line = format!("{head}{}{tail}", all.join(" | "));
    if fits(indent, &line) || all.len() < 2 {
        return line;
    }
    let inside = format!("{indent}    ");
    let mut line = all.join(" | ");
    if !fits(&inside, &line) {
        line = all.join(&format!("\n{inside}| "));
    }
    format!("{head}(\n{inside}{line}\n{indent}){tail}")
}

#[cfg(test)]
mod tests {
    use super::{docstring, literal};

    #[test]
    fn no_documentation_ends_its_string() {
        let mut out = String::new();
        docstring(&mut out, "    ", &["say \"\"\"x\"\"\" \\N \u{202E}\n", ""]);
        assert_eq!(out, "    \"\"\"say '''x''' \\\\N\"\"\"\n");
        out.clear();
        docstring(&mut out, "", &["\"a\"", "b"]);
        assert_eq!(out, "\"\"\" \"a\"\n\nb\n\"\"\"\n");
    }

    #[test]
    fn literals_are_what_formatters_write() {
        let made: Vec<String> = ["a", "it's", "say \"x\"", "a\\b\n", "'\""].map(literal).into();
        assert_eq!(
            made,
            ["\"a\"", "\"it's\"", "'say \"x\"'", "\"a\\\\b\\n\"", "\"'\\\"\""]
        );
    }
}
