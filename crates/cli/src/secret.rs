//! Secrets: given, in a file, or in the environment; never printed.

use castile_http::Auth;

use crate::failure::Failure;

/// How the client authenticates itself.
///
/// # Errors
/// A file or variable that is not there; a basic or digest secret without a colon.
pub(crate) fn auth(user: Option<&str>, digest: bool, token: Option<&str>) -> Result<Auth, Failure> {
    if let Some(token) = token {
        return Ok(Auth::Bearer(secret("--bearer", token)?));
    }
    let Some(user) = user else { return Ok(Auth::None) };
    let (user, password) = pair("--auth", user)?;
    Ok(if digest {
        Auth::Digest { user, password }
    } else {
        Auth::Basic { user, password }
    })
}

/// User and password of an option.
///
/// # Errors
/// A file or variable that is not there; no colon.
pub(crate) fn pair(option: &str, given: &str) -> Result<(String, String), Failure> {
    match secret(option, given)?.split_once(':') {
        Some((user, password)) => Ok((user.to_owned(), password.to_owned())),
        // What was given may be a password: it is not shown.
        None => Err(Failure::caller(format!(
            "{option} wants USER:PASSWORD, @FILE or env:NAME with that in it"
        ))),
    }
}

fn secret(option: &str, given: &str) -> Result<String, Failure> {
    if let Some(path) = given.strip_prefix('@') {
        let text = crate::load::read_text(path.as_ref()).map_err(|e| e.within(option))?;
        return Ok(text.trim_end_matches(['\r', '\n']).to_owned());
    }
    match given.strip_prefix("env:") {
        Some(name) => std::env::var(name)
            .map_err(|_| Failure::caller(format!("{option}: the environment has no usable variable {name}"))),
        None => Ok(given.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_in_messages() {
        let error = auth(Some("hunter2"), false, None).unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
        assert!(
            matches!(auth(Some("jo:a:b"), true, None), Ok(Auth::Digest { password, .. }) if password == "a:b")
        );
        assert!(auth(None, false, Some("env:CASTILE_NO_SUCH_VARIABLE")).is_err());
    }
}
