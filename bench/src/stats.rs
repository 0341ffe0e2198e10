//! Medians and spread.

/// Medians of rounds, and how far they lie apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    /// The median of the rounds' medians.
    pub(crate) median: f64,
    /// The least and the greatest of them.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Of all samples: of a hundred, one is above.
    pub(crate) p99: f64,
    pub(crate) samples: usize,
    pub(crate) rounds: Vec<f64>,
}

/// The middle value; of two in the middle, their mean. NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// The value below which `part` of the values lie (nearest rank).
pub(crate) fn quantile(values: &[f64], part: f64) -> f64 {
    let sorted = sorted(values);
    if sorted.is_empty() {
        return f64::NAN;
    }
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// Of rounds of samples; empty rounds do not count. `None` when nothing was measured.
pub(crate) fn summary(rounds: &[Vec<f64>]) -> Option<Summary> {
    let medians: Vec<f64> = rounds
        .iter()
        .filter(|r| !r.is_empty())
        .map(|r| median(r))
        .collect();
    let all = rounds.concat();
    if all.is_empty() {
        return None;
    }
    Some(Summary {
        median: median(&medians),
        low: quantile(&medians, 0.0),
        high: quantile(&medians, 1.0),
        p99: quantile(&all, 0.99),
        samples: all.len(),
        rounds: medians,
    })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_found() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(quantile(&hundred, 0.99), 99.0);
        assert_eq!(quantile(&hundred, 0.0), 1.0);
    }

    #[test]
    fn one_slow_round_moves_the_spread_but_not_the_median() {
        let rounds = vec![vec![1.0, 1.0, 9.0], vec![], vec![50.0], vec![2.0]];
        let summary = summary(&rounds).expect("a summary");
        assert_eq!((summary.median, summary.low, summary.high), (2.0, 1.0, 50.0));
        assert_eq!((summary.samples, summary.rounds.len()), (5, 3));
        assert_eq!(super::summary(&[vec![]]), None);
    }
}
