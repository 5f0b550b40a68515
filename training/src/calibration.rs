//! Calibrates the heads on the windows that count, as the server reads messages, and finds what abuse is to lose in
//! some languages.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use domain::operations::moderation::{Action, TextDraft, TextMessage, decide, read};
use engine::text::features::Features;
use engine::text::language::{ABUSE, Language, LanguagePenalties, TextEncoder};
use engine::text::linear::{HEADS, LinearHead, length, term_weight};
use engine::text::normalize::normalize;
use ports::text::{Categories, TextScores, links};

use crate::corpus::window_features;
use crate::data::LabelledText;
use crate::languages::is_harmless;
use crate::metrics::platt;
use crate::sgd::Weights;

/// Turns in which the window that counts is chosen by the slope so far, and the slope is fitted to the windows chosen.
const TURNS: usize = 6;

/// The sums of the windows of labelled rows.
pub struct Windows<'a> {
    rows: &'a [LabelledText],
    windows: Vec<Window>,
}

/// The row of a window, its penalty and its sums.
type Window = (usize, f32, [f32; HEADS]);

impl<'a> Windows<'a> {
    /// Sums the windows of rows.
    pub fn of(weights: &Weights<HEADS>, rows: &'a [LabelledText]) -> Self {
        let windows = window_features(rows);
        let summed = windows.iter().map(|(row, penalty, features)| (*row, *penalty, sums(weights, features)));
        Self { rows, windows: summed.collect() }
    }

    /// For each row with a label, the sum of the window that counts by a slope, less the penalty in units of the sum;
    /// with the label and `weight`.
    fn worst(&self, head: usize, slope: f64, weight: f64) -> impl Iterator<Item = (f64, bool, f64)> {
        self.windows.chunk_by(|a, b| a.0 == b.0).filter_map(move |windows| {
            let truth = self.rows[windows[0].0].labels[head]?;
            let worth = windows.iter().map(|window| f64::from(window.2[head]) - f64::from(window.1) / slope);
            Some((worth.fold(f64::NEG_INFINITY, f64::max), truth, weight))
        })
    }
}

fn sums(weights: &Weights<HEADS>, features: &Features) -> [f32; HEADS] {
    let mut indices = Vec::new();
    let mut values = Vec::new();
    for view in &features.views {
        let length = length(view.iter().copied());
        indices.extend(view.iter().map(|(bucket, _)| *bucket));
        values.extend(view.iter().map(|(_, times)| term_weight(*times) / length));
    }
    weights.sums(&indices, &values)
}

/// The share of a language's harmless rows that may be acted upon, one row in any case, and the steps in which abuse
/// loses log-odds until no more are.
const FALSE_ALARMS: f64 = 0.0075;
const STEP: f32 = 0.1;

/// What abuse loses in each language in which more harmless rows than that are acted upon; nothing where the encoder of
/// English reads, which has rows of its own.
///
/// # Errors
/// A text that the service refuses.
pub fn penalties(heads: &[LinearHead], rows: &Windows) -> Result<LanguagePenalties> {
    let mut languages: BTreeMap<&str, Vec<&[Window]>> = BTreeMap::new();
    for windows in rows.windows.chunk_by(|a, b| a.0 == b.0) {
        let row = &rows.rows[windows[0].0];
        if is_harmless(row) {
            let text = normalize(&row.text, &links::find(&row.text));
            let language = Language::detect(&row.text, &text, 0..text.words.len());
            if language.encoder() == TextEncoder::Multilingual {
                languages.entry(language.tag()).or_default().push(windows);
            }
        }
    }
    let mut found = BTreeMap::new();
    for (language, windows) in languages {
        let most = ((windows.len() as f64 * FALSE_ALARMS) as usize).max(1);
        let mut lost = 0.0;
        while alarms(heads, rows.rows, &windows, lost)? > most && lost < 5.0 {
            lost += STEP;
        }
        if lost > 0.0 {
            found.insert(language.to_owned(), (lost * 10.0).round() / 10.0);
        }
    }
    Ok(LanguagePenalties(found))
}

/// How many of a language's rows, each with its windows, are acted upon if abuse loses `lost` log-odds.
fn alarms(heads: &[LinearHead], rows: &[LabelledText], windows: &[&[Window]], lost: f32) -> Result<usize> {
    let mut alarms = 0;
    for windows in windows {
        alarms += usize::from(is_acted_upon(heads, rows, windows, lost)?);
    }
    Ok(alarms)
}

fn is_acted_upon(heads: &[LinearHead], rows: &[LabelledText], windows: &[Window], lost: f32) -> Result<bool> {
    let categories = Categories(std::array::from_fn(|at| {
        let LinearHead { slope, intercept, .. } = heads[at];
        let log_odds =
            windows.iter().map(|(_, penalty, sums)| f64::from(slope * sums[at] + intercept - penalty));
        let most = log_odds.fold(f64::NEG_INFINITY, f64::max);
        let lost = if ABUSE.contains(&at) { f64::from(lost) } else { 0.0 };
        1.0 / (1.0 + (lost - most).exp())
    }));
    let draft =
        TextDraft { content: rows[windows[0].0].text.clone(), account_age_days: 30, ..Default::default() };
    let message = TextMessage::parse("", draft).map_err(|error| anyhow!(error.message))?;
    let scores = TextScores {
        model: String::new(),
        categories,
        lexicon: Vec::new(),
        domains: Vec::new(),
        explanation: None,
    };
    Ok(decide(&read(&message), &scores).action != Action::None)
}

/// Calibrates each head on the window that counts, as it is served: the highest of many windows is higher than the
/// whole. Each set comes with the weight of its rows.
pub fn calibrate(heads: &mut [LinearHead], sets: &[(&Windows, f64)]) {
    for (at, head) in heads.iter_mut().enumerate() {
        let mut slope = 1.0;
        for _ in 0..TURNS {
            let seen: Vec<_> = sets.iter().flat_map(|(set, weight)| set.worst(at, slope, *weight)).collect();
            let (fitted, intercept) = platt(&seen);
            (head.slope, head.intercept) = (fitted as f32, intercept as f32);
            slope = fitted.max(0.1);
        }
    }
}
