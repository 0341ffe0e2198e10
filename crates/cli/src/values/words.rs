//! Arguments as words: `city=Toledo`, `from.lat:=39.8`, `tag=a tag=b`, `photo=@me.jpg`.

use std::path::Path;

use super::Given;
use crate::failure::Failure;

/// The words as one map of fields.
///
/// # Errors
/// A word without `=`, an unreadable file, bad JSON, a field that is a value and a record at once.
pub(crate) fn parse(words: &[String]) -> Result<Given, Failure> {
    let mut root = Given::Map(Vec::new());
    for word in words {
        let (path, value) = word_of(word)?;
        put(&mut root, &path, value).map_err(|why| Failure::caller(format!("argument {word:?}: {why}")))?;
    }
    Ok(root)
}

/// One step of a key.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A field.
    Field(String),
    /// A further item: `[]`.
    Next,
    /// The item of this number: `[0]`.
    Item(usize),
}

/// More items than anybody writes by hand; a list this long comes from a file.
const ITEMS_MAX: usize = 100_000;

fn word_of(word: &str) -> Result<(Vec<Step>, Given), Failure> {
    let Some((key, value)) = word.split_once('=') else {
        let why = format!("argument {word:?} is no key=value (key=text, key:=json, key=@file)");
        return Err(Failure::caller(why));
    };
    let (key, json) = match key.strip_suffix(':') {
        Some(key) => (key, true),
        None => (key, false),
    };
    let value = match (value.strip_prefix('@'), json) {
        (Some(path), false) => Given::file(Path::new(path))?,
        (Some(path), true) => Given::parse(&crate::load::read_text(Path::new(path))?, path)?,
        (None, true) => Given::parse(value, &format!("the value of {key}"))?,
        (None, false) => Given::Text(value.to_owned()),
    };
    let steps = steps(key).map_err(|why| Failure::caller(format!("argument {word:?}: {why}")))?;
    Ok((steps, value))
}

/// `a.b[].c` in steps. A point that belongs to a name is written `\.`.
fn steps(key: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut name = String::new();
    let mut chars = key.chars();
    let mut after_bracket = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => name.extend(chars.next()),
            '.' if !name.is_empty() => steps.push(Step::Field(std::mem::take(&mut name))),
            '.' if after_bracket => {}
            '[' => {
                if !name.is_empty() {
                    steps.push(Step::Field(std::mem::take(&mut name)));
                }
                let number: String = chars.by_ref().take_while(|&c| c != ']').collect();
                steps.push(match number.as_str() {
                    "" => Step::Next,
                    number => match number.parse() {
                        Ok(n) if n < ITEMS_MAX => Step::Item(n),
                        _ => return Err(format!("[{number}] is no item number")),
                    },
                });
            }
            '.' => return Err("a name is missing before the point".into()),
            c => name.push(c),
        }
        after_bracket = c == '[';
    }
    if !name.is_empty() {
        steps.push(Step::Field(name));
    }
    match steps.first() {
        Some(Step::Field(_)) => Ok(steps),
        _ => Err("a name is missing before the =".into()),
    }
}

fn put(at: &mut Given, path: &[Step], value: Given) -> Result<(), String> {
    let Some((step, rest)) = path.split_first() else {
        add(at, value);
        return Ok(());
    };
    if *at == Given::Null {
        *at = match step {
            Step::Field(_) => Given::Map(Vec::new()),
            _ => Given::List(Vec::new()),
        };
    }
    match (step, at) {
        (Step::Field(name), Given::Map(fields)) => {
            let i = fields.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
                fields.push((name.clone(), Given::Null));
                fields.len() - 1
            });
            let Some((_, slot)) = fields.get_mut(i) else {
                return Ok(());
            };
            put(slot, rest, value)
        }
        (Step::Next, Given::List(items)) => {
            let mut item = Given::Null;
            put(&mut item, rest, value)?;
            items.push(item);
            Ok(())
        }
        (Step::Item(n), Given::List(items)) => {
            while items.len() <= *n {
                items.push(Given::Null);
            }
            items.get_mut(*n).map_or(Ok(()), |item| put(item, rest, value))
        }
        (Step::Field(name), other) => Err(format!("{name} cannot stand in {}", other.kind())),
        (_, other) => Err(format!("an item cannot stand in {}", other.kind())),
    }
}

/// A second value makes a list.
fn add(at: &mut Given, value: Given) {
    match at {
        Given::Null => *at = value,
        Given::List(items) => items.push(value),
        first => {
            let one = std::mem::replace(first, Given::Null);
            *first = Given::List(vec![one, value]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str]) -> Given {
        parse(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn json(text: &str) -> Given {
        Given::parse(text, "test").unwrap()
    }

    #[test]
    fn words_nest_and_repeat() {
        assert_eq!(given(&["a.b=1", "a.c=x=y"]), json(r#"{"a":{"b":"1","c":"x=y"}}"#));
        assert_eq!(given(&["n=1", "n=2", "n=3"]), json(r#"{"n":["1","2","3"]}"#));
        assert_eq!(given(&["n[]=1"]), json(r#"{"n":["1"]}"#));
        assert_eq!(
            given(&["p[0].x=1", "p[0].y=2", "p[1].x=3"]),
            json(r#"{"p":[{"x":"1","y":"2"},{"x":"3"}]}"#)
        );
        assert_eq!(given(&[r"a\.b=1"]), json(r#"{"a.b":"1"}"#));
        assert_eq!(
            given(&["v:=[1.50, null, true]", "w="]),
            json(r#"{"v":[1.50,null,true],"w":""}"#)
        );
    }

    #[test]
    fn bad_words_say_what_is_wrong() {
        let error = |word: &str| parse(&[word.to_owned()]).unwrap_err().to_string();
        assert!(error("plain").contains("key=value"));
        assert!(error("a:={").contains("not JSON"));
        assert!(error("=1").contains("name is missing"));
        assert!(error("a[x]=1").contains("item number"));
        assert!(error("a=@/no/such/file").contains("/no/such/file"));
        let both = parse(&["a=1".into(), "a.b=2".into()]).unwrap_err().to_string();
        assert!(both.contains("b cannot stand in text"), "{both}");
    }

    #[test]
    fn words_lie_over_data() {
        let data = json(r#"{"a":{"b":1,"c":2},"n":[1,2]}"#);
        assert_eq!(
            data.overlay(given(&["a.b=9", "n=3"])),
            json(r#"{"a":{"b":"9","c":2},"n":"3"}"#)
        );
    }
}
