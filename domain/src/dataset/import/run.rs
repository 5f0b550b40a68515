//! An import from its file to its count.

use std::io::{BufReader, Read};

use super::{draft::Target, stage, write};
use crate::{
    Code, Error, Result,
    actor::{Actor, Role},
    database::Database,
    id::JudgeId,
    judge,
};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// A row a line, with a header.
    Csv,
}

impl Format {
    /// Every form.
    pub const ALL: [Format; 2] = [Format::Jsonl, Format::Csv];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Order {
    /// The Judge in whose dataset the samples will be.
    pub judge: JudgeId,
    /// The form of the file.
    pub format: Format,
    /// Whether to say only what an import would do.
    pub dry_run: bool,
}

/// What an import did, or would do. Each line is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Lines with a sample.
    pub lines: usize,
    /// Lines that became a sample.
    pub imported: usize,
    /// Lines whose content was there already and that brought it a ground truth it did not have.
    pub labelled: usize,
    /// Lines whose content was there already, and that brought nothing new.
    pub duplicates: usize,
}

/// Imports a file. Nothing of it is written unless all of it is good.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a Judge; `CONFLICT` when it is archived, or changes meanwhile;
/// `VALIDATION_FAILED` with what is wrong, by line; what `file` fails with, when that is an [`Error`], else
/// `MALFORMED_BODY`.
pub async fn run(
    db: &Database,
    actor: &Actor,
    order: Order,
    file: impl Read + Send + 'static,
) -> Result<Imported> {
    actor.require(Role::Editor)?;
    let judge = judge::find(db, &actor.account, &order.judge).await?;
    if judge.archived_at.is_some() {
        return Err(archived());
    }
    let target = Target {
        questions: judge::questions(&judge.version.instructions)?,
        version: judge.version.number,
        judge: judge.id,
        actor: actor.clone(),
    };
    let format = order.format;
    let read = move || stage::read(BufReader::new(file), format, target);
    let staged = tokio::task::spawn_blocking(read).await.map_err(Error::internal)??;
    if order.dry_run { write::rehearse(db, staged).await } else { write::write(db, staged, format).await }
}

pub(super) fn archived() -> Error {
    Error::new(Code::Conflict, "the Judge is archived; bring it back before you import into it")
}
