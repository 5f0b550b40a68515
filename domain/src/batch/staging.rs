//! Stores the chunks of a batch while it is uploaded, before it is visible.

use std::{
    collections::HashMap,
    io::{self, Read},
};

use chrono::Utc;
use entity::{batch, batch_chunk};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio::{runtime::Handle, sync::mpsc};

use super::{
    access::Submitter,
    batches::Batches,
    discard::DiscardOnDrop,
    item::{Item, ItemCounts, ItemRequest},
    read::{self, Format, NewChunk, Uploaded},
    store::UPLOADING,
};
use crate::{
    Code, Error, Result,
    foundation::database::Database,
    money::amount::Amount,
    operations::{inference::RoutePrice, moderation::TextMessage},
};
use ports::id::{BatchId, JobId, JudgeId};

/// Chunks that wait to be stored.
const QUEUED_CHUNKS: usize = 1;

/// A batch that is stored and not visible. Discarded when dropped, or later if the process dies.
pub(super) struct Staged {
    pub(super) id: BatchId,
    pub(super) uploaded: Uploaded,
    pub(super) chunks: i32,
    pub(super) total: usize,
    /// The SHA-256 of the body.
    pub(super) hash: String,
    discard: DiscardOnDrop<batch::Entity>,
}

impl Staged {
    /// Keeps the batch, which is visible now.
    pub(super) fn keep(&self) {
        self.discard.keep();
    }
}

/// How items are read.
pub(super) struct ItemSource {
    pub(super) format: Format,
    /// The only path that they may have, if there is one.
    pub(super) endpoint: Option<String>,
}

/// Reads and stores an upload.
///
/// # Errors
/// As [`read::read`]; `FORBIDDEN` for an item whose scope the submitter lacks. Nothing stays stored then.
pub(super) async fn stage(
    batches: &Batches,
    submitter: &Submitter,
    source: ItemSource,
    file: impl Read + Send + 'static,
) -> Result<Staged> {
    let ItemSource { format, endpoint } = source;
    let db = &batches.paid.db;
    let id = BatchId::new();
    insert(db, submitter, &id).await?;
    let staged = batch::Entity::delete_many()
        .filter(batch::Column::Id.eq(id.as_str()))
        .filter(batch::Column::Status.eq(UPLOADING));
    let discard = DiscardOnDrop::new(db.clone(), staged);
    let (sender, mut chunks) = mpsc::channel::<NewChunk>(QUEUED_CHUNKS);
    let mut checker = Checker {
        batches: batches.clone(),
        submitter: submitter.clone(),
        endpoint,
        judges: HashMap::new(),
        runtime: Handle::current(),
    };
    let max_items = batches.limits.items;
    let reading = tokio::task::spawn_blocking(move || {
        let mut file = Hashing { file, hash: Sha256::new() };
        let uploaded = read::read(
            &mut file,
            format,
            max_items,
            |item| checker.check(item),
            |chunk| sender.blocking_send(chunk).map_err(|_| not_stored()),
        )?;
        Ok::<_, Error>((uploaded, format!("{:x}", file.hash.finalize())))
    });
    let mut count = 0;
    let mut total = 0;
    let mut stored = Ok(());
    while let Some(chunk) = chunks.recv().await {
        total += chunk.total;
        let row = batch_chunk::ActiveModel {
            batch_id: Set(id.to_string()),
            number: Set(count),
            total: Set(i32::try_from(chunk.total).unwrap_or(i32::MAX)),
            items: Set(chunk.items),
            id_bytes: Set(i32::try_from(chunk.id_bytes).unwrap_or(i32::MAX)),
            ..Default::default()
        };
        let insert = batch_chunk::Entity::insert(row).exec_without_returning(db.write());
        if let Err(error) = db.in_time(insert).await {
            stored = Err(error);
            break;
        }
        count += 1;
    }
    drop(chunks);
    let read = reading.await.map_err(Error::internal)?;
    stored?;
    let (uploaded, hash) = read?;
    Ok(Staged { id, uploaded, chunks: count, total, hash, discard })
}

