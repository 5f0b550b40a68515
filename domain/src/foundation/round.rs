//! Rounds numbers to their meaningful digits: a model's probability does not have seventeen.

/// Significant digits of scores.
const SCORE_DIGITS: i32 = 6;
/// Significant digits of the probabilities of a distribution, which then still sum to 1 within 1e-9.
const PROBABILITY_DIGITS: i32 = 10;

/// Rounds a score to six significant digits.
pub fn significant(x: f64) -> f64 {
    to_digits(x, SCORE_DIGITS)
}

/// Rounds a probability of a distribution to ten significant digits.
pub(crate) fn probability(p: f64) -> f64 {
    to_digits(p, PROBABILITY_DIGITS)
}

fn to_digits(x: f64, digits: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let decimals = digits - 1 - x.abs().log10().floor() as i32;
    // Powers of ten beyond 10^22 are not exact, so that the quotient would have more digits again.
    if (0..=22).contains(&decimals) {
        let scale = 10_f64.powi(decimals);
        return (x * scale).round() / scale;
    }
    format!("{x:.*e}", digits as usize - 1).parse().unwrap_or(x)
}

/// Rounds milliseconds to microseconds.
pub fn milliseconds(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_rounded_to_their_meaningful_digits() {
        for (x, shown) in [
            (0.190_559_999_999_999_98, "0.19056"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333"),
            (12.345_678_9, "12.3457"),
            (3.0e-9 / 7.0, "0.000000000428571"),
            (1.0, "1"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(x).to_string(), shown);
        }
        assert_eq!(milliseconds(1.234_567_8).to_string(), "1.235");
        assert_eq!(probability(1.0 / 3.0).to_string(), "0.3333333333");
    }

    proptest! {
        #[test]
        fn a_rounded_distribution_sums_to_one_and_is_close(raw in prop::collection::vec(0.0_f64..1.0, 1..300)) {
            let sum = raw.iter().sum::<f64>();
            prop_assume!(sum > 0.0);
            let exact: Vec<f64> = raw.iter().map(|p| p / sum).collect();
            let rounded: Vec<f64> = exact.iter().map(|p| probability(*p)).collect();
            prop_assert!((rounded.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(exact.iter().zip(&rounded).all(|(p, q)| (p - q).abs() < 1e-9 && *q >= 0.0));
        }
    }
}
