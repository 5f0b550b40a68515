//! Resources: an account's Judges, each with its questions and the statistics of its samples.

use domain::{
    Error, Result,
    foundation::{
        page::{Page, Take},
        round::significant,
    },
    learning::{
        dataset::{
            SampleFilter,
            stats::{Latency, Statistics, Volume},
        },
        judge::{Judge, JudgeFilter, Judges},
    },
    services::Services,
};
use ports::id::{DatasetId, JudgeId};
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{identity::Identity, slots::AccountSlots};

/// What the URI of a Judge begins with; its id follows.
const PREFIX: &str = "gavel://judges/";
const JSON: &str = "application/json";
/// Judges on a page.
const PAGE: u64 = 100;
/// Resources that are read at once. Statistics are computed for each.
const READS: usize = 8;
const READS_PER_ACCOUNT: usize = 2;

/// The resources of all accounts. Cheap to clone.
#[derive(Clone)]
pub(super) struct JudgeResources {
    judges: Judges,
    statistics: Statistics,
    slots: AccountSlots,
}

/// A Judge, as the resource shows it.
#[derive(Serialize)]
struct JudgeContents {
    id: String,
    name: String,
    description: String,
    version: i32,
    instructions: Value,
    parameters: Map<String, Value>,
    store_content: bool,
    archived: bool,
    statistics: JudgeStatistics,
}

/// Of all samples of a Judge.
#[derive(Serialize)]
struct JudgeStatistics {
    /// Samples.
    count: u64,
    /// Samples with a ground truth for at least one question.
    labelled: u64,
    /// Credits spent on them.
    credits: f64,
    /// Null if no sample has a latency.
    latency_ms: Option<LatencyMs>,
}

/// Milliseconds.
#[derive(Serialize)]
struct LatencyMs {
    mean: f64,
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

impl JudgeResources {
    pub(super) fn new(services: &Services) -> Self {
        Self {
            judges: services.judges.clone(),
            statistics: services.statistics.clone(),
            slots: AccountSlots::new("reads of resources", READS, READS_PER_ACCOUNT),
        }
    }

    /// A page of the Judges that `identity` may read, newest first: none for a key without the scope. `cursor`: that of
    /// the page before.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a cursor that is not one.
    pub(super) async fn list(
        &self,
        identity: &Identity,
        cursor: Option<String>,
    ) -> Result<ListResourcesResult> {
        let Ok(actor) = identity.actor() else { return Ok(ListResourcesResult::default()) };
        let after = cursor.map(|cursor| JudgeId::parse(&cursor)).transpose().map_err(|_| {
            Error::invalid("cursor", "must be the `nextCursor` of another page, or be left out")
        })?;
        let page = Page { after: after.map(String::from), before: None, take: Take::First(PAGE) };
        let filter = JudgeFilter { archived: Some(false), name: None };
        let slice = self.judges.list(&actor.account, &filter, page).await?;
        let last = slice.items.last().filter(|_| slice.has_next).map(|judge| judge.id.to_string());
        let mut listed = ListResourcesResult::with_all_items(slice.items.iter().map(resource).collect());
        listed.next_cursor = last;
        Ok(listed)
    }

    /// A Judge by its URI.
    ///
    /// # Errors
    /// `FORBIDDEN` for a key with neither of the scopes `manage` and `read`; `NOT_FOUND`; `OVERLOADED` when too many
    /// resources are read at once.
    pub(super) async fn read(&self, identity: &Identity, uri: &str) -> Result<ReadResourceResult> {
        let actor = identity.actor()?;
        let id = JudgeId::parse(uri.strip_prefix(PREFIX).unwrap_or_default())?;
        let _permit = self.slots.acquire(&actor.account).await?;
        let judge = self.judges.find(&actor.account, &id).await?;
        let dataset = DatasetId::from(&id);
        let datasets = std::slice::from_ref(&dataset);
        let filter = SampleFilter::default();
        let volume = self.statistics.volumes(&actor.account, datasets, &filter).await?.remove(&dataset);
        let latency = self.statistics.latencies(&actor.account, datasets, &filter).await?.remove(&dataset);
        let statistics = JudgeStatistics::new(&volume.unwrap_or_default(), latency);
        let text = serde_json::to_string(&JudgeContents::new(judge, statistics)).map_err(Error::internal)?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(JSON)]))
    }
}

fn resource(judge: &Judge) -> Resource {
    let resource = Resource::new(format!("{PREFIX}{}", judge.id), &judge.name).with_mime_type(JSON);
    if judge.description.is_empty() { resource } else { resource.with_description(&judge.description) }
}

impl JudgeContents {
    fn new(judge: Judge, statistics: JudgeStatistics) -> Self {
        Self {
            id: judge.id.to_string(),
            name: judge.name,
            description: judge.description,
            version: judge.version.number,
            instructions: judge.version.instructions,
            parameters: judge.version.parameters,
            store_content: judge.store_content,
            archived: judge.archived_at.is_some(),
            statistics,
        }
    }
}

impl JudgeStatistics {
    fn new(volume: &Volume, latency: Option<Latency>) -> Self {
        Self {
            count: volume.count(),
            labelled: volume.labelled(),
            credits: volume.credits().credits(),
            latency_ms: latency.map(LatencyMs::from),
        }
    }
}

impl From<Latency> for LatencyMs {
    fn from(latency: Latency) -> Self {
        let Latency { mean, p50, p95, p99, max, .. } = latency;
        Self { mean: significant(mean), p50, p95, p99, max }
    }
}
