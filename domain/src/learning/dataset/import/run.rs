//! Runs an import, from the file to the counts.

use std::io::{BufReader, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{stage, validate::Target, write};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        database::Database,
    },
    learning::judge,
    money::idempotency::Once,
};
use ports::id::JudgeId;

/// The format of an imported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// One row per line, with a header.
    Csv,
}

impl Format {
    pub const ALL: [Format; 2] = [Format::Jsonl, Format::Csv];

    pub fn as_str(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
        }
    }
}

/// The options of an import.
pub struct ImportOptions {
    /// The Judge whose dataset receives the samples.
    pub judge: JudgeId,
    pub format: Format,
    /// Returns the counts without writing anything.
    pub dry_run: bool,
    /// The client's `Idempotency-Key`, if it sent one.
    pub once: Option<Once>,
}

/// The result of an import, or of its dry run. Each line is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// Lines with a sample.
    pub lines: usize,
    /// Lines that became a sample.
    pub imported: usize,
    /// Lines with known content that brought a missing ground truth.
    pub labelled: usize,
    /// Lines with known content that brought nothing new.
    pub duplicates: usize,
}

/// Imports a file: all of it, or nothing when any line is invalid.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a Judge; `CONFLICT` when it is archived, or changes
/// meanwhile, when the account's quota is used up, and those of an `Idempotency-Key`; `VALIDATION_FAILED` with the
/// problems by line; the error of `file` when it is an [`Error`], else `MALFORMED_BODY`.
pub async fn run(
    db: &Database,
    actor: &Actor,
    options: ImportOptions,
    file: impl Read + Send + 'static,
) -> Result<Imported> {
    actor.require(Role::Editor)?;
    let judge = judge::find(db, &actor.account, &options.judge).await?;
    if judge.archived_at.is_some() {
        return Err(archived());
    }
    let target = Target {
        questions: judge::questions(&judge.version.instructions)?,
        version: judge.version.number,
        judge: judge.id,
        actor: actor.clone(),
    };
    let format = options.format;
    let read = move || {
        let mut file = Hashing { file, hash: Sha256::new() };
        let staged = stage::read(BufReader::new(&mut file), format, target)?;
        Ok::<_, Error>((staged, file.hash))
    };
    let (staged, hash) = tokio::task::spawn_blocking(read).await.map_err(Error::internal)??;
    if options.dry_run {
        return write::dry_run(db, staged).await;
    }
    let Some(once) = options.once else { return write::write(db, staged, format, None).await };
    let request = (options.judge.as_str(), format.as_str(), format!("{:x}", hash.finalize()));
    let work = |claim| async move { write::write(db, staged, format, Some(&claim)).await };
    once.run(&actor.account, "dataset.import", &request, work).await
}

/// A file whose hash is computed while it is read.
struct Hashing<F> {
    file: F,
    hash: Sha256,
}

impl<F: Read> Read for Hashing<F> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(to)?;
        self.hash.update(&to[..read]);
        Ok(read)
    }
}

pub(super) fn archived() -> Error {
    Error::new(Code::Conflict, "the Judge is archived; bring it back before you import into it")
}
