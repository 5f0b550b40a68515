//! A file read to its end, every line checked, before anything is written: what is to be written, or all that is wrong.

use std::{
    collections::HashMap,
    io::{self, BufRead},
};

use entity::{sample, sample_answer};
use sea_orm::ActiveValue::{Set, Unchanged};
use serde_json::{Map, Value};

use super::{
    cells::Header,
    draft::{Checked, Draft, Target, wrong},
    lines::{Lines, Numbered, Unreadable},
    object,
    run::Format,
};
use crate::{
    Code, Detail, Error,
    sample::{answer_rows, imported_row},
};

/// Samples in a file. On SQLite they are written in one go, and nobody is charged meanwhile, who must not wait for 4 seconds.
const SAMPLES: usize = 20_000;
/// Answers and ground truths in a file.
const ANSWERS: usize = 50_000;
/// Errors that are told; of more, only how many.
const TOLD: usize = 100;
/// Characters of each name and message that is told: names in a file may be as long as a line.
const WORDS: usize = 2_000;

/// What is to be written.
pub(super) struct Staged {
    pub(super) target: Target,
    /// One for each content.
    pub(super) rows: Vec<Row>,
    /// Samples in the file.
    pub(super) lines: usize,
    /// Lines that brought a ground truth for an earlier line's content.
    pub(super) labelled: usize,
    /// Lines that brought nothing new.
    pub(super) duplicates: usize,
}

/// A sample to be written, or to be found.
pub(super) struct Row {
    pub(super) hash: String,
    pub(super) sample: sample::ActiveModel,
    pub(super) answers: Vec<sample_answer::ActiveModel>,
    /// Whether it was asked something else than the Judge asks.
    pub(super) own: bool,
}

/// Where a file's lines go while they are good.
struct Stage {
    staged: Staged,
    by_hash: HashMap<String, usize>,
    answers: usize,
    told: Vec<Detail>,
    errors: usize,
}

/// Reads a file.
///
/// # Errors
/// `VALIDATION_FAILED` with what is wrong, by line; what reading fails with.
pub(super) fn read(from: impl BufRead, format: Format, target: Target) -> Result<Staged, Error> {
    let staged = Staged { target, rows: Vec::new(), lines: 0, labelled: 0, duplicates: 0 };
    let mut stage = Stage { staged, by_hash: HashMap::new(), answers: 0, told: Vec::new(), errors: 0 };
    let read = match format {
        Format::Jsonl => stage.lines(from),
        Format::Csv => stage.rows(from),
    };
    read.map_err(broken)?;
    stage.finish()
}

/// What ended the reading: an error of whoever supplies the file, or its end before its time.
fn broken(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(_) => Error::new(Code::MalformedBody, "the file did not arrive whole"),
    }
}

impl Stage {
    fn lines(&mut self, from: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(from)?;
        while let Some(Numbered { line, content }) = lines.line()? {
            let draft = content.map_err(unreadable).and_then(|line| object::read(&line));
            if !self.take(line, draft) {
                break;
            }
        }
        Ok(())
    }

    fn rows(&mut self, from: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(from)?;
        let Some(Numbered { line, content }) = lines.row()? else { return Ok(()) };
        let header = match content.map_err(unreadable).and_then(|cells| Header::read(&cells)) {
            Ok(header) => header,
            Err(problems) => {
                self.refuse(line, problems);
                return Ok(());
            }
        };
        while let Some(Numbered { line, content }) = lines.row()? {
            let draft = content.map_err(unreadable).and_then(|cells| header.draft(cells));
            if !self.take(line, draft) {
                break;
            }
        }
        Ok(())
    }

    /// Takes a line; false when no more can be taken.
    fn take(&mut self, line: usize, draft: Result<Draft, Vec<Detail>>) -> bool {
        self.staged.lines += 1;
        if self.staged.lines > SAMPLES {
            self.refuse(line, vec![wrong("", format!("is one too many: a file may have {SAMPLES} samples"))]);
            return false;
        }
        match draft.and_then(|draft| draft.check(&self.staged.target)) {
            Ok(checked) => self.fold(checked),
            Err(problems) => self.refuse(line, problems),
        }
        if self.answers > ANSWERS {
            let message = format!("is one too many: a file may have {ANSWERS} answers and ground truths");
            self.refuse(line, vec![wrong("", message)]);
            return false;
        }
        true
    }

