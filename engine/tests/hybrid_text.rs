//! The embedded hybrid text engine returns the same scores as the Python evaluation, whose results are in the golden
//! files, on both runtimes, and for a message alone and in a batch.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use engine::{
    runtime::OnnxRuntime,
    text::{
        HybridOptions, HybridText, NativeText,
        language::{Language, TextEncoder},
        normalize::normalize,
        windows::{cut_windows, sentences},
    },
};
use ports::Flow;
use ports::text::{Category, TextEngine as _, TextInput, TextMode, TextScores, links};
use serde_json::Value;

/// The names of the models.
const ENGLISH: &str = "gavel-text-hybrid-1.9.0";
const MULTILINGUAL: &str = "gavel-text-multilingual-1.3.0";
/// The tolerance of log-odds, and of their mean. Floats differ in the last digits from Python's, which may round a
/// byte the other way.
const TOLERANCE: f64 = 0.4;
const ON_AVERAGE: f64 = 0.05;

fn engine(onnx_runtime: OnnxRuntime) -> HybridText {
    let options = HybridOptions { models_dir: made::models_dir(), onnx_runtime, threads: 2 };
    HybridText::open(NativeText::load().expect("weights"), &options).expect("the hybrid model")
}

fn input(content: &str, mode: TextMode) -> TextInput {
    TextInput { content: content.to_owned(), mode, explain: true }
}

async fn score(engine: &HybridText, content: &str) -> TextScores {
    engine.score(Flow::default(), vec![input(content, TextMode::Hybrid)]).await.expect("scores").remove(0)
}

#[tokio::test]
async fn the_decoders_read_as_in_the_evaluation_and_are_combined_as_fitted() {
    for (encoder, model) in [(TextEncoder::English, ENGLISH), (TextEncoder::Multilingual, MULTILINGUAL)] {
        // Written by `training/hybrid/export.py`.
        let golden = std::fs::read_to_string(format!("../models/{model}.golden.jsonl")).unwrap();
        let rows: Vec<Value> = golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for engine in [OnnxRuntime::Off, OnnxRuntime::Auto].map(engine) {
            assert!(rows.len() >= 50, "{model} has {} rows", rows.len());
            let messages = rows.iter().map(|row| row["message"].as_str().unwrap().to_owned()).collect();
            let denoised = engine.decode(encoder, Flow::default(), messages).await.unwrap();
            let mut distances = Vec::new();
            let mut combined = 0;
            let mut whole = 0;
            for (row, denoised) in rows.iter().zip(&denoised) {
                let steps = row["steps"].to_string();
                let expected = row["decoder"][&steps].as_array().unwrap().iter().zip(denoised.harms);
                let action = row["action"][&steps].as_array().unwrap().iter().zip(denoised.action);
                for (expected, real) in expected.chain(action) {
                    let distance = (expected.as_f64().unwrap() - f64::from(real)).abs();
                    assert!(distance <= TOLERANCE, "{model} {}: {expected} is {real}", row["id"]);
                    distances.push(distance);
                }
                let message = row["message"].as_str().unwrap();
                if message.is_empty() {
                    continue;
                }
                let scores = score(&engine, message).await;
                if scores.model != model {
                    continue;
                }
                combined += 1;
                // The golden file holds the message as a whole; a sentence of it may score higher.
                let text = normalize(message, &links::find(message));
                let sentences = sentences(message, &text);
                let words = text.words.len();
                let other = Language::detect(message, &text, 0..words).other_encoder(words);
                let parts = sentences.len().max(1) + cut_windows(message, &text, &sentences).len();
                let one_part = parts == 1 && other.is_none();
                whole += usize::from(one_part);
                for (harm, expected) in Category::ALL.into_iter().zip(row["combined"].as_array().unwrap()) {
                    let expected = expected.as_f64().unwrap();
                    let real = scores.categories[harm];
                    let right = real >= expected - 0.05 && (real <= expected + 0.05 || !one_part);
                    assert!(right, "{model} {} {}: {expected} is {real}", row["id"], harm.as_str());
                }
            }
            assert!(combined * 2 >= rows.len(), "{model} has read {combined} messages");
            assert!(whole * 4 >= combined, "{whole} messages are of one part");
            let average = distances.iter().sum::<f64>() / distances.len() as f64;
            assert!(average <= ON_AVERAGE, "{model}: {average} on average");
        }
    }
}

