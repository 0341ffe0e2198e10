//! What writing costs on this machine, measured once.

use std::sync::OnceLock;
use std::time::Instant;

use castile_diff::{Costs, Options};

/// The settings with what writing costs here, unless they say it.
pub(crate) fn with_costs(options: &Options) -> Options {
    static MEASURED: OnceLock<Costs> = OnceLock::new();
    let measured = || {
        let start = Instant::now();
        Costs::measure(&|| u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    };
    let costs = options.costs.unwrap_or_else(|| *MEASURED.get_or_init(measured));
    Options {
        costs: Some(costs),
        ..options.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_that_are_given_are_taken() {
        let options = Options {
            costs: Some(Costs::default()),
            ..Options::default()
        };
        assert_eq!(with_costs(&options), options);
    }

    #[test]
    fn costs_are_measured_once_and_make_sense() {
        let costs = with_costs(&Options::default()).costs;
        assert_eq!(costs, with_costs(&Options::default()).costs);
        let costs = costs.expect("they are measured");
        for steps in [costs.floats, costs.integers] {
            assert!((0.1..100_000.0).contains(&steps.write), "{costs:?}");
            assert!((0.1..100_000.0).contains(&steps.patch), "{costs:?}");
        }
    }
}
