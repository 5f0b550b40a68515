//! Reads labelled messages: JSON lines, gzipped or plain. Missing labels stay missing.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result};
use ports::text::Category;
use serde::Deserialize;

/// A labelled message.
#[derive(Clone, Debug)]
pub struct LabelledText {
    /// The row's name in its source.
    pub id: String,
    pub text: String,
    /// A public source, or `contrast/<family>`.
    pub source: String,
    /// Whether it is chat-like.
    pub chat: bool,
    pub lang: String,
    /// In the order of [`Category::ALL`]; `None` where the source has no label.
    pub labels: [Option<bool>; Category::ALL.len()],
    /// Whether it contains sexual terms without a label for them.
    pub sexual_weak: bool,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    text: String,
    src: Option<String>,
    family: Option<String>,
    lang: Option<String>,
    chat: u8,
    sexual_weak: Option<u8>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// Reads rows from a file.
pub fn read(path: &Path) -> Result<Vec<LabelledText>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let reader: Box<dyn Read> = match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => Box::new(flate2::read::GzDecoder::new(file)),
        _ => Box::new(file),
    };
    BufReader::new(reader)
        .lines()
        .map(|line| {
            let line: Line = serde_json::from_str(&line?)?;
            let labels = Category::ALL.map(|category| Some(line.rest.get(category.as_str())?.as_u64()? == 1));
            Ok(LabelledText {
                labels: if line.src.is_some() { with_unnamed(labels) } else { labels },
                source: line.src.unwrap_or_else(|| format!("contrast/{}", line.family.unwrap_or_default())),
                id: line.id,
                text: line.text,
                chat: line.chat == 1,
                lang: line.lang.unwrap_or_else(|| "en".to_owned()),
                sexual_weak: line.sexual_weak == Some(1),
            })
        })
        .collect()
}

/// Labels of a public row with those of the harms that no source names: free of them, unless another harm may hide
/// them.
fn with_unnamed(mut labels: [Option<bool>; Category::ALL.len()]) -> [Option<bool>; Category::ALL.len()] {
    let may_hide = [
        (Category::SexualMinors, [Category::Sexual, Category::Sexual]),
        (Category::Illicit, [Category::Spam, Category::Scam]),
        (Category::Extremism, [Category::Hate, Category::Violence]),
    ];
    for (harm, others) in may_hide {
        let hidden = others.iter().any(|other| labels[*other as usize] == Some(true));
        labels[harm as usize] = labels[harm as usize].or((!hidden).then_some(false));
    }
    labels
}

/// Reads our hand-written rows: labels, a tab, the text. `clean` stands for no label, `#` begins a comment.
///
/// # Errors
/// A line without a tab, or an unknown label.
pub fn read_handwritten(path: &Path) -> Result<Vec<LabelledText>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot open {}", path.display()))?;
    let rows = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    rows.map(|(number, line)| {
        let (names, text) = line.split_once('\t').with_context(|| format!("line {}: no tab", number + 1))?;
        let mut labels = [Some(false); Category::ALL.len()];
        for name in names.split(' ').filter(|name| *name != "clean") {
            let head = Category::ALL.iter().position(|category| category.as_str() == name);
            labels[head.with_context(|| format!("line {}: unknown label {name}", number + 1))?] = Some(true);
        }
        let text = text.to_owned();
        let source = "contrast/handwritten".to_owned();
        let lang = "en".to_owned();
        Ok(LabelledText {
            id: format!("handwritten-{number}"),
            text,
            source,
            chat: true,
            lang,
            labels,
            sexual_weak: false,
        })
    })
    .collect()
}
