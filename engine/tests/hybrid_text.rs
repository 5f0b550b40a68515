//! The embedded hybrid text engine gives the same scores as the Python evaluation, whose results are in its card, on
//! both runtimes, and for a message alone and in a batch.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use domain::Flow;
use domain::moderation::{Category, Mode, TextEngine as _, TextInput, TextScores, links};
use engine::{
    runtime::OnnxRuntime,
    text::{
        HybridOptions, HybridText, NativeText,
        normalize::normalize,
        windows::{cut_windows, sentences},
    },
};
use serde_json::Value;

/// Written by `training/hybrid/export.py`.
const GOLDEN: &str = "../models/gavel-text-hybrid-1.6.0.golden.jsonl";
/// The tolerance of log-odds, and of their mean. Floats differ in the last digits from Python's, which may round a
/// byte the other way.
const TOLERANCE: f64 = 0.4;
const ON_AVERAGE: f64 = 0.03;

fn engine(onnx_runtime: OnnxRuntime) -> HybridText {
    let options = HybridOptions { models_dir: made::models_dir(), onnx_runtime, threads: 2 };
    HybridText::open(NativeText::load().expect("weights"), &options).expect("the hybrid model")
}

fn input(content: &str, mode: Mode) -> TextInput {
    TextInput { content: content.to_owned(), mode, explain: true }
}

async fn score(engine: &HybridText, content: &str) -> TextScores {
    engine.score(Flow::default(), vec![input(content, Mode::Hybrid)]).await.expect("scores").remove(0)
}

#[tokio::test]
async fn the_decoder_reads_as_in_the_evaluation_and_is_combined_as_fitted() {
    let golden = std::fs::read_to_string(GOLDEN).unwrap();
    let rows: Vec<Value> = golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() >= 50);
    for runtime in [OnnxRuntime::Off, OnnxRuntime::Auto] {
        let engine = engine(runtime.clone());
        let messages = rows.iter().map(|row| row["message"].as_str().unwrap().to_owned()).collect();
        let denoised = engine.decode(Flow::default(), messages).await.unwrap();
        let (mut distances, mut whole) = (Vec::new(), 0);
        for (row, denoised) in rows.iter().zip(&denoised) {
            let steps = row["steps"].to_string();
            let expected = row["decoder"][&steps].as_array().unwrap().iter().zip(denoised.harms);
            let action = row["action"][&steps].as_array().unwrap().iter().zip(denoised.action);
            for (expected, real) in expected.chain(action) {
                let distance = (expected.as_f64().unwrap() - f64::from(real)).abs();
                assert!(distance <= TOLERANCE, "{runtime:?} {}: {expected} is {real}", row["id"]);
                distances.push(distance);
            }
            let message = row["message"].as_str().unwrap();
            if message.is_empty() {
                continue;
            }
            let scores = score(&engine, message).await;
            // The golden file holds the message as a whole; a sentence of it may score higher.
            let text = normalize(message, &links::find(message));
            let sentences = sentences(message, &text);
            let one_part = sentences.len() < 2 && cut_windows(message, &text, &sentences).is_empty();
            whole += usize::from(one_part);
            // What is not English keeps the native scores.
            if scores.model != "gavel-text-hybrid-1.6.0" {
                for (p, log_odds) in scores.categories.0.iter().zip(row["native"].as_array().unwrap()) {
                    let native = 1.0 / (1.0 + (-log_odds.as_f64().unwrap()).exp());
                    assert!((p - native).abs() <= 0.01, "{}: {native} is {p}", row["id"]);
                }
                continue;
            }
            for (harm, expected) in Category::ALL.into_iter().zip(row["combined"].as_array().unwrap()) {
                let (expected, real) = (expected.as_f64().unwrap(), scores.categories[harm]);
                let right = real >= expected - 0.05 && (real <= expected + 0.05 || !one_part);
                assert!(right, "{} {}: {expected} is {real}", row["id"], harm.as_str());
            }
        }
        assert!(whole * 3 >= rows.len(), "{whole} messages are of one part");
        let average = distances.iter().sum::<f64>() / distances.len() as f64;
        assert!(average <= ON_AVERAGE, "{runtime:?}: {average} on average");
    }
}

