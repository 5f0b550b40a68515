//! The operators' view of the deployment: accounts with their balances, and prices. It shows no account's Judges,
//! samples or keys.

use std::{collections::HashMap, sync::Arc};

use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use domain::{
    Error,
    background::job::{self, JobFilter},
    foundation::{
        actor::Actor, allowed_backends::AllowedBackends, failed_requests::FailedRequestFilter, page::Slice,
    },
    money::{amount::Amount, pricing},
    people::account,
    services::Probes,
};
use ports::id::AccountId;

use super::{
    deployed_backend::{DeployedBackend, backends},
    deployment::{DeployedModel, DeploymentHealth, JobQueue},
    failed_request::{FailedRequestConnection, failed_requests},
    job::{Job, JobConnection, JobState},
    worker::{Worker, workers},
};

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, cost, count_of},
};

/// The complexity of hashing the models.
const MODELS_COST: usize = 500;
/// The complexity of probing the backends' servers.
const BACKENDS_COST: usize = 100;

pub(crate) struct Operator(pub(crate) Actor);

/// The deployment, as its operators see it.
#[Object]
impl Operator {
    /// All accounts, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn accounts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(
            desc = "Only the account with this id, and accounts with this in their name or in a member's e-mail \
                    address, in upper or lower case."
        )]
        query: Option<String>,
    ) -> FieldResult<CustomerConnection> {
        let accounts = services(ctx)?.accounts.clone();
        let page = PageArgs { first, after, last, before }.page::<String>("operator.accounts")?;
        let slice = accounts.all(&self.0, query.as_deref(), page).await.map_err(field_error)?;
        let slice = customers(ctx, &self.0, slice).await?;
        let count = count_of((accounts, self.0.clone(), query), |(accounts, actor, query)| async move {
            accounts.count_all(&actor, query.as_deref()).await
        });
        Ok(connection(
            "operator.accounts",
            slice,
            |customer: &Customer| customer.id.to_string(),
            |customer| customer,
            count,
        ))
    }

    /// Background jobs of all accounts, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn jobs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only jobs in this state.")] state: Option<JobState>,
        #[graphql(desc = "Only jobs for this batch, Checkpoint, evaluation or webhook.")] subject: Option<ID>,
    ) -> FieldResult<JobConnection> {
        let jobs = services(ctx)?.jobs.clone();
        let page = PageArgs { first, after, last, before }.page::<String>("operator.jobs")?;
        let subject = subject.map(|id| id.to_string()).filter(|id| !id.contains('\0'));
        let filter = JobFilter { state: state.map(job::JobState::from), kind: None, subject };
        let slice = jobs.list(filter.clone(), page).await.map_err(field_error)?.map(Job::from);
        let count = count_of((jobs, filter), |(jobs, filter)| async move { jobs.count(filter).await });
        Ok(connection("operator.jobs", slice, |job: &Job| job.id.to_string(), |job| job, count))
    }

    /// The version of the process that answers.
    async fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Whether each part works.
    async fn health(&self, ctx: &Context<'_>) -> FieldResult<DeploymentHealth> {
        let probes =
            ctx.data::<Arc<Probes>>().map_err(|error| field_error(Error::internal(error.message)))?;
        Ok(probes.read().await.into())
    }

    /// The open background jobs by lane.
    async fn queues(&self, ctx: &Context<'_>) -> FieldResult<Vec<JobQueue>> {
        let states = services(ctx)?.jobs.queue_states().await.map_err(field_error)?;
        Ok(JobQueue::all(&states))
    }

    /// The workers that have reported within a day, up to 200, those first that have started last.
    async fn workers(&self, ctx: &Context<'_>) -> FieldResult<Vec<Worker>> {
        workers(ctx).await
    }

    /// The models of the process that answers. Hashing them takes most of a second.
    #[graphql(complexity = "MODELS_COST + child_complexity")]
    async fn models(&self, ctx: &Context<'_>) -> FieldResult<Vec<DeployedModel>> {
        let Some(catalog) = services(ctx)?.models.clone() else { return Ok(Vec::new()) };
        let listed = tokio::task::spawn_blocking(move || catalog.list()).await;
        let listed = listed.map_err(Error::internal).and_then(|models| models.map_err(Error::internal));
        Ok(listed.map_err(field_error)?.into_iter().map(DeployedModel::from).collect())
    }

    /// The backends of inferences, with what they have answered in the process that answers since it started. Asks the
    /// servers whether they work, each at most every 15 seconds.
    #[graphql(complexity = "BACKENDS_COST + child_complexity")]
    async fn backends(&self, ctx: &Context<'_>) -> FieldResult<Vec<DeployedBackend>> {
        backends(ctx).await
    }

    /// Requests of all accounts that failed with a status from 500, newest first, kept for 14 days.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn failed_requests(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only the request with this id.")] request_id: Option<ID>,
    ) -> FieldResult<FailedRequestConnection> {
        let filter = FailedRequestFilter {
            request: request_id.map(|id| id.to_string()),
            ..FailedRequestFilter::default()
        };
        failed_requests(ctx, filter, PageArgs { first, after, last, before }).await
    }

    /// The prices of operations.
    async fn prices(&self, ctx: &Context<'_>) -> FieldResult<Vec<Price>> {
        let prices = services(ctx)?.billing.prices.list().await.map_err(field_error)?;
        Ok(prices.into_iter().map(Price::from).collect())
    }
}

