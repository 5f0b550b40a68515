//! Reads a whole file and validates every line before anything is written: returns the rows to write, or all
//! errors.

use std::{
    collections::HashMap,
    io::{self, BufRead},
    time::{Duration, Instant},
};

use entity::{sample, sample_answer};
use sea_orm::ActiveValue::{Set, Unchanged};
use serde_json::{Map, Value};

use super::{
    ImportFormat,
    csv::Header,
    jsonl,
    validate::{ImportedLine, Target, ValidatedLine, problem},
};
use crate::{
    Code, Detail, Error,
    foundation::lines::{LineError, Lines, Numbered},
    learning::sample::{answer_rows, imported_row},
};

/// Maximum samples in a file. SQLite writes them in one transaction, which blocks charges; it must take less than 4
/// seconds.
const MAX_SAMPLES: usize = 20_000;
/// Maximum answers and ground truths in a file.
const MAX_ANSWERS: usize = 50_000;
/// Maximum time for the validation of lines, which a Judge's schema of states may make slow.
const MAX_VALIDATION: Duration = Duration::from_secs(30);
/// Errors that are listed; the rest are only counted.
const LISTED_ERRORS: usize = 100;
/// Characters of each listed name and message: names in a file may be as long as a line.
const MAX_TEXT_CHARS: usize = 2_000;

/// The validated rows of a file.
pub(super) struct Staged {
    pub(super) target: Target,
    /// One row per distinct content.
    pub(super) rows: Vec<StagedSample>,
    /// Samples in the file.
    pub(super) lines: usize,
    /// Lines that brought a ground truth for the content of an earlier line.
    pub(super) labelled: usize,
    /// Lines that brought nothing new.
    pub(super) duplicates: usize,
}

/// A sample to write, or to find in the dataset.
pub(super) struct StagedSample {
    pub(super) hash: String,
    pub(super) sample: sample::ActiveModel,
    pub(super) answers: Vec<sample_answer::ActiveModel>,
    /// True when the sample has instructions of its own.
    pub(super) own: bool,
}

/// Collects the lines of a file and their errors.
struct Staging {
    staged: Staged,
    by_hash: HashMap<String, usize>,
    answers: usize,
    /// The time that the validation of lines took.
    validation: Duration,
    listed: Vec<Detail>,
    errors: usize,
}

/// Reads a file.
///
/// # Errors
/// `VALIDATION_FAILED` with the problems by line; the error of the reader.
pub(super) fn read(from: impl BufRead, format: ImportFormat, target: Target) -> Result<Staged, Error> {
    let staged = Staged { target, rows: Vec::new(), lines: 0, labelled: 0, duplicates: 0 };
    let mut staging = Staging {
        staged,
        by_hash: HashMap::new(),
        answers: 0,
        validation: Duration::ZERO,
        listed: Vec::new(),
        errors: 0,
    };
    let read = match format {
        ImportFormat::Jsonl => staging.lines(from),
        ImportFormat::Csv => staging.rows(from),
    };
    read.map_err(read_error)?;
    staging.finish()
}

/// Maps an I/O error: the reader's own [`Error`], or a file that ended early.
fn read_error(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(_) => Error::new(Code::MalformedBody, "the file did not arrive whole"),
    }
}

impl Staging {
    fn lines(&mut self, from: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(from)?;
        while let Some(Numbered { line, content }) = lines.line()? {
            let parsed = content.map_err(line_problem).and_then(|line| jsonl::parse(&line));
            if !self.add_line(line, parsed) {
                break;
            }
        }
        Ok(())
    }

    fn rows(&mut self, from: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(from)?;
        let Some(Numbered { line, content }) = lines.row()? else { return Ok(()) };
        let header = match content.map_err(line_problem).and_then(|cells| Header::read(&cells)) {
            Ok(header) => header,
            Err(problems) => {
                self.add_problems(line, problems);
                return Ok(());
            }
        };
        while let Some(Numbered { line, content }) = lines.row()? {
            let parsed = content.map_err(line_problem).and_then(|cells| header.parse(cells));
            if !self.add_line(line, parsed) {
                break;
            }
        }
        Ok(())
    }

    /// Adds a line; returns false when the file is over its limits.
    fn add_line(&mut self, line: usize, parsed: Result<ImportedLine, Vec<Detail>>) -> bool {
        self.staged.lines += 1;
        if self.staged.lines > MAX_SAMPLES {
            self.add_problems(
                line,
                vec![problem("", format!("is one too many: a file may have at most {MAX_SAMPLES} samples"))],
            );
            return false;
        }
        let began = Instant::now();
        let validated = parsed.and_then(|parsed| parsed.validate(&self.staged.target));
        self.validation += began.elapsed();
        if self.validation > MAX_VALIDATION {
            let message = "was not read: checking the states against the Judge's schema took too long";
            self.add_problems(line, vec![problem("", message)]);
            return false;
        }
        match validated {
            Ok(validated) => self.add_sample(validated),
            Err(problems) => self.add_problems(line, problems),
        }
        if self.answers > MAX_ANSWERS {
            let message =
                format!("is one too many: a file may have at most {MAX_ANSWERS} answers and ground truths");
            self.add_problems(line, vec![problem("", message)]);
            return false;
        }
        true
    }

