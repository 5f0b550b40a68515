//! The operators' mutations: credits and prices.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    Error,
    foundation::{actor::Actor, page::Slice},
    money::amount::Amount,
    people::account::{AccountRow, CreditGrant},
};
use ports::id::AccountId;

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, field_error, split_user_errors},
    model::{Customer, Job, Operation, Price, customers},
};

#[derive(Default)]
pub(crate) struct OperatorMutation;

/// Credits for an account.
#[derive(InputObject)]
struct GrantCreditsInput {
    /// The account's id.
    account_id: ID,
    /// The credits to add, with at most three decimals; a negative number takes credits back.
    amount: f64,
    /// A note for the account's ledger, up to 200 characters.
    note: Option<String>,
}

/// The rate limit of an account.
#[derive(InputObject)]
struct SetAccountRateLimitInput {
    /// The account's id.
    account_id: ID,
    /// Requests per minute of all its API keys together, and of each signed-in user: 0 for no limit, null for the
    /// deployment's limit.
    rate_limit_per_minute: Option<u32>,
}

/// The backends of an account.
#[derive(InputObject)]
struct SetAccountBackendsInput {
    /// The account's id.
    account_id: ID,
    /// The names of the backends that it may use beside the default model; null for all.
    backends: Option<Vec<String>>,
}

/// A new price.
#[derive(InputObject)]
struct SetPriceInput {
    /// The operation.
    operation: Operation,
    /// The price of one in credits, with at most three decimals; 0 or more.
    credits: f64,
}

/// The background job to retry.
#[derive(InputObject)]
struct RetryJobInput {
    /// The job's id.
    id: ID,
}

/// The background job to cancel.
#[derive(InputObject)]
struct CancelJobInput {
    /// The job's id.
    id: ID,
}

/// The job as it is now, or errors.
#[derive(SimpleObject)]
struct JobPayload {
    /// The job; null if it did not change.
    job: Option<Job>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The account with its new balance, or errors.
#[derive(SimpleObject)]
struct GrantCreditsPayload {
    /// The account; null if its balance did not change.
    account: Option<Customer>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The new price, or errors.
#[derive(SimpleObject)]
struct SetPricePayload {
    /// The price; null if it did not change.
    price: Option<Price>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed account, or errors.
#[derive(SimpleObject)]
struct CustomerPayload {
    /// The account; null if nothing changed.
    customer: Option<Customer>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl OperatorMutation {
    /// Gives an account credits or takes credits back. For operators only.
    async fn grant_credits(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The account and the credits.")] input: GrantCreditsInput,
    ) -> FieldResult<GrantCreditsPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let grant = async {
            let amount = Amount::from_credits("amount", input.amount)?;
            let grant = CreditGrant { account: parse_id(&input.account_id), amount, note: input.note };
            service.accounts.grant(&service.events, actor, grant).await
        };
        let (row, user_errors) = split_user_errors(grant.await)?;
        let rows = Slice { items: row.into_iter().collect(), has_previous: false, has_next: false };
        let account = customers(ctx, actor, rows).await?.items.pop();
        Ok(GrantCreditsPayload { account, user_errors })
    }

    /// Limits the requests of an account, with effect on all replicas within seconds. For operators only.
    async fn set_account_rate_limit(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The account and its limit.")] input: SetAccountRateLimitInput,
    ) -> FieldResult<CustomerPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let set = async {
            let id: AccountId = parse_id(&input.account_id);
            service.accounts.set_rate_limit(actor.name(), &id, input.rate_limit_per_minute).await?;
            service.accounts.find(&id).await
        };
        changed_customer(ctx, actor, set.await).await
    }

    /// Limits an account, with its API keys and users, to some backends, with effect on all replicas within seconds.
    /// For operators only.
    async fn set_account_backends(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The account and its backends.")] input: SetAccountBackendsInput,
    ) -> FieldResult<CustomerPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let set = async {
            let id: AccountId = parse_id(&input.account_id);
            let backends = service.inference.allowed("backends", input.backends)?;
            service.accounts.set_backends(actor.name(), &id, &backends).await?;
            service.accounts.find(&id).await
        };
        changed_customer(ctx, actor, set.await).await
    }

    /// Sets a price. It takes effect on all replicas within a second. For operators only.
    async fn set_price(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The operation and its price.")] input: SetPriceInput,
    ) -> FieldResult<SetPricePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let set = async {
            let credits = Amount::from_credits("credits", input.credits)?;
            if credits.milli() < 0 {
                return Err(Error::invalid("credits", "must not be negative"));
            }
            service.billing.prices.set_by(actor, input.operation.into(), credits).await?;
            service.billing.prices.list().await
        };
        let (prices, user_errors) = split_user_errors(set.await)?;
        let price = prices.into_iter().flatten().find(|price| price.operation == input.operation.into());
        Ok(SetPricePayload { price: price.map(Price::from), user_errors })
    }

    /// Runs a queued job now and resets its attempts; a failed webhook delivery is queued again. For operators only.
    async fn retry_job(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The job.")] input: RetryJobInput,
    ) -> FieldResult<JobPayload> {
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let retried = services(ctx)?.jobs.retry(actor.name(), &parse_id(&input.id)).await;
        let (row, user_errors) = split_user_errors(retried)?;
        Ok(JobPayload { job: row.map(Job::from), user_errors })
    }

    /// Cancels a job: a worker ends it within seconds and releases the credits that it held. For operators only.
    async fn cancel_job(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The job.")] input: CancelJobInput,
    ) -> FieldResult<JobPayload> {
        let actor = actor(ctx)?;
        actor.require_operator().map_err(field_error)?;
        let cancelled = services(ctx)?.jobs.cancel(actor.name(), &parse_id(&input.id)).await;
        let (row, user_errors) = split_user_errors(cancelled)?;
        Ok(JobPayload { job: row.map(Job::from), user_errors })
    }
}

async fn changed_customer(
    ctx: &Context<'_>,
    actor: &Actor,
    changed: domain::Result<AccountRow>,
) -> FieldResult<CustomerPayload> {
    let (row, user_errors) = split_user_errors(changed)?;
    let rows = Slice { items: row.into_iter().collect(), has_previous: false, has_next: false };
    let customer = customers(ctx, actor, rows).await?.items.pop();
    Ok(CustomerPayload { customer, user_errors })
}