#[tokio::test]
async fn a_message_is_scored_the_same_alone_and_in_company_and_on_either_runtime() {
    let mut contents: Vec<String> = [
        "gg",
        "free nitro in my dms, just log in once",
        "привет",
        "你怎么这么蠢",
        "x",
        "…",
        "👍",
        "   a   ",
        "kys",
    ]
    .map(str::to_owned)
    .to_vec();
    contents.extend((1..40).map(|n| "you people are all the same and should leave ".repeat(n)));
    contents.extend((1..20).map(|n| "ihr seid doch alle gleich und sollt endlich gehen ".repeat(n)));
    let [built_in, library] = [OnnxRuntime::Off, OnnxRuntime::Auto].map(engine);
    for engine in [&built_in, &library] {
        let inputs = contents.iter().map(|content| input(content, TextMode::Hybrid)).collect();
        let together = engine.score(Flow::default(), inputs).await.unwrap();
        for (content, together) in contents.iter().zip(&together) {
            let alone = score(engine, content).await;
            assert_eq!(alone.categories.0, together.categories.0, "{content:.40}");
        }
    }
    for content in &contents {
        let one = score(&built_in, content).await;
        let other = score(&library, content).await;
        for (a, b) in one.categories.0.iter().zip(other.categories.0) {
            assert!((a - b).abs() <= 0.05, "{content:.40}: {a} and {b}");
        }
    }
}

#[tokio::test]
async fn native_messages_are_the_native_models_alone() {
    let native = NativeText::load().unwrap();
    let hybrid = engine(OnnxRuntime::Auto);
    let lure = "hey, staff here: log in on the page i sent you or your account is gone tonight";
    let both = hybrid
        .score(Flow::default(), vec![input(lure, TextMode::Native), input(lure, TextMode::Hybrid)])
        .await
        .unwrap();
    assert_eq!(both[0], native.score_one(&input(lure, TextMode::Native)));
    assert_eq!(both[1].model, ENGLISH);
    assert!(both[1].categories[Category::Scam] > both[0].categories[Category::Scam], "{both:?}");
    let evidence = &both[1].explanation.as_ref().unwrap().evidence;
    assert!(evidence.iter().any(|piece| piece.name == "scam:the message as a whole"), "{evidence:?}");
}

/// English and other languages have an encoder each.
#[tokio::test]
async fn the_language_of_a_message_and_of_its_sentences_chooses_the_encoder() {
    let native = NativeText::load().unwrap();
    let hybrid = engine(OnnxRuntime::Auto);
    for (content, language) in [
        ("du bist so ein idiot und keiner mag dich", "de"),
        ("ты такой глупый", "ru"),
        ("你怎么这么蠢", "zh"),
        ("tu bahut bada chutiya hai", "hi-Latn"),
    ] {
        let scores = score(&hybrid, content).await;
        assert_eq!(scores.model, MULTILINGUAL, "{content}");
        assert_eq!(scores.explanation.as_ref().unwrap().language, language, "{content}");
        let alone = native.score_one(&input(content, TextMode::Native));
        assert_ne!(scores.categories, alone.categories, "{content}");
    }
    let lure = "hey, staff here: log in on the page i sent you or your account is gone tonight";
    let native_scam = native.score_one(&input(lure, TextMode::Native)).categories[Category::Scam];
    for (content, model) in [
        (lure.to_owned(), ENGLISH),
        (
            format!("wir treffen uns heute abend alle bei mir und spielen noch eine runde\n{lure}"),
            MULTILINGUAL,
        ),
    ] {
        let scores = score(&hybrid, &content).await;
        assert_eq!(scores.model, model, "{content}");
        assert!(scores.categories[Category::Scam] > native_scam, "{content}: {scores:?}");
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
    let calm = score(&engine, &long).await;
    let harmful = score(&engine, &harm).await;
    assert!(harmful.categories[Category::Harassment] > calm.categories[Category::Harassment] + 0.3);
}
