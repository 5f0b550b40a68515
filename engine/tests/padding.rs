//! Harmless text around a message does not prevent a verdict: no harm falls by more than the bound that the
//! documentation states.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use std::sync::LazyLock;

use domain::operations::moderation::{Action, TextDraft, TextMessage, decide, read};
use engine::{
    runtime::OnnxRuntime,
    text::{
        HybridOptions, HybridText, NativeText,
        normalize::normalize,
        windows::{MAX_PENALTY, at_most, cut_windows, sentence_windows, sentences},
    },
};
use ports::Flow;
use ports::text::{Category, TextEngine, TextInput, TextMode, links};
use proptest::prelude::*;
use serde_json::Value;

/// Our own rows.
const ROWS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../training/text/contrast/train.jsonl");
const HARMLESS: &str = include_str!("../../training/text/yardstick/harmless.txt");

/// Our own harmful rows of one sentence.
fn harmful() -> Vec<String> {
    let rows = std::fs::read_to_string(ROWS).expect("scripts/contrast.sh builds train.jsonl");
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row"));
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

fn input(content: &str, mode: TextMode) -> TextInput {
    TextInput { content: content.to_owned(), mode, explain: false }
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

fn action(content: &str, scores: &ports::text::TextScores) -> Action {
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
    let end = if before.len().is_multiple_of(2) { "\n" } else { ". " };
    let before: String = before.iter().map(|line| format!("{line}{end}")).collect();
    let behind: String = behind.iter().map(|line| format!("{end}{line}")).collect();
    format!("{before}{text}{behind}")
}

/// Read once for all cases.
static SHARED: LazyLock<(Vec<String>, Vec<&str>, NativeText)> =
    LazyLock::new(|| (harmful(), harmless(), NativeText::load().expect("weights")));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn padding_lowers_no_harm_by_more_than_the_bound(
        row in 0..10_000usize,
        before in prop::collection::vec(0..28usize, 0..40),
        behind in prop::collection::vec(0..28usize, 0..40),
        way in 0..5usize,
    ) {
        let (rows, fillers, engine) = &*SHARED;
        let text = &rows[row % rows.len()];
        let content = padded(text, &pick(fillers, &before), &pick(fillers, &behind), way);
        let alone = engine.score_one(&input(text, TextMode::Native)).categories;
        let within = engine.score_one(&input(&content, TextMode::Native)).categories;
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

fn pick<'a>(fillers: &[&'a str], numbers: &[usize]) -> Vec<&'a str> {
    numbers.iter().map(|at| fillers[at % fillers.len()]).collect()
}