#[tokio::test]
async fn a_message_is_scored_the_same_alone_and_in_company_and_on_either_runtime() {
    let mut contents: Vec<String> =
        ["gg", "free nitro in my dms, just log in once", "привет", "x", "…", "👍", "   a   ", "kys"]
            .map(str::to_owned)
            .to_vec();
    contents.extend((1..40).map(|n| "you people are all the same and should leave ".repeat(n)));
    let [built_in, library] = [OnnxRuntime::Off, OnnxRuntime::Auto].map(engine);
    for engine in [&built_in, &library] {
        let inputs = contents.iter().map(|content| input(content, Mode::Hybrid)).collect();
        let together = engine.score(Flow::default(), inputs).await.unwrap();
        for (content, together) in contents.iter().zip(&together) {
            let alone = score(engine, content).await;
            assert_eq!(alone.categories.0, together.categories.0, "{content:.40}");
        }
    }
    for content in &contents {
        let (one, other) = (score(&built_in, content).await, score(&library, content).await);
        for (a, b) in one.categories.0.iter().zip(other.categories.0) {
            assert!((a - b).abs() <= 0.03, "{content:.40}: {a} and {b}");
        }
    }
}

#[tokio::test]
async fn native_messages_are_the_native_models_alone() {
    let (native, hybrid) = (NativeText::load().unwrap(), engine(OnnxRuntime::Auto));
    let lure = "hey, staff here: log in on the page i sent you or your account is gone tonight";
    let both = hybrid
        .score(Flow::default(), vec![input(lure, Mode::Native), input(lure, Mode::Hybrid)])
        .await
        .unwrap();
    assert_eq!(both[0], native.score_one(&input(lure, Mode::Native)));
    assert_eq!(both[1].model, "gavel-text-hybrid-1.6.0");
    assert!(both[1].categories[Category::Scam] > both[0].categories[Category::Scam], "{both:?}");
    let evidence = &both[1].explanation.as_ref().unwrap().evidence;
    assert!(evidence.iter().any(|piece| piece.name == "scam:the message as a whole"), "{evidence:?}");
}

/// The encoder reads English: what else is written is the native model's, which the answer names when the encoder read nothing.
#[tokio::test]
async fn the_encoder_reads_english_alone() {
    let (native, hybrid) = (NativeText::load().unwrap(), engine(OnnxRuntime::Auto));
    for (content, language) in [
        ("du bist so ein idiot und keiner mag dich", "de"),
        ("ты такой глупый", "ru"),
        ("你怎么这么蠢", "zh"),
        ("tu bahut bada chutiya hai", "hi-Latn"),
    ] {
        let scores = score(&hybrid, content).await;
        assert_eq!(scores, native.score_one(&input(content, Mode::Native)), "{content}");
        assert_eq!(scores.explanation.as_ref().unwrap().language, language, "{content}");
    }
    let lure = "hey, staff here: log in on the page i sent you or your account is gone tonight";
    for content in [lure.to_owned(), format!("du bist heute dran, ich gehe jetzt schlafen\n{lure}")] {
        let scores = score(&hybrid, &content).await;
        let alone = native.score_one(&input(&content, Mode::Native));
        assert_eq!(scores.model, "gavel-text-hybrid-1.6.0", "{content}");
        assert!(
            scores.categories[Category::Scam] > alone.categories[Category::Scam],
            "{content}: {scores:?}"
        );
    }
}

#[tokio::test]
async fn the_longest_and_the_oddest_messages_are_read() {
    let engine = engine(OnnxRuntime::Auto);
    for content in [
        "word ".repeat(2_000),
        "字".repeat(10_000),
        "👍".repeat(10_000),
        "https://a.example/b ".repeat(500),
        "\u{200b}".repeat(50),
        "[SEP] [MASK] [CLS]".to_owned(),
    ] {
        let scores = score(&engine, &content).await;
        assert!(scores.categories.0.iter().all(|p| (0.0..=1.0).contains(p)), "{content:.20}");
    }
    // Harm at the very end of a long message is still found.
    let long = "we talked about the release and everybody was fine with it. ".repeat(60);
    let harm = format!("{long} go kill yourself you worthless piece of trash");
    let (calm, harmful) = (score(&engine, &long).await, score(&engine, &harm).await);
    assert!(harmful.categories[Category::Harassment] > calm.categories[Category::Harassment] + 0.3);
}
