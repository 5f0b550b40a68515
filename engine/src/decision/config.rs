//! The config of a decision model's weight file, and the calibration from logits to probabilities. The same as
//! `training/decision/predict.py`.

use domain::inference::QuestionKind;
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
    /// The logits of the most confident window.
    Confident,
    /// The mean, weighted by `1 - entropy / ln options`.
    Weighted,
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
        if let [only] = windows {
            return only.clone();
        }
        let weights: Vec<f64> = match self {
            Windows::Mean => vec![1.0; windows.len()],
            Windows::Confident => {
                let sure = |window: &Vec<f64>| softmax(window).into_iter().fold(0.0, f64::max);
                let confidence: Vec<f64> = windows.iter().map(sure).collect();
                let argmax = (0..windows.len())
                    .fold(0, |best, i| if confidence[i] > confidence[best] { i } else { best });
                (0..windows.len()).map(|i| f64::from(u8::from(i == argmax))).collect()
            }
            Windows::Weighted => windows.iter().map(|window| confidence(window).max(1e-6)).collect(),
        };
        let all: f64 = weights.iter().sum();
        let options = windows.first().map_or(0, Vec::len);
        let combined =
            |i: usize| windows.iter().zip(&weights).map(|(window, weight)| window[i] * weight / all).sum();
        (0..options).map(combined).collect()
    }
}

/// `1 - entropy / ln options`: 0 for a uniform distribution, 1 for certainty.
fn confidence(logits: &[f64]) -> f64 {
    if logits.len() < 2 {
        return 1.0;
    }
    let negative_entropy: f64 = softmax(logits).iter().map(|p| p * p.max(1e-12).ln()).sum();
    1.0 + negative_entropy / (logits.len() as f64).ln()
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
        let windows = [vec![2.0, 0.0], vec![0.0, 0.0]];
        let combine = |rule: &str| config(rule).windows.combine(&windows);
        assert_eq!(combine("mean"), [1.0, 0.0]);
        assert_eq!(combine("confident"), [2.0, 0.0]);
        assert!((combine("weighted")[0] - 2.0).abs() < 1e-4, "a window that knows nothing hardly counts");
        assert_eq!(config("weighted").windows.combine(&windows[..1]), [2.0, 0.0]);
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
