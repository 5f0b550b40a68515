//! The native engine with its embedded weights and the policy. Golden scores have a tolerance for small retrainings,
//! verdicts have none.

use domain::operations::moderation::{Action, TextDraft, TextMessage, Verdict, decide, read};
use engine::text::NativeText;
use ports::Flow;
use ports::text::{Category, TextEngine, TextInput, TextMode, TextScores};
use proptest::prelude::*;

fn input(content: &str, explain: bool) -> TextInput {
    TextInput { content: content.to_owned(), mode: TextMode::Native, explain }
}

fn engine() -> NativeText {
    NativeText::load().expect("weights")
}

fn verdict(engine: &NativeText, draft: TextDraft) -> Verdict {
    let message = TextMessage::parse("", draft).expect("valid");
    let scores = engine.score_one(&input(&message.content, true));
    decide(&read(&message), &scores)
}

fn says(engine: &NativeText, content: &str) -> Verdict {
    verdict(engine, TextDraft { content: content.to_owned(), account_age_days: 30, ..Default::default() })
}

#[test]
fn a_strangers_messages_get_sensible_verdicts() {
    use Action::{Ban, None, Timeout, Warn};
    let engine = engine();
    for (content, allowed) in [
        ("hello", &[None][..]),
        ("gg wp, see you tomorrow", &[None]),
        ("kill the process with -9", &[None]),
        ("how do I kill a child process in C?", &[None]),
        ("main.py line 30 calls foo.bar() and fails", &[None]),
        ("does anyone have the docs for https://docs.rs/tokio ?", &[None]),
        ("fuck this compiler, why does it not work", &[None]),
        ("holy shit that was amazing", &[None]),
        ("привет как дела", &[None]),
        ("I want to die", &[None]),
        ("you are an idiot", &[Warn, Timeout]),
        ("eres un idiota de mierda", &[Warn, Timeout]),
        ("shut up bitch", &[Warn, Timeout]),
        ("send nudes", &[Warn, Timeout]),
        ("kys", &[Timeout, Ban]),
        ("I will kill you", &[Timeout, Ban]),
        ("i will find you and cut your throat", &[Timeout, Ban]),
        ("women belong in the kitchen", &[Warn, Timeout, Ban]),
        ("f r e e  n i t r o", &[Timeout, Ban]),
        ("ｆｒｅｅ ｎｉｔｒｏ", &[Timeout, Ban]),
        ("metamask support here, please send your seed phrase to validate your wallet", &[Timeout, Ban]),
        ("https://dlscord-gift.com/nitro", &[Warn, Timeout, Ban]),
        ("free nitro for first 10 people https://dlscord-gift.com/nitro", &[Ban]),
        (
            "Your account has been suspended. Verify at https://paypal-secure-login.top/verify",
            &[Timeout, Ban],
        ),
        ("@everyone FREE NITRO https://discord-nitro.gift/abc", &[Ban]),
    ] {
        let verdict = says(&engine, content);
        assert!(allowed.contains(&verdict.action), "{content}: {verdict:?}");
    }
}

#[test]
fn golden_scores() {
    let engine = engine();
    for (content, category, least, most) in [
        ("hello", Category::Toxic, 0.0, 0.05),
        ("thanks, that fixed my build", Category::Harassment, 0.0, 0.05),
        ("you are an idiot", Category::Toxic, 0.9, 1.0),
        ("you are an idiot", Category::Harassment, 0.8, 1.0),
        ("you are an 1d10t", Category::Toxic, 0.7, 1.0),
        ("women belong in the kitchen", Category::Hate, 0.6, 1.0),
        ("send nudes", Category::Sexual, 0.8, 1.0),
        ("I will kill you", Category::Violence, 0.6, 1.0),
        ("kill the process with -9", Category::Violence, 0.0, 0.2),
        ("I want to die", Category::SelfHarm, 0.6, 1.0),
        ("i can't take it anymore, i want to end my life tonight", Category::SelfHarm, 0.9, 1.0),
        ("Buy cheap followers now at www.best-smm-panel.xyz", Category::Spam, 0.8, 1.0),
        ("free nitro for everyone", Category::Scam, 0.8, 1.0),
        ("the meeting is at five, bring the report", Category::Scam, 0.0, 0.05),
        (
            "you're 13? don't tell your parents that we talk, it's our secret",
            Category::SexualMinors,
            0.6,
            1.0,
        ),
        ("don't tell mum about the surprise party", Category::SexualMinors, 0.0, 0.2),
        ("selling weed and pills, no cops, dm to order", Category::Illicit, 0.6, 1.0),
        ("the pharmacy needs a prescription for my antibiotics", Category::Illicit, 0.0, 0.2),
        (
            "the martyrs showed the way, brothers, arm yourselves for the holy war",
            Category::Extremism,
            0.6,
            1.0,
        ),
        ("documentary about the holy wars of the middle ages tonight", Category::Extremism, 0.0, 0.2),
    ] {
        let score = engine.score_one(&input(content, false)).categories[category];
        assert!((least..=most).contains(&score), "{content}: {} {score}", category.as_str());
    }
}

