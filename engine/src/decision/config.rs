//! The config of a decision model's weight file, and the calibration from logits to probabilities. The same as
//! `training/decision/predict.py`.

use ports::decision::QuestionKind;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    temperatures: Temperatures,
    windows: Windows,
    /// Such as `2026-11-21`.
    #[serde(default)]
    pub(super) release_date: String,
}

/// Temperatures by question type and number of options.
#[derive(Clone, Debug, Deserialize)]
struct Temperatures {
    /// For 2, 3–4, 5–8, 9–16 and more options.
    choice: [f64; 5],
    /// For 2–3, 4–5 and more levels.
    score: [f64; 3],
    noul: [f64; 1],
}

/// How the logits of several windows are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Windows {
    /// The mean.
    Mean,
    /// The mean, weighted by the fourth power of a window's distance from the median of all: the window that knows
    /// something the others do not decides. Of two windows, the distance is from saying nothing. The mean has no jumps, where
    /// rounding could choose between two windows.
    Deviant,
}

impl Config {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let config: Self = serde_json::from_str(text).map_err(|error| format!("the config: {error}"))?;
        let Temperatures { choice, score, noul } = &config.temperatures;
        let mut all = choice.iter().chain(score).chain(noul);
        let usable = all.all(|temperature| temperature.is_finite() && *temperature > 0.0);
        usable.then_some(config).ok_or_else(|| "a temperature that is not above 0".into())
    }

    /// Computes a probability for each option from its logit in each window.
    pub(super) fn probabilities(&self, kind: &QuestionKind, windows: &[Vec<f64>]) -> Vec<f64> {
        let logits = self.windows.combine(windows);
        let temperature = self.temperature(kind, logits.len());
        softmax(&logits.iter().map(|logit| logit / temperature).collect::<Vec<_>>())
    }

    /// What the logits of such a question are divided by.
    pub(crate) fn temperature(&self, kind: &QuestionKind, options: usize) -> f64 {
        self.temperatures.of(kind, options)
    }
}

impl Temperatures {
    fn of(&self, kind: &QuestionKind, options: usize) -> f64 {
        let bucket = |tops: &[usize]| tops.iter().filter(|top| options > **top).count();
        match kind {
            QuestionKind::Choice(_) => self.choice[bucket(&[2, 4, 8, 16])],
            QuestionKind::Score(_) => self.score[bucket(&[3, 5])],
            QuestionKind::Noul { .. } | QuestionKind::Prompt => self.noul[0],
        }
    }
}

impl Windows {
    fn combine(self, windows: &[Vec<f64>]) -> Vec<f64> {
        match (self, windows) {
            (_, [only]) => only.clone(),
            (Windows::Mean, _) => mean(windows, |_| 1.0),
            (Windows::Deviant, _) => {
                let options = windows.first().map_or(0, Vec::len);
                let middle = if windows.len() == 2 { vec![0.0; options] } else { medians(windows) };
                let distance = |window: &[f64]| -> f64 {
                    centred(window).zip(&middle).map(|(logit, middle)| (logit - middle).abs()).sum()
                };
                let farthest = windows.iter().map(|window| distance(window)).fold(1e-12, f64::max);
                mean(windows, |window| (distance(window) / farthest).powi(4).max(1e-12))
            }
        }
    }
}

/// The mean of the windows' logits, weighted.
fn mean(windows: &[Vec<f64>], weight: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = windows.iter().map(|window| weight(window)).collect();
    let sum: f64 = weights.iter().sum();
    let of =
        |i: usize| windows.iter().zip(&weights).map(|(window, weight)| window[i] * weight).sum::<f64>() / sum;
    (0..windows.first().map_or(0, Vec::len)).map(of).collect()
}

/// The logits of a window less their mean: a shift of all of them says nothing.
fn centred(window: &[f64]) -> impl Iterator<Item = f64> {
    let mean = window.iter().sum::<f64>() / window.len() as f64;
    window.iter().map(move |logit| logit - mean)
}

/// The median of each option's centred logits over the windows.
fn medians(windows: &[Vec<f64>]) -> Vec<f64> {
    let centred: Vec<Vec<f64>> = windows.iter().map(|window| centred(window).collect()).collect();
    let median = |option: usize| {
        let mut logits: Vec<f64> = centred.iter().map(|window| window[option]).collect();
        logits.sort_by(f64::total_cmp);
        (logits[(logits.len() - 1) / 2] + logits[logits.len() / 2]) / 2.0
    };
    (0..windows.first().map_or(0, Vec::len)).map(median).collect()
}

pub(super) fn softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.iter().map(|logit| (logit - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = r#""temperatures": {"choice": [1, 1, 2, 1, 1], "score": [1, 1, 1], "noul": [1]}"#;

    fn config(windows: &str) -> Config {
        Config::parse(&format!(r#"{{{FLAT}, "windows": "{windows}"}}"#)).unwrap()
    }

    #[test]
    fn windows_are_combined_as_the_file_says() {
        let windows = [vec![3.0, 0.0], vec![0.0, 1.0], vec![0.5, 1.5], vec![5.0, 5.5]];
        let combine = |rule: &str, count: usize| config(rule).windows.combine(&windows[..count]);
        assert_eq!(combine("mean", 2), [1.5, 0.5]);
        assert_eq!(combine("mean", 1), [3.0, 0.0]);
        assert_eq!(combine("deviant", 1), [3.0, 0.0]);
        let close = |found: Vec<f64>, expected: [f64; 2]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.1), "{found:?}");
        };
        close(combine("deviant", 2), [2.96, 0.01]); // the more confident one
        close(combine("deviant", 4), [3.0, 0.0]); // one says the opposite of all others
        assert_eq!(config("deviant").windows.combine(&[vec![1.0, 1.0], vec![1.0, 1.0]]), [1.0, 1.0]);
    }

    #[test]
    fn temperature_is_that_of_the_type_and_the_number_of_options() {
        let choice = QuestionKind::Choice(Vec::new());
        let of = |options: usize| config("mean").temperatures.of(&choice, options);
        assert_eq!([2, 4, 5, 8, 9, 255].map(of), [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn a_config_that_cannot_be_used_is_refused() {
        assert!(Config::parse("{}").is_err());
        assert!(Config::parse(&format!(r#"{{{FLAT}, "windows": "loudest"}}"#)).is_err());
        let cold = FLAT.replace("[1]", "[0]");
        assert!(Config::parse(&format!(r#"{{{cold}, "windows": "mean"}}"#)).is_err());
    }
}
