//! Intervals and tests of shares.
//!
//! Sources: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); the exact sign test,
//! which is McNemar's exact test when each sample has one key (1947).

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for 95 %, two-sided.
const Z_95: f64 = 1.959_963_984_540_054;

/// An interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Wilson's interval of 95 % for a share; `None` without observations.
pub fn wilson(part: u64, whole: u64) -> Option<Interval> {
    if whole == 0 {
        return None;
    }
    let n = whole as f64;
    let p = part as f64 / whole as f64;
    let z2 = Z_95 * Z_95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

/// The probability of wins and losses as uneven as these, either way, if both were equally probable: the p-value of the
/// two-sided exact sign test.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    (2.0 * binomial_tail(wins.min(losses), wins + losses, 0.5)).min(1.0)
}

/// The probability of at most `most` successes in `n` trials, each of which succeeds with probability `p`.
pub(super) fn binomial_tail(most: u64, n: u64, p: f64) -> f64 {
    if most >= n || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    // Sums C(n, k) p^k (1 - p)^(n - k) from k = 0 upwards, in logarithms: n may be thousands.
    let odds = p.ln() - (1.0 - p).ln();
    let mut log_term = n as f64 * (1.0 - p).ln();
    let mut sum = 0.0;
    for k in 0..=most {
        sum += log_term.exp();
        // C(n, k + 1) = C(n, k) (n - k) / (k + 1)
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln() + odds;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-4, "{found} is not {wanted}");
    }

    #[test]
    fn wilsons_interval_is_that_of_known_tables() {
        // R: binom::binom.wilson(8, 10) and (0, 20).
        let Interval { low, high } = wilson(8, 10).unwrap();
        near(low, 0.4902);
        near(high, 0.9433);
        let Interval { low, high } = wilson(0, 20).unwrap();
        near(low, 0.0);
        near(high, 0.1611);
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_binomial_tail_is_that_of_known_tables() {
        // R: pbinom(2, 10, .3), pbinom(1, 46, .5) and pbinom(0, 36, 1 / 3).
        near(binomial_tail(2, 10, 0.3), 0.3828);
        assert!(binomial_tail(1, 46, 0.5) < 1e-11);
        near(binomial_tail(0, 36, 1.0 / 3.0) * 1e6, 0.4578);
        near(binomial_tail(10, 10, 0.3), 1.0);
        near(binomial_tail(0, 5, 0.0), 1.0);
        near(binomial_tail(4, 5, 1.0), 0.0);
    }

    #[test]
    fn the_sign_test_is_that_of_known_tables() {
        // R: binom.test(5, 5), (4, 4), (8, 10), (0, 7), (18, 100) and (2100, 4000).
        near(sign_test(5, 0), 0.0625);
        near(sign_test(4, 0), 0.125);
        near(sign_test(8, 2), 0.1094);
        near(sign_test(0, 0), 1.0);
        near(sign_test(3, 3), 1.0);
        near(sign_test(0, 7), 0.0156);
        assert!(sign_test(18, 82) < 1e-9);
        near(sign_test(2_100, 1_900), 0.0017);
    }
}
