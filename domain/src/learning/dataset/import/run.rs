//! Runs an import, from the file to the counts.

use std::io::{BufReader, Read};

use sha2::{Digest, Sha256};

use super::{
    ImportOptions, Imported, stage,
    validate::Target,
    write::{self, archived},
};
use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Role},
        json_schema::JsonSchema,
    },
    learning::dataset::Datasets,
};

impl Datasets {
    /// Imports a file: all of it, or nothing when any line is invalid.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a dataset; `CONFLICT` when its Judge is archived or changes
    /// meanwhile, when the account's quota is used up, and those of an `Idempotency-Key`; `VALIDATION_FAILED` with the
    /// problems by line; the error of `file` when it is an [`Error`], else `MALFORMED_BODY`.
    pub async fn import(
        &self,
        actor: &Actor,
        options: ImportOptions,
        file: impl Read + Send + 'static,
    ) -> Result<Imported> {
        actor.require(Role::Editor)?;
        let owner = self.find_owner(&actor.account, &options.dataset).await?;
        if owner.archived_at().is_some() {
            return Err(archived());
        }
        let schema = owner.version().state_schema.as_ref();
        let schema = schema.map(|schema| JsonSchema::parse("stateSchema", schema)).transpose();
        let target = Target {
            questions: owner.version().questions()?,
            state_schema: schema.map_err(Error::internal)?,
            version: owner.version().number,
            dataset: owner.id(),
            actor: actor.clone(),
        };
        let format = options.format;
        let read = tokio::task::spawn_blocking(move || {
            let mut file = Hashing { file, hash: Sha256::new() };
            let staged = stage::read(BufReader::new(&mut file), format, target)?;
            Ok::<_, Error>((staged, file.hash))
        });
        let (staged, hash) = read.await.map_err(Error::internal)??;
        if options.dry_run {
            return write::dry_run(self, staged).await;
        }
        let Some(once) = options.once else { return write::write(self, staged, format, None).await };
        let request = (options.dataset.as_str(), <&str>::from(format), format!("{:x}", hash.finalize()));
        once.run(&actor.account, "dataset.import", &request, |claim| async move {
            write::write(self, staged, format, Some(&claim)).await
        })
        .await
    }
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
