//! Doubles of every width that there is.

use crate::rng::Rng;

/// Doubles by the length of their shortest text, from 1 to 24 characters, eight of each; the first list, for
/// no characters, is empty.
pub fn doubles_by_width() -> Vec<Vec<f64>> {
    let mut rng = Rng::new(3);
    let mut found = vec![Vec::new(); castile_lexical::F64_WIDTH_MAX + 1];
    let mut text = Vec::new();
    while found[1..].iter().any(Vec::is_empty) {
        let value = match rng.below(3) {
            0 => f64::from_bits(rng.bits()),
            1 => ((rng.bits() >> rng.below(64)) as f64) / 8.0,
            _ => -(rng.bits() as f64) / 10f64.powi(rng.below(300) as i32),
        };
        let digits = 1 + rng.below(17);
        let value: f64 = format!("{value:.*e}", digits - 1).parse().expect("a double");
        text.clear();
        castile_lexical::format_f64(value, &mut text);
        if value.is_finite() && found[text.len()].len() < 8 {
            found[text.len()].push(value);
        }
    }
    found
}
