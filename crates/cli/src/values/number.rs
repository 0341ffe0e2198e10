//! Numbers between JSON and XML Schema, digit for digit.

/// A number of JSON without its exponent: digits and a point, the value unchanged. `None` when it
/// would be longer than any sensible number.
pub(super) fn positional(number: &str) -> Option<String> {
    const DIGITS_MAX: i64 = 4096;
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => return Some(number.to_owned()),
    };
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).ok()? + exponent;
    if point.abs() > DIGITS_MAX {
        return None;
    }
    let (whole, fraction) = match usize::try_from(point) {
        Ok(point) if point >= all.len() => (format!("{all}{}", "0".repeat(point - all.len())), String::new()),
        Ok(point) => (all.get(..point)?.to_owned(), all.get(point..)?.to_owned()),
        Err(_) => (
            String::new(),
            format!("{}{all}", "0".repeat(usize::try_from(-point).ok()?)),
        ),
    };
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{dot}{fraction}"))
}

/// A number of JSON as an integer, if it is one: `3`, `3.0` and `3e2` are.
pub(super) fn whole(number: &str) -> Option<String> {
    let positional = positional(number)?;
    let (whole, fraction) = positional.split_once('.').unwrap_or((&positional, ""));
    fraction.bytes().all(|b| b == b'0').then(|| whole.to_owned())
}

/// The text of an xsd:decimal as a number of JSON, which allows no plus, no leading zeros and no
/// bare point.
pub(super) fn json(decimal: &str) -> String {
    let (sign, digits) = match decimal.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", decimal.trim_start_matches('+')),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{dot}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_written_out() {
        for (given, expected) in [
            ("12", "12"),
            ("1.5e3", "1500"),
            ("1.5E-3", "0.0015"),
            ("-12.50e1", "-125"),
            ("0.001e2", "0.1"),
            ("1e0", "1"),
        ] {
            assert_eq!(positional(given).as_deref(), Some(expected), "{given}");
        }
        assert_eq!(positional("1e999999999"), None);
        assert_eq!(positional("1e99999999999999999999"), None);
        assert_eq!(whole("3e2").as_deref(), Some("300"));
        assert_eq!(whole("3.00").as_deref(), Some("3"));
        assert_eq!(whole("3.5"), None);
    }

    #[test]
    fn decimals_become_numbers_of_json() {
        for (given, expected) in [
            ("+007.50", "7.50"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1"),
            ("000", "0"),
        ] {
            assert_eq!(json(given), expected);
        }
    }
}