    fn refuse(&mut self, line: usize, problems: Vec<Detail>) {
        self.errors += problems.len();
        // Nothing of this file will be written any more.
        (self.staged.rows, self.by_hash) = (Vec::new(), HashMap::new());
        for Detail { field, message } in problems {
            if self.told.len() < TOLD {
                let colon = if field.is_empty() { "" } else { ": " };
                self.told.push(wrong(cut(format!("line {line}{colon}{field}")), cut(message)));
            }
        }
    }

    /// Keeps a sample, or what it adds to an earlier one of the same content.
    fn fold(&mut self, Checked { sample, places }: Checked) {
        if self.errors > 0 {
            return;
        }
        let now = chrono::Utc::now();
        let answers = answer_rows(&sample, now).zip(places);
        let answers: Vec<_> =
            answers.map(|(row, place)| sample_answer::ActiveModel { position: Set(place), ..row }).collect();
        let own = sample.instructions.is_some();
        let sample = imported_row(&sample, now);
        let hash = sample.content_hash.try_as_ref().cloned().unwrap_or_default();
        let Some(place) = self.by_hash.get(&hash) else {
            self.answers += answers.len();
            self.by_hash.insert(hash.clone(), self.staged.rows.len());
            self.staged.rows.push(Row { hash, sample, answers, own });
            return;
        };
        let row = &mut self.staged.rows[*place];
        let mut added = false;
        for answer in answers.into_iter().filter(|answer| !is_none(answer)) {
            match row.answers.iter_mut().find(|row| row.key == answer.key) {
                Some(there) if is_none(there) => {
                    there.truth_probability =
                        Set(probability(value(&there.probabilities), value(&answer.truth)));
                    (there.truth, there.truth_by, there.truth_at) =
                        (answer.truth, answer.truth_by, answer.truth_at);
                }
                Some(_) => continue,
                None => {
                    self.answers += 1;
                    row.answers.push(sample_answer::ActiveModel {
                        value: Set(None),
                        answer: Set(None),
                        probability: Set(None),
                        probabilities: Set(None),
                        squares: Set(None),
                        truth_probability: Set(None),
                        ..answer
                    });
                }
            }
            added = true;
        }
        let truths = row.answers.iter().filter(|answer| !is_none(answer)).count();
        row.sample.labels = Set(i32::try_from(truths).unwrap_or(i32::MAX));
        let count = if added { &mut self.staged.labelled } else { &mut self.staged.duplicates };
        *count += 1;
    }

    fn finish(mut self) -> Result<Staged, Error> {
        if self.errors == 0 {
            return Ok(self.staged);
        }
        if self.errors > self.told.len() {
            let message = format!("has {} errors; the first {TOLD} are listed", self.errors);
            self.told.push(wrong("the file", message));
        }
        let errors = if self.errors == 1 { "an error".to_owned() } else { format!("{} errors", self.errors) };
        let message = format!("the file has {errors}; nothing was imported");
        Err(Error { details: self.told, ..Error::new(Code::ValidationFailed, message) })
    }
}

fn cut(words: String) -> String {
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

fn unreadable(why: Unreadable) -> Vec<Detail> {
    vec![wrong("", why.message())]
}

/// Whether an answer has no ground truth.
pub(super) fn is_none(answer: &sample_answer::ActiveModel) -> bool {
    value(&answer.truth).is_none()
}

/// What is set in an optional column.
pub(super) fn value(column: &sea_orm::ActiveValue<Option<String>>) -> Option<&str> {
    match column {
        Set(value) | Unchanged(value) => value.as_deref(),
        sea_orm::ActiveValue::NotSet => None,
    }
}

/// How probable a ground truth was said to be.
fn probability(probabilities: Option<&str>, truth: Option<&str>) -> Option<f64> {
    let probabilities: Map<String, Value> = serde_json::from_str(probabilities?).ok()?;
    probabilities.get(truth?)?.as_f64()
}
