//! Intervals and tests of shares.
//!
//! Sources: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); the exact sign test,
//! which is McNemar's exact test when each sample has one key (1947).

/// The quantile of the normal distribution for 95 %, two-sided.
const Z_95: f64 = 1.959_963_984_540_054;

/// Wilson's interval of 95 % for a share; `None` without observations.
pub fn wilson(part: u64, whole: u64) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let n = whole as f64;
    let p = part as f64 / whole as f64;
    let z2 = Z_95 * Z_95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z_95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

/// The probability of at least `wins` wins if wins and losses were equally probable: the p-value of the one-sided exact
/// sign test.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let n = wins + losses;
    // Sums C(n, k) / 2^n from k = n downwards, in logarithms: n may be thousands.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in (wins..=n).rev() {
        sum += log_term.exp();
        // C(n, k - 1) = C(n, k) k / (n - k + 1)
        log_term += (k as f64).ln() - ((n - k + 1) as f64).ln();
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
        let (low, high) = wilson(8, 10).unwrap();
        near(low, 0.4902);
        near(high, 0.9433);
        let (low, high) = wilson(0, 20).unwrap();
        near(low, 0.0);
        near(high, 0.1611);
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_sign_test_is_the_binomial_tail() {
        near(sign_test(5, 0), 1.0 / 32.0);
        near(sign_test(4, 0), 1.0 / 16.0);
        near(sign_test(8, 2), 56.0 / 1024.0);
        near(sign_test(0, 0), 1.0);
        near(sign_test(0, 7), 1.0);
        assert!(sign_test(2_100, 1_900) < 0.001);
    }
}