    fn add_problems(&mut self, line: usize, problems: Vec<Detail>) {
        self.errors += problems.len();
        // Nothing of this file will be written any more.
        self.staged.rows = Vec::new();
        self.by_hash = HashMap::new();
        for Detail { field, message } in problems {
            if self.listed.len() < LISTED_ERRORS {
                let colon = if field.is_empty() { "" } else { ": " };
                self.listed.push(problem(truncate(format!("line {line}{colon}{field}")), truncate(message)));
            }
        }
    }

    /// Adds a sample, or merges it into an earlier one with the same content.
    fn add_sample(&mut self, ValidatedLine { sample, positions }: ValidatedLine) {
        if self.errors > 0 {
            return;
        }
        let now = chrono::Utc::now();
        let answers = answer_rows(&sample, now).zip(positions);
        let answers: Vec<_> =
            answers.map(|(row, place)| sample_answer::ActiveModel { position: Set(place), ..row }).collect();
        let own = sample.instructions.is_some();
        let sample = imported_row(&sample, now);
        let hash = sample.content_hash.try_as_ref().cloned().unwrap_or_default();
        let Some(place) = self.by_hash.get(&hash) else {
            self.answers += answers.len();
            self.by_hash.insert(hash.clone(), self.staged.rows.len());
            self.staged.rows.push(StagedSample { hash, sample, answers, own });
            return;
        };
        let row = &mut self.staged.rows[*place];
        let mut added = false;
        for answer in answers.into_iter().filter(|answer| !has_no_truth(answer)) {
            match row.answers.iter_mut().find(|row| row.key == answer.key) {
                Some(there) if has_no_truth(there) => {
                    there.truth_probability = Set(truth_probability(
                        column_value(&there.probabilities),
                        column_value(&answer.truth),
                    ));
                    there.truth = answer.truth;
                    there.truth_by = answer.truth_by;
                    there.truth_at = answer.truth_at;
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
        let truths = row.answers.iter().filter(|answer| !has_no_truth(answer)).count();
        row.sample.labels = Set(i32::try_from(truths).unwrap_or(i32::MAX));
        let count = if added { &mut self.staged.labelled } else { &mut self.staged.duplicates };
        *count += 1;
    }

    fn finish(mut self) -> Result<Staged, Error> {
        if self.errors == 0 {
            return Ok(self.staged);
        }
        if self.errors > self.listed.len() {
            let message = format!("has {} errors; the first {LISTED_ERRORS} are listed", self.errors);
            self.listed.push(problem("the file", message));
        }
        let errors = if self.errors == 1 { "an error".to_owned() } else { format!("{} errors", self.errors) };
        let message = format!("the file has {errors}; nothing was imported");
        Err(Error { details: self.listed, ..Error::new(Code::ValidationFailed, message) })
    }
}

fn truncate(words: String) -> String {
    match words.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

fn line_problem(why: LineError) -> Vec<Detail> {
    vec![problem("", why.message())]
}

/// Returns true when an answer has no ground truth.
pub(super) fn has_no_truth(answer: &sample_answer::ActiveModel) -> bool {
    column_value(&answer.truth).is_none()
}

/// The value of an optional column.
pub(super) fn column_value(column: &sea_orm::ActiveValue<Option<String>>) -> Option<&str> {
    match column {
        Set(value) | Unchanged(value) => value.as_deref(),
        sea_orm::ActiveValue::NotSet => None,
    }
}

/// The probability that the model gave to a ground truth.
fn truth_probability(probabilities: Option<&str>, truth: Option<&str>) -> Option<f64> {
    let probabilities: Map<String, Value> = serde_json::from_str(probabilities?).ok()?;
    probabilities.get(truth?)?.as_f64()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        foundation::actor::{Actor, Identity, Role},
        operations::inference::{InstructionLimits, parse_instructions},
    };
    use ports::id::{AccountId, DatasetId, KeyId};

    fn target() -> Target {
        let instructions = json!({ "team": ["a", "b"], "late": { "type": "noul", "instructions": "Late?" } });
        Target {
            dataset: DatasetId::new(),
            version: 1,
            state_schema: None,
            questions: parse_instructions("instructions", &instructions, InstructionLimits::OWN).unwrap(),
            actor: Actor {
                account: AccountId::new(),
                identity: Identity::Key(KeyId::new()),
                role: Role::Editor,
                operator: false,
            },
        }
    }

    /// A part of a file of samples.
    fn part() -> impl Strategy<Value = String> {
        let known = vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            "\"",
            "\"\"",
            "\\",
            "state",
            "answers",
            "ground_truth",
            "team",
            "a",
            "late",
            "true",
            "1e999",
            "-0",
            "null",
            "0.5",
            "state,answers.team\n",
            "x,a\n",
            "{\"state\":\"x\",\"answers\":{\"team\":\"a\"}}\n",
            "{\"state\":\"y\",\"ground_truth\":{\"late\":false}}\n",
        ];
        prop_oneof![
            prop::sample::select(known).prop_map(str::to_owned),
            "\\PC{0,4}",
            "[0-9]{300}[.][0-9]{1,3}"
        ]
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused_with_its_lines(parts in prop::collection::vec(part(), 0..24)) {
            let file = parts.concat();
            for format in [ImportFormat::Jsonl, ImportFormat::Csv] {
                match read(file.as_bytes(), format, target()) {
                    Ok(staged) => prop_assert!(staged.rows.len() <= staged.lines),
                    Err(error) => prop_assert_eq!(error.code, Code::ValidationFailed, "{}", error.message),
                }
            }
        }
    }
}
