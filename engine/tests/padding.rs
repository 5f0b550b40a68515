//! Harmless text around a message does not talk the engines out of a verdict: no harm falls by more than the bound that
//! the documentation states.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use domain::Flow;
use domain::moderation::{
    Action, Category, Mode, TextDraft, TextEngine, TextInput, TextMessage, decide, read,
};
use engine::{
    runtime::OnnxRuntime,
    text::{HybridOptions, HybridText, NativeText, windows::MAX_PENALTY},
};
use proptest::prelude::*;
use serde_json::Value;

/// Our own harmful rows of one sentence.
const ROWS: &str = include_str!("../../training/text/contrast/train.jsonl");
const HARMLESS: &str = include_str!("../../training/text/yardstick/harmless.txt");

fn harmful() -> Vec<String> {
    let rows = ROWS.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
    let harmful =
        rows.filter(|row| ["harassment", "hate", "violence", "sexual"].iter().any(|harm| row[harm] == 1));
    let texts =
        harmful.filter(|row| row["lang"] == "en").map(|row| row["text"].as_str().expect("a text").to_owned());
    texts
        .filter(|text| text.len() > 12 && !text.contains(['.', '!', '?', '\n', '"', ':', '@', '<', '`']))
        .collect()
}

fn harmless() -> Vec<&'static str> {
    HARMLESS.lines().filter_map(|line| line.split_once('\t')).map(|(_, text)| text).collect()
}

fn input(content: &str, mode: Mode) -> TextInput {
    TextInput { content: content.to_owned(), mode, explain: false }
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

fn action(content: &str, scores: &domain::moderation::TextScores) -> Action {
    let draft = TextDraft { content: content.to_owned(), account_age_days: 30, ..Default::default() };
    decide(&read(&TextMessage::parse("", draft).expect("valid")), scores).action
}

/// The padded message: lines or sentences before and behind, some repeated, as code, as a quote, or hidden.
fn padded(text: &str, before: &[&str], behind: &[&str], way: usize) -> String {
    let text = match way {
        0 => text.to_owned(),
        1 => format!("```\n{text}\n```"),
        2 => format!("> {text}\n"),
        3 => text.chars().flat_map(|char| [char, '\u{200b}']).collect(),
        _ => format!("{text}\n{text}"),
    };
    let end = if before.len() % 2 == 0 { "\n" } else { ". " };
    let before: String = before.iter().map(|line| format!("{line}{end}")).collect();
    let behind: String = behind.iter().map(|line| format!("{end}{line}")).collect();
    format!("{before}{text}{behind}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn padding_lowers_no_harm_by_more_than_the_bound(
        row in 0..10_000usize,
        before in prop::collection::vec(0..28usize, 0..40),
        behind in prop::collection::vec(0..28usize, 0..40),
        way in 0..5usize,
    ) {
        let (rows, fillers) = (harmful(), harmless());
        let text = &rows[row % rows.len()];
        let pick = |from: &[usize]| from.iter().map(|at| fillers[at % fillers.len()]).collect::<Vec<_>>();
        let content = padded(text, &pick(&before), &pick(&behind), way);
        let engine = NativeText::load().expect("weights");
        let alone = engine.score_one(&input(text, Mode::Native)).categories;
        let within = engine.score_one(&input(&content, Mode::Native)).categories;
        // A form, such as the number of words, says something about spam alone.
        for harm in Category::ALL.into_iter().filter(|harm| *harm != Category::Spam) {
            let fall = log_odds(alone[harm]) - log_odds(within[harm]);
            prop_assert!(fall <= f64::from(MAX_PENALTY) + 0.05, "{} fell by {fall}: {content}", harm.as_str());
            if before.len() + behind.len() <= 4 {
                prop_assert!(fall <= 0.05, "{} fell by {fall}: {content}", harm.as_str());
            }
        }
    }
}

#[tokio::test]
async fn a_harmless_sentence_does_not_change_a_verdict() {
    let options =
        HybridOptions { models_dir: made::models_dir(), onnx_runtime: OnnxRuntime::Auto, threads: 2 };
    let engine = HybridText::open(NativeText::load().expect("weights"), &options).expect("the hybrid model");
    let (rows, fillers) = (harmful(), harmless());
    for mode in [Mode::Native, Mode::Hybrid] {
        let (mut acted, mut still, mut same) = (0, 0, 0);
        for (at, text) in rows.iter().step_by(if mode == Mode::Hybrid { 8 } else { 2 }).enumerate() {
            let filler = fillers[at % fillers.len()];
            let texts = [text.clone(), format!("{text}. {filler}"), format!("{filler}\n{text}")];
            let inputs = texts.iter().map(|text| input(text, mode)).collect();
            let scores = engine.score(Flow::default(), inputs).await.expect("scores");
            let actions: Vec<Action> =
                texts.iter().zip(&scores).map(|(text, scores)| action(text, scores)).collect();
            if actions[0] == Action::None {
                continue;
            }
            acted += 2;
            still += actions[1..].iter().filter(|action| **action != Action::None).count();
            same += actions[1..].iter().filter(|action| **action >= actions[0]).count();
        }
        assert!(acted >= 50, "{mode:?}: {acted}");
        assert!(still * 100 >= acted * 99, "{mode:?}: {still} of {acted} are acted upon still");
        assert!(same * 100 >= acted * 97, "{mode:?}: {same} of {acted} have at least the same action");
    }
}

/// What somebody else said, and a warning, are no offence, whatever is quoted.
#[test]
fn reports_and_warnings_stay_harmless() {
    let engine = NativeText::load().expect("weights");
    for content in [
        "careful, a bot is sending \"free nitro. claim it now\" in here, it is a scam, dont click",
        "the phrase \"women belong in the kitchen. always\" is from the film we watched",
        "our rules. be nice to each other. no spam, no slurs. ask a mod if in doubt",
    ] {
        let scores = engine.score_one(&input(content, Mode::Native));
        assert_eq!(action(content, &scores), Action::None, "{content}: {scores:?}");
    }
}
