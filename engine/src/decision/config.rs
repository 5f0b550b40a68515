//! The config of a decision model's weight file, and the calibration from logits to probabilities. The same as
//! `training/decision/predict.py`.

use ports::decision::QuestionKind;
use serde::Deserialize;

use super::error::ConfigError;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct DecisionConfig {
    temperatures: Temperatures,
    windows: Combination,
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
enum Combination {
    /// The mean.
    Mean,
    /// The mean, weighted by the fourth power of a window's distance from the median of all, so that a window that
    /// knows something the others do not decides. With two windows, the distance is from equal logits. A mean is
    /// continuous, so rounding never makes it jump from one window to another.
    Deviant,
}

impl DecisionConfig {
    pub(super) fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = serde_json::from_str(text)?;
        let Temperatures { choice, score, noul } = &config.temperatures;
        let mut all = choice.iter().chain(score).chain(noul);
        let usable = all.all(|temperature| temperature.is_finite() && *temperature > 0.0);
        usable.then_some(config).ok_or(ConfigError::Temperature)
    }

    /// Computes a probability for each option from its logit in each window.
    pub(super) fn probabilities(&self, kind: &QuestionKind, windows: &[Vec<f64>]) -> Vec<f64> {
        let logits = self.windows.combine(windows);
        let temperature = self.temperature(kind, logits.len());
        softmax(&logits.iter().map(|logit| logit / temperature).collect::<Vec<_>>())
    }

    /// The divisor of such a question's logits.
    pub(crate) fn temperature(&self, kind: &QuestionKind, options: usize) -> f64 {
        self.temperatures.of(kind, options)
    }
}

impl Temperatures {
    fn of(&self, kind: &QuestionKind, options: usize) -> f64 {
        match kind {
            QuestionKind::Choice(_) => self.choice[bucket(options, &[2, 4, 8, 16])],
            QuestionKind::Score(_) => self.score[bucket(options, &[3, 5])],
            QuestionKind::Noul { .. } | QuestionKind::Prompt => self.noul[0],
        }
    }
}

/// The index of the first bucket whose top is not below `count`.
fn bucket(count: usize, tops: &[usize]) -> usize {
    tops.iter().filter(|top| count > **top).count()
}

impl Combination {
    fn combine(self, windows: &[Vec<f64>]) -> Vec<f64> {
        match (self, windows) {
            (_, [only]) => only.clone(),
            (Combination::Mean, _) => weighted_mean(windows, &vec![1.0; windows.len()]),
            (Combination::Deviant, _) => weighted_mean(windows, &deviation_weights(windows)),
        }
    }
}

/// The weight of each window by its distance from the median.
fn deviation_weights(windows: &[Vec<f64>]) -> Vec<f64> {
    let options = windows.first().map_or(0, Vec::len);
    let middle = if windows.len() == 2 { vec![0.0; options] } else { medians(windows) };
    let distances: Vec<f64> = windows.iter().map(|window| distance(window, &middle)).collect();
    let farthest = distances.iter().copied().fold(1e-12, f64::max);
    distances.iter().map(|distance| (distance / farthest).powi(4).max(1e-12)).collect()
}

fn distance(window: &[f64], middle: &[f64]) -> f64 {
    centred(window).zip(middle).map(|(logit, middle)| (logit - middle).abs()).sum()
}

/// The weighted mean of the windows' logits.
fn weighted_mean(windows: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    let options = 0..windows.first().map_or(0, Vec::len);
    let weighted =
        options.map(|i| windows.iter().zip(weights).map(|(window, weight)| window[i] * weight).sum::<f64>());
    weighted.map(|logit| logit / sum).collect()
}

/// The logits of a window minus their mean: shifting all of them changes no probability.
fn centred(window: &[f64]) -> impl Iterator<Item = f64> {
    let mean = window.iter().sum::<f64>() / window.len() as f64;
    window.iter().map(move |logit| logit - mean)
}

/// The median of each option's centred logits over the windows.
fn medians(windows: &[Vec<f64>]) -> Vec<f64> {
    let centred: Vec<Vec<f64>> = windows.iter().map(|window| centred(window).collect()).collect();
    let options = 0..windows.first().map_or(0, Vec::len);
    options.map(|option| median(centred.iter().map(|window| window[option]).collect())).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
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

    fn config(windows: &str) -> DecisionConfig {
        DecisionConfig::parse(&format!(r#"{{{FLAT}, "windows": "{windows}"}}"#)).unwrap()
    }

    fn assert_close(found: &[f64], expected: [f64; 2]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.1), "{found:?}");
    }

    #[test]
    fn windows_are_combined_as_the_file_says() {
        let windows = [vec![3.0, 0.0], vec![0.0, 1.0], vec![0.5, 1.5], vec![5.0, 5.5]];
        let mean = config("mean").windows;
        let deviant = config("deviant").windows;
        assert_eq!(mean.combine(&windows[..2]), [1.5, 0.5]);
        assert_eq!(mean.combine(&windows[..1]), [3.0, 0.0]);
        assert_eq!(deviant.combine(&windows[..1]), [3.0, 0.0]);
        assert_close(&deviant.combine(&windows[..2]), [2.96, 0.01]); // the more confident one
        assert_close(&deviant.combine(&windows[..4]), [3.0, 0.0]); // one says the opposite of all others
        assert_eq!(deviant.combine(&[vec![1.0, 1.0], vec![1.0, 1.0]]), [1.0, 1.0]);
    }

    #[test]
    fn temperature_is_that_of_the_type_and_the_number_of_options() {
        let choice = QuestionKind::Choice(Vec::new());
        let temperatures = config("mean").temperatures;
        let found = [2, 4, 5, 8, 9, 255].map(|options| temperatures.of(&choice, options));
        assert_eq!(found, [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn a_config_that_cannot_be_used_is_refused() {
        assert!(DecisionConfig::parse("{}").is_err());
        assert!(DecisionConfig::parse(&format!(r#"{{{FLAT}, "windows": "loudest"}}"#)).is_err());
        let cold = FLAT.replace("[1]", "[0]");
        assert!(DecisionConfig::parse(&format!(r#"{{{cold}, "windows": "mean"}}"#)).is_err());
    }
}
