//! Collapsed stacks: `outermost;...;innermost COUNT`, a stack a line, which every sampler can be made to write.

use crate::Outcome;

/// Samples of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stacks {
    /// Frames, the outermost first, and how often they were seen so.
    pub(crate) stacks: Vec<(Vec<String>, u64)>,
}

impl Stacks {
    /// Reads collapsed stacks.
    ///
    /// # Errors
    /// A line without a count; no stacks at all.
    pub(crate) fn parse(text: &str) -> Outcome<Stacks> {
        let mut stacks = Vec::new();
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let (frames, count) = line
                .trim_end()
                .rsplit_once(' ')
                .ok_or_else(|| format!("line {} has no count", number + 1))?;
            let count = count
                .parse()
                .map_err(|_| format!("line {} ends in {count:?}, which is no count", number + 1))?;
            stacks.push((
                frames.split(';').map(|frame| frame.trim().to_owned()).collect(),
                count,
            ));
        }
        match stacks.is_empty() {
            true => Err("there are no stacks".into()),
            false => Ok(Stacks { stacks }),
        }
    }

    /// Adds one stack, outermost frame first.
    pub(crate) fn add(&mut self, frames: Vec<String>) {
        match self.stacks.iter_mut().find(|(there, _)| *there == frames) {
            Some((_, count)) => *count += 1,
            None => self.stacks.push((frames, 1)),
        }
    }

    /// The text that [`Stacks::parse`] reads.
    pub(crate) fn text(&self) -> String {
        let line = |(frames, count): &(Vec<String>, u64)| format!("{} {count}\n", frames.join(";"));
        self.stacks.iter().map(line).collect()
    }

    /// From what `perf script` prints: a block a sample, innermost frame first, `ADDRESS SYMBOL+OFFSET (OBJECT)`.
    pub(crate) fn of_perf(text: &str) -> Stacks {
        let mut all = Stacks::default();
        for block in text.split("\n\n") {
            let mut frames: Vec<String> = block
                .lines()
                .filter(|line| line.starts_with(['\t', ' ']))
                .filter_map(perf_frame)
                .collect();
            if !frames.is_empty() {
                frames.reverse();
                all.add(frames);
            }
        }
        all
    }

    /// From what `jfr print` shows of execution samples: `stackTrace = [`, a method a line, innermost first, `]`.
    pub(crate) fn of_jfr(text: &str) -> Stacks {
        let mut all = Stacks::default();
        let mut frames: Option<Vec<String>> = None;
        for line in text.lines().map(str::trim) {
            match (&mut frames, line) {
                (None, line) if line.starts_with("stackTrace = [") => frames = Some(Vec::new()),
                (Some(_), "]") => {
                    let mut whole = frames.take().unwrap_or_default();
                    whole.reverse();
                    if !whole.is_empty() {
                        all.add(whole);
                    }
                }
                (Some(frames), line) if line != "..." => {
                    frames.push(line.split('(').next().unwrap_or(line).replace(';', ","));
                }
                _ => {}
            }
        }
        all
    }
}

/// A symbol with a path of modules stands for itself; any other gets the name of its object before it. An inlined function
/// without a path says nothing of where it is from: its time is its caller's.
fn perf_frame(line: &str) -> Option<String> {
    let rest = line.trim().split_once(' ')?.1;
    let (symbol, object) = rest.rsplit_once(" (")?;
    let symbol = symbol
        .rsplit_once("+0x")
        .map_or(symbol, |(name, _)| name)
        .replace(';', ",");
    // The kernel and shared libraries are no Go.
    let program = !object.starts_with('[') && !object.contains(".so");
    let symbol = program.then(|| go_symbol(&symbol)).flatten().unwrap_or(symbol);
    let object = object.trim_end_matches(')').rsplit('/').next().unwrap_or(object);
    if let (Some(script), true) = (symbol.strip_prefix("JS:"), object.starts_with("perf-")) {
        return Some(script_frame(script));
    }
    let path = symbol
        .trim_start_matches('<')
        .split(['<', ' ', '('])
        .next()
        .unwrap_or_default();
    match (path.contains("::"), object) {
        (true, _) => Some(symbol),
        (false, "inlined") => None,
        // Whoever started the thread.
        (false, "[unknown]") => None,
        (false, object) => Some(format!("{object}`{symbol}")),
    }
}

/// `encoding/xml.(*Decoder).unmarshal`, of which the package ends at the first point behind the last slash, as
/// `encoding/xml::(*Decoder).unmarshal`; `None` of other symbols.
fn go_symbol(symbol: &str) -> Option<String> {
    let start = symbol.split(['(', '[']).next()?.rfind('/').map_or(0, |at| at + 1);
    let (package, name) = symbol.get(start..)?.split_once('.')?;
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let is_go = is_word(package) && name.starts_with(|c: char| c.is_alphabetic() || c == '(');
    (is_go && !symbol.contains(':')).then(|| format!("{}{package}::{name}", &symbol[..start]))
}

/// What V8 writes down of a function, `*name path:line:column` with a mark of how it was compiled, as `name (path:line)`.
fn script_frame(text: &str) -> String {
    let text = text.trim_start_matches(['~', '^', '*', '+']);
    let (name, place) = text.rsplit_once(' ').unwrap_or(("", text));
    let name = if name.is_empty() { "anonymous" } else { name };
    let place = place.rsplit_once(':').map_or(place, |(line, _)| line);
    format!("{name} ({place})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapsed_text_reads_back_as_it_was() {
        let text = "main;a::b;c d 3\nmain 1\n";
        assert_eq!(Stacks::parse(text).expect("stacks").text(), text);
        assert!(Stacks::parse("main;a").is_err());
        assert!(Stacks::parse("").is_err());
    }

    #[test]
    fn samplers_own_texts_become_stacks() {
        let perf = "engine 1 2.0: 1 cycles:\n\t55 memcpy+0x10 (/lib/libc.so.6)\n\t60 get<a::B> (inlined)\n\t66 castile_xml::read+0x1 (/b/engine)\n\n";
        assert_eq!(
            Stacks::of_perf(&format!("{perf}{perf}")).text(),
            "castile_xml::read;libc.so.6`memcpy 2\n"
        );
        let node = "node 1 2.0: 1 cycles:\n\t55 JS:*write file:///b/node_modules/sax/lib/sax.js:10:5+0x1 (/p/perf-1.map)\n\n";
        assert_eq!(
            Stacks::of_perf(node).text(),
            "write (file:///b/node_modules/sax/lib/sax.js:10) 1\n"
        );
        let go = "engine 1 2.0: 1 cycles:\n\t55 encoding/xml.(*Decoder).text+0x1 (/b/engine)\n\t60 main.main+0x2 (/b/engine)\n\
                  \t70 switch.isra.0+0x2 ([kernel.kallsyms])\n\n";
        assert_eq!(
            Stacks::of_perf(go).text(),
            "[kernel.kallsyms]`switch.isra.0;main::main;encoding/xml::(*Decoder).text 1\n"
        );
        let jfr = "jdk.ExecutionSample {\n  stackTrace = [\n    a.B.inner() line: 1\n    a.B.outer(int) line: 2\n    ...\n  ]\n}\n";
        assert_eq!(Stacks::of_jfr(jfr).text(), "a.B.outer;a.B.inner 1\n");
    }
}