#[tokio::test]
async fn a_harmless_sentence_does_not_change_a_verdict() {
    let options =
        HybridOptions { models_dir: made::models_dir(), onnx_runtime: OnnxRuntime::Auto, threads: 2 };
    let engine = HybridText::open(NativeText::load().expect("weights"), &options).expect("the hybrid model");
    let rows = harmful();
    let fillers = harmless();
    for mode in [TextMode::Native, TextMode::Hybrid] {
        let mut acted = 0;
        let mut still = 0;
        let mut same = 0;
        for (at, text) in rows.iter().step_by(if mode == TextMode::Hybrid { 8 } else { 2 }).enumerate() {
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
        assert!(still * 100 >= acted * 99, "{mode:?}: {still} of {acted} are still acted upon");
        assert!(same * 100 >= acted * 97, "{mode:?}: {same} of {acted} have at least the same action");
    }
}

/// In the same sentence, without a full stop or a line break, most harms are still found by the windows that cut it.
#[test]
fn harmless_words_in_the_same_sentence_hide_little() {
    let engine = NativeText::load().expect("weights");
    let padded = native_action(&engine, "I will find you and kill you anyway who is up for ranked tonight");
    assert!(padded >= Action::Timeout, "{padded:?}");
    let rows = harmful();
    let fillers = harmless();
    let mut acted = 0;
    let mut still = 0;
    for (at, text) in rows.iter().enumerate() {
        if native_action(&engine, text) == Action::None {
            continue;
        }
        let filler = fillers[at % fillers.len()];
        for padded in [format!("{text} {filler}"), format!("{filler} {text}")] {
            acted += 1;
            still += usize::from(native_action(&engine, &padded) != Action::None);
        }
    }
    assert!(acted >= 400 && still * 100 >= acted * 75, "{still} of {acted} are still acted upon");
}

fn native_action(engine: &NativeText, content: &str) -> Action {
    action(content, &engine.score_one(&input(content, TextMode::Native)))
}

/// Quotations and warnings are no offence, whatever is quoted.
#[test]
fn reports_and_warnings_stay_harmless() {
    let engine = NativeText::load().expect("weights");
    for content in [
        "careful, a bot is sending \"free nitro. claim it now\" in here, it is a scam, dont click",
        "the phrase \"women belong in the kitchen. always\" is from the film we watched",
        "our rules. be nice to each other. no spam, no slurs. ask a mod if in doubt",
    ] {
        let scores = engine.score_one(&input(content, TextMode::Native));
        assert_eq!(action(content, &scores), Action::None, "{content}: {scores:?}");
    }
}

fn sentences_of(content: &str) -> Vec<&str> {
    let text = normalize(content, &links::find(content));
    let sentences = sentences(content, &text).into_iter();
    sentences.map(|words| &content[text.words[words.start].from..text.words[words.end - 1].to]).collect()
}

/// A text without spaces and full stops.
fn squeezed(text: &str) -> String {
    text.replace([' ', '。'], "")
}

#[test]
fn sentences_end_at_marks_and_lines_but_not_within_a_quotation_that_is_talked_about() {
    for (content, expected) in [
        ("hello there", &["hello there"][..]),
        ("gg. nice game", &["gg", "nice game"]),
        ("gg! nice game", &["gg !", "nice game"]),
        ("one\ntwo\n\nthree", &["one", "two", "three"]),
        ("今天天气很好。我们去公园吧", &["今天天气很好", "我们去公园吧"]),
        // A full stop needs no space, or leaving it out would be a way around.
        ("well played.thanks all", &["well played", "thanks all"]),
        ("a.\u{200b} b c", &["a", "b c"]),
        ("> quoted line\nanswer", &["quoted line", "answer"]),
        ("he said \"kys. now\" to me", &["he said \"kys. now\" to me"]),
        ("\"kys. now\"\nwho plays", &["kys", "now", "who plays"]),
    ] {
        let found: Vec<String> = sentences_of(content)
            .iter()
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let found: Vec<String> = found.iter().map(|text| squeezed(text)).collect();
        let expected: Vec<String> = expected.iter().map(|text| squeezed(text)).collect();
        assert_eq!(found, expected, "{content}");
    }
}

fn penalty_of(content: &str) -> f32 {
    let text = normalize(content, &[]);
    let sentences = sentences(content, &text);
    sentence_windows(&text, &sentences, 1).first().map_or(0.0, |window| window.penalty)
}

/// Different lines of two words.
fn different_lines(count: usize) -> String {
    let words = (100..100 + count)
        .map(|n| n.to_string().chars().map(|digit| (b'a' + digit as u8 - b'0') as char).collect::<String>());
    words.map(|word| word + " x\n").collect()
}

#[test]
fn penalties_are_bounded_and_repeated_sentences_count_once() {
    assert!(penalty_of("a b\nc d\ne f").abs() < 1e-6);
    assert!(penalty_of(&"the same line\n".repeat(500)).abs() < 1e-6);
    assert!(penalty_of(&different_lines(12)) > 1.0);
    assert!((penalty_of(&different_lines(500)) - MAX_PENALTY).abs() < 1e-6);
}

#[test]
fn windows_are_linear_in_the_length() {
    let content: String = (0..3_000).map(|n| if n % 7 == 0 { "a.\n" } else { "bc " }).collect();
    let text = normalize(&content, &[]);
    let sentences = sentences(&content, &text);
    let windows =
        sentence_windows(&text, &sentences, 3).into_iter().chain(cut_windows(&content, &text, &sentences));
    let words: usize = windows.map(|window| window.words.len()).sum();
    assert!(words <= 12 * text.words.len(), "{words} words of {}", text.words.len());
    assert!(at_most(&sentences, 64).len() <= 64);
}
