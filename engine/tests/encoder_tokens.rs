//! The tokenizers return the same ids as those in Python, with which the models were trained.

#[allow(dead_code, reason = "its noise is for other tests")]
mod made;

use engine::encoder::{TokenEmbeddings, Weights};

#[test]
fn ids_are_those_of_the_tokenizer_in_python() {
    let embeddings = TokenEmbeddings::open(&made::models_dir()).unwrap();
    let cases: [(&str, &[u32]); 10] = [
        ("Hello, World!", &[7592, 1010, 2088, 999]),
        ("ünïcödé ÀÉÎ 漢字 😀 naïve café", &[27260, 29347, 2072, 1904, 100, 100, 15743, 7668]),
        ("[SEP] [MASK] [CLS] [PAD] [UNK]", &[100, 100, 100, 100, 100]),
        (&"x".repeat(120), &[100]),
        ("\u{200b}zero\u{a0}width\tand\r\nlines", &[5717, 9381, 1998, 3210]),
        (
            "don't e-mail foo_bar@example.com $5.99!!",
            &[
                2123, 1005, 1056, 1041, 1011, 5653, 29379, 1035, 3347, 1030, 2742, 1012, 4012, 1002, 1019,
                1012, 5585, 999, 999,
            ],
        ),
        (
            "Supercalifragilisticexpialidocious",
            &[3565, 9289, 10128, 29181, 24411, 4588, 10288, 19312, 21273, 10085, 6313],
        ),
        ("ﬁne Ⅷ １２３ Straße İstanbul", &[1984, 2638, 100, 100, 2358, 27807, 9960]),
        ("   ", &[]),
        (
            "हिन्दी العربية ไทย 한국어",
            &[
                1339, 29877, 29863, 29861, 29878, 1270, 23673, 29830, 17149, 29816, 14498, 19433, 100, 1469,
                30006, 30021, 29991, 30014, 30020, 29999, 30008,
            ],
        ),
    ];
    for (text, ids) in cases {
        assert_eq!(embeddings.tokenize(text).unwrap(), ids, "{text}");
    }
    assert_eq!(embeddings.tokenize(&"two words ".repeat(30_000)).unwrap().len(), 60_000, "nothing is cut");
}

#[test]
fn the_ids_of_pieces_are_those_of_the_crate_tokenizers() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = std::fs::read(root.join("models/gavel-text-multilingual-1.3.0.safetensors")).unwrap();
    let weights = Weights::read(file).unwrap();
    let embeddings = TokenEmbeddings::of_weights(&weights).unwrap();
    let peer = tokenizers::Tokenizer::from_bytes(&weights.bytes("tokenizer").unwrap().1).unwrap();
    let rows = std::fs::read_to_string(root.join("training/text/contrast/test.jsonl"));
    let rows = rows.expect("scripts/contrast.sh builds test.jsonl");
    let mut texts: Vec<String> = rows.lines().map(text_of_row).collect();
    texts.extend(
        [
            "",
            "  ",
            "▁",
            "▁▁a▁ b",
            "😀😀 ⠿⠿⠿x⠿",
            "ﬁne Ⅷ １２３ İstanbul",
            "\u{200b}zero\u{a0}width\tand\r\nlines",
        ]
        .map(String::from),
    );
    texts.extend(["哈".repeat(3000), "ab".repeat(3000), "⠿".repeat(99), "e\u{301}\u{301}\u{301}".repeat(9)]);
    assert!(texts.len() > 3000, "{}", texts.len());
    for text in texts {
        let ids = peer.encode_fast(text.as_str(), false).unwrap().get_ids().to_vec();
        assert_eq!(embeddings.tokenize(&text).unwrap(), ids, "{text}");
    }
    let spelled = embeddings.tokenize("<s> </s> <pad> <unk>").unwrap();
    assert!(spelled.iter().all(|id| *id > 2), "the text became special tokens: {spelled:?}");
}

fn text_of_row(line: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(line).expect("a row of JSON");
    row["text"].as_str().expect("a text").to_owned()
}