/// An account as operators see it: its owners and its credits.
#[derive(SimpleObject)]
pub(crate) struct Customer {
    /// The account's id, `acc_…`.
    id: ID,
    /// The account's name.
    name: String,
    /// The e-mail addresses of the account's owners.
    owners: Vec<String>,
    /// Credits that the account owns, held ones included.
    balance: f64,
    /// Credits that are set aside for work in progress.
    held: f64,
    /// Credits that can be spent: the balance minus the held credits.
    available: f64,
    /// The rate limit of all its API keys together, and of each signed-in user, in requests per minute: 0 for no limit,
    /// null for the deployment's limit.
    rate_limit_per_minute: Option<i32>,
    /// The names of the backends that the account may use beside the default model; null for all.
    backends: Option<Vec<String>>,
    /// When the account was created.
    created_at: DateTime,
    /// When the account was erased; null if it was not.
    erased_at: Option<DateTime>,
}

pub(crate) type CustomerConnection = ListConnection<Customer>;

/// An operation that has a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Operation {
    /// The moderation of a text message.
    Text,
    /// The moderation of an image.
    Image,
    /// An inference.
    Inference,
    /// A Judge Checkpoint.
    Checkpoint,
}

impl From<pricing::Operation> for Operation {
    fn from(operation: pricing::Operation) -> Self {
        match operation {
            pricing::Operation::Text => Operation::Text,
            pricing::Operation::Image => Operation::Image,
            pricing::Operation::Inference => Operation::Inference,
            pricing::Operation::Checkpoint => Operation::Checkpoint,
        }
    }
}

impl From<Operation> for pricing::Operation {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Text => pricing::Operation::Text,
            Operation::Image => pricing::Operation::Image,
            Operation::Inference => pricing::Operation::Inference,
            Operation::Checkpoint => pricing::Operation::Checkpoint,
        }
    }
}

/// The price of an operation.
#[derive(SimpleObject)]
pub(crate) struct Price {
    /// The operation.
    operation: Operation,
    /// The price of one, in credits.
    credits: f64,
    /// When the price was last set.
    updated_at: DateTime,
}

impl From<pricing::Price> for Price {
    fn from(price: pricing::Price) -> Self {
        Self {
            operation: price.operation.into(),
            credits: price.amount.credits(),
            updated_at: price.updated_at.into(),
        }
    }
}

/// Accounts with the e-mail addresses of their owners, which are read in one statement.
pub(crate) async fn customers(
    ctx: &Context<'_>,
    actor: &Actor,
    slice: Slice<account::AccountRow>,
) -> FieldResult<Slice<Customer>> {
    let ids: Vec<AccountId> = slice.items.iter().map(|row| AccountId::from(row.id.clone())).collect();
    let mut owners: HashMap<AccountId, Vec<String>> = HashMap::new();
    for (id, email) in services(ctx)?.accounts.owners(actor, &ids).await.map_err(field_error)? {
        owners.entry(id).or_default().push(email);
    }
    Ok(slice.map(|row| Customer {
        owners: owners.remove(&AccountId::from(row.id.clone())).unwrap_or_default(),
        id: ID(row.id),
        name: row.name,
        balance: Amount::from_milli(row.balance).credits(),
        held: Amount::from_milli(row.held).credits(),
        available: Amount::from_milli(row.balance - row.held).credits(),
        rate_limit_per_minute: row.rate_limit_per_minute,
        backends: AllowedBackends::stored(row.backends.as_deref()).names().map(<[_]>::to_vec),
        created_at: row.created_at.into(),
        erased_at: row.erased_at.map(DateTime),
    }))
}
