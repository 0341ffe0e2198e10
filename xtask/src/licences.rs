//! Every package that is built or could be built must have a licence that suits Apache-2.0 OR MIT.

use crate::finding::Finding;
use crate::workspace::Workspace;

/// Licences that may stand alone.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const RULE: &str = "licences";

/// Checks the SPDX expression of each package, whatever target it is for.
pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let place = format!("{} {}", package.name, package.version);
        let Some(expression) = package.licence.as_deref() else {
            findings.push(Finding::at(place, RULE, "the package names no licence"));
            continue;
        };
        match is_allowed(expression) {
            Some(true) => {}
            Some(false) => {
                findings.push(Finding::at(
                    place,
                    RULE,
                    format!("licence `{expression}` is not allowed"),
                ));
            }
            None => findings.push(Finding::at(
                place,
                RULE,
                format!("`{expression}` is no SPDX expression"),
            )),
        }
    }
    findings
}

/// Whether some choice an SPDX expression offers is allowed; `None` if it cannot be read.
fn is_allowed(expression: &str) -> Option<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader {
        words: &words,
        next: 0,
    };
    let answer = reader.any_of()?;
    (reader.next == words.len()).then_some(answer)
}

/// Recursive descent over `OR`, `AND`, `WITH` and parentheses; `AND` binds tighter than `OR`.
struct Reader<'a> {
    words: &'a [&'a str],
    next: usize,
}

impl Reader<'_> {
    fn any_of(&mut self) -> Option<bool> {
        let mut answer = self.all_of()?;
        while self.take("OR") {
            answer |= self.all_of()?;
        }
        Some(answer)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut answer = self.one()?;
        while self.take("AND") {
            answer &= self.one()?;
        }
        Some(answer)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let answer = self.any_of()?;
            return self.take(")").then_some(answer);
        }
        let name = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            return Some(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()));
        }
        Some(ALLOWED.contains(&name.as_str()))
    }

    fn name(&mut self) -> Option<String> {
        let word = *self.words.get(self.next)?;
        self.next += 1;
        (!["OR", "AND", "WITH", "(", ")"].contains(&word)).then(|| word.to_owned())
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.next) == Some(&word);
        self.next += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::member;

    #[test]
    fn expressions_are_judged() {
        let cases = [
            ("MIT", Some(true)),
            ("MIT/Apache-2.0", Some(true)),
            ("MIT OR Apache-2.0 OR LGPL-2.1-or-later", Some(true)),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", Some(true)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
            ("LGPL-3.0-only", Some(false)),
            ("MIT AND GPL-3.0", Some(false)),
            ("(MIT OR ISC) AND GPL-3.0", Some(false)),
            ("GPL-2.0 WITH Classpath-exception-2.0", Some(false)),
            ("MIT AND", None),
            ("(MIT", None),
            ("MIT ISC", None),
            ("", None),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }

    #[test]
    fn a_package_without_or_with_a_wrong_licence_is_found() {
        let mut silent = member("silent", &[]);
        silent.licence = None;
        let mut copyleft = member("copyleft", &[]);
        copyleft.licence = Some("GPL-3.0".into());
        let packages = vec![silent, copyleft, member("fine", &[])];
        assert_eq!(check(&Workspace { packages }).len(), 2);
    }
}
