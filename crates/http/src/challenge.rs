//! Authentication fields (RFC 9110 §11): schemes with parameters, read from either side.

/// One challenge of `WWW-Authenticate`, or the credentials of `Authorization`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The scheme in lower case.
    pub(crate) scheme: String,
    /// Names in lower case, values unquoted. A token68 has an empty name.
    parameters: Vec<(String, String)>,
}

impl Challenge {
    /// The value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// All challenges of a field. What cannot be read ends the list.
pub(crate) fn parse(field: &str) -> Vec<Challenge> {
    let mut challenges: Vec<Challenge> = Vec::new();
    let mut reader = Reader { rest: field };
    loop {
        reader.skip(" \t,");
        let Some(name) = reader.token() else {
            return challenges;
        };
        let spaced = reader.skip(" \t");
        if let (true, Some(challenge)) = (reader.eat('='), challenges.last_mut()) {
            reader.skip(" \t");
            let Some(value) = reader.value() else {
                return challenges;
            };
            challenge.parameters.push((name.to_ascii_lowercase(), value));
            continue;
        }
        let mut challenge = Challenge {
            scheme: name.to_ascii_lowercase(),
            parameters: Vec::new(),
        };
        if spaced && let Some(token) = reader.token68() {
            challenge.parameters.push((String::new(), token.to_owned()));
        }
        challenges.push(challenge);
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, what: &str) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_start_matches(|c| what.contains(c));
        self.rest.len() < before
    }

    fn eat(&mut self, what: char) -> bool {
        match self.rest.strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self, allowed: impl Fn(char) -> bool) -> Option<&'a str> {
        let end = self.rest.find(|c| !allowed(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self
            .rest
            .split_at_checked(end)
            .filter(|(taken, _)| !taken.is_empty())?;
        self.rest = rest;
        Some(taken)
    }

    fn token(&mut self) -> Option<&'a str> {
        self.take(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    }

    /// A token68 is followed by a comma or the end; anything else starts a parameter.
    fn token68(&mut self) -> Option<&'a str> {
        let before = self.rest;
        let token = self.take(|c| c.is_ascii_alphanumeric() || "-._~+/".contains(c))?;
        let padding = self.take(|c| c == '=').unwrap_or_default().len();
        self.skip(" \t");
        if self.rest.is_empty() || self.rest.starts_with(',') {
            return before.get(..token.len() + padding);
        }
        self.rest = before;
        None
    }

    fn value(&mut self) -> Option<String> {
        if !self.eat('"') {
            return self.token().map(ToOwned::to_owned);
        }
        let mut value = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = self.rest.get(at + 1..)?;
                    return Some(value);
                }
                '\\' => value.push(chars.next()?.1),
                _ => value.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_challenges_in_one_field() {
        let field = r#"Basic realm="a, \"b\"", Digest nonce=abc,qop="auth,auth-int" , Negotiate YWJj==,NTLM"#;
        let challenges = parse(field);
        let schemes: Vec<&str> = challenges.iter().map(|c| c.scheme.as_str()).collect();
        assert_eq!(schemes, ["basic", "digest", "negotiate", "ntlm"]);
        assert_eq!(challenges[0].get("realm"), Some("a, \"b\""));
        assert_eq!(challenges[1].get("nonce"), Some("abc"));
        assert_eq!(challenges[1].get("qop"), Some("auth,auth-int"));
        assert_eq!(challenges[2].get(""), Some("YWJj=="));
    }

    #[test]
    fn broken_fields_end_quietly() {
        for field in [
            "",
            "=",
            "Digest realm=\"open",
            "Digest realm=",
            ",,,",
            "Digest \\",
            "\u{e9}",
            "a =b",
        ] {
            let _ = parse(field);
        }
        assert_eq!(parse("Digest realm=\"x\\").len(), 1);
    }
}