#[test]
fn a_language_penalty_lowers_abuse_in_that_language_alone() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let manifest = std::fs::read_to_string(models.join("text-native.json")).unwrap();
    let table = std::fs::read(models.join("text-native.bin")).unwrap().leak();
    let mut without: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let penalties = without.as_object_mut().unwrap().remove("languages").unwrap();
    let engine = engine();
    let without = NativeText::of(&without.to_string(), table).unwrap();
    for (content, penalty) in [
        ("du bist so ein dummes arschloch", penalties["de"].as_f64().unwrap()),
        ("you are so stupid, an idiot", 0.0),
    ] {
        let with = engine.score_one(&input(content, false));
        let without = without.score_one(&input(content, false));
        for category in Category::ALL {
            let lost = log_odds(without.categories[category]) - log_odds(with.categories[category]);
            let abuse = [Category::Toxic, Category::Harassment, Category::Hate].contains(&category);
            let expected = if abuse { penalty } else { 0.0 };
            assert!((lost - expected).abs() < 1e-3, "{content}: {} {lost}", category.as_str());
        }
    }
}

fn log_odds(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

#[test]
fn raids_raise_the_threat() {
    let engine = engine();
    let plain = TextDraft { content: "look here".to_owned(), account_age_days: 400, ..Default::default() };
    let raid = TextDraft { account_age_days: 0, mentions_count: 40, has_attachments: true, ..plain.clone() };
    assert_eq!(verdict(&engine, plain).action, Action::None);
    let raid = verdict(&engine, raid);
    assert!(raid.action > Action::None && raid.threat_score > 1.0, "{raid:?}");
}

#[test]
fn explains_with_spans_of_the_original() {
    let content = "héy, f r e e  n1tro at https://dlscord-gift.com/nitro";
    let why = says(&engine(), content).explanation.expect("asked for");
    assert_eq!(why.normalized_text, "hey free nitro at");
    let spoken = why.signals.iter().find(|signal| signal.name.starts_with("scam:")).expect("words");
    assert!(content[spoken.start..spoken.end].contains("n1tro"), "{spoken:?}");
    let host = why.signals.iter().find(|signal| signal.name == "look_alike_domain:discord").expect("host");
    assert_eq!(&content[host.start..host.end], "dlscord-gift.com");
    assert!(why.signals.is_sorted_by(|a, b| a.weight >= b.weight));
}

#[test]
fn length_hides_nothing() {
    let engine = engine();
    let filler = "the build was green this morning and the tests passed on both machines ".repeat(120);
    let hidden = format!("{filler} free nitro for the first ten people, claim your gift now {filler}");
    let content: String = hidden.chars().take(10_000).collect();
    let [harmless, harmful] = [&filler, &content]
        .map(|content| engine.score_one(&input(content, false)).categories[Category::Scam]);
    assert!(harmless < 0.05, "{harmless}");
    assert!(harmful > 0.5, "{harmful}");
}

#[test]
fn the_model_says_what_it_is() {
    let engine = engine();
    assert_eq!(engine.model(TextMode::Native), "gavel-text-native-1.10.0");
    assert_eq!(
        engine.model(TextMode::Hybrid),
        "gavel-text-native-1.10.0 (guardrails only: no hybrid decoder installed)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_depends_on_its_own_message_alone() {
    let engine = engine();
    let contents: Vec<String> =
        (0..50).map(|at| format!("message {at}, you idiot {}", "word ".repeat(at * 30))).collect();
    let batch: Vec<TextInput> = contents.iter().map(|content| input(content, true)).collect();
    let together = engine.score(Flow::default(), batch).await.expect("scores");
    let alone: Vec<TextScores> =
        contents.iter().map(|content| engine.score_one(&input(content, true))).collect();
    assert_eq!(together, alone);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_gets_a_sound_answer(content in "(.|[a-z]{1,3}[.:/@]|https://|\\PC){1,120}") {
        prop_assume!(!content.trim().is_empty() && !content.contains('\0'));
        let engine = engine();
        let scores = engine.score_one(&input(&content, true));
        let probabilities = scores.categories.0.iter().chain(scores.domains.iter().map(|domain| &domain.scam));
        for probability in probabilities {
            prop_assert!((0.0..=1.0).contains(probability), "{probability}");
        }
        let verdict = says(&engine, &content);
        prop_assert!(verdict.threat_score.is_finite());
        for signal in verdict.explanation.expect("asked for").signals {
            prop_assert!(signal.weight.is_finite());
            prop_assert!(content.get(signal.start..signal.end).is_some(), "{signal:?}");
        }
    }
}