fn not_stored() -> Error {
    Error::internal("the chunks of a batch could not be stored")
}

async fn insert(db: &Database, submitter: &Submitter, id: &BatchId) -> Result<()> {
    let now = Utc::now();
    let row = batch::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(submitter.account.to_string()),
        job_id: Set(JobId::new().into()),
        submitted_by: Set(submitter.name.clone()),
        status: Set(UPLOADING.to_owned()),
        metadata: Set("{}".to_owned()),
        created_at: Set(now),
        expires_at: Set(now),
        ..Default::default()
    };
    db.in_time(batch::Entity::insert(row).exec_without_returning(db.write())).await?;
    Ok(())
}

/// Validates items as their endpoints would.
struct Checker {
    batches: Batches,
    submitter: Submitter,
    /// The only path that items may have, if there is one.
    endpoint: Option<String>,
    /// The parameters of Judges that were looked for, if they were found.
    judges: HashMap<JudgeId, Option<Map<String, Value>>>,
    runtime: Handle,
}

impl Checker {
    fn check(&mut self, item: &Item) -> Result<ItemCounts> {
        if let Some(endpoint) = self.endpoint.as_ref().filter(|endpoint| **endpoint != item.url) {
            return Err(Error::invalid("url", format!("must be the batch's endpoint, {endpoint}")));
        }
        let request = self.batches.wire.parse(&item.url, &item.body)?;
        let scope = request.scope();
        if !self.submitter.scopes.contains(&scope) {
            let message = format!("this API key lacks the scope `{}` for `{}`", scope.as_str(), item.url);
            return Err(Error::new(Code::Forbidden, message));
        }
        let route = match &request {
            ItemRequest::Text(_) | ItemRequest::Mixed(_) => RoutePrice::default(),
            ItemRequest::Decision(decision) => self
                .batches
                .inference
                .check(decision, &self.submitter.backends)
                .map_err(|error| error.within("body"))?,
            ItemRequest::Inference(draft) => {
                let inference = self.batches.inference.clone();
                let backends = self.submitter.backends.clone();
                let parameters = match draft.judge() {
                    Some(id) => Some(self.parameters(id)?.ok_or_else(|| {
                        Error::invalid("url", "names a Judge that does not exist or is archived")
                    })?),
                    None => None,
                };
                draft.check_route(&inference, &backends, parameters).map_err(|error| error.within("body"))?
            }
        };
        Ok(request.counts(route, self.surcharge(request.texts())?))
    }

    /// What texts cost more for the rules in plain language of their policies.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a policy that the account does not have.
    fn surcharge(&self, texts: &[TextMessage]) -> Result<Amount> {
        let mut all = Amount::default();
        for text in texts.iter().filter(|text| text.policy.is_some()) {
            let policies = &self.batches.policies;
            let surcharge = policies.surcharge_of(&self.submitter.account, text);
            let surcharge = self.runtime.block_on(surcharge).map_err(|error| match error.code {
                Code::NotFound => {
                    Error::invalid("body.policy", "names a moderation policy that does not exist")
                }
                _ => error,
            })?;
            all = all.plus(surcharge)?;
        }
        Ok(all)
    }

    /// The parameters of a Judge that answers; none if there is no such Judge.
    fn parameters(&mut self, id: &JudgeId) -> Result<Option<&Map<String, Value>>> {
        if !self.judges.contains_key(id) {
            let found = match self.runtime.block_on(self.batches.judges.find(&self.submitter.account, id)) {
                Ok(judge) => judge.archived_at.is_none().then_some(judge.version.parameters),
                // A moderation log is a conflict.
                Err(error) if matches!(error.code, Code::NotFound | Code::Conflict) => None,
                Err(error) => return Err(error),
            };
            self.judges.insert(id.clone(), found);
        }
        Ok(self.judges.get(id).and_then(Option::as_ref))
    }
}

/// A file whose hash is computed while it is read.
struct Hashing<F> {
    file: F,
    hash: Sha256,
}

impl<F: Read> Read for Hashing<F> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.hash.update(&to[..read]);
        Ok(read)
    }
}
