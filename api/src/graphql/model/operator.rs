//! What those see who run the deployment: every account's money, and the prices. Nothing of what an account has.

use std::collections::HashMap;

use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use domain::{account, actor::Actor, amount::Amount, id::AccountId, page::Slice, pricing};

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, cost},
};

/// The deployment, for those who run it.
pub(crate) struct Operator(pub(crate) Actor);

/// The deployment, for those who run it.
#[Object]
impl Operator {
    /// All accounts, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn accounts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(
            desc = "Only those with this in their name or in actor_scope's address, whatever the case, or with this id."
        )]
        query: Option<String>,
    ) -> FieldResult<CustomerConnection> {
        let db = services(ctx)?.db.clone();
        let page = PageArgs { first, after, last, before }.page::<String>("operator.accounts")?;
        let slice = account::all(&db, &self.0, query.as_deref(), page).await.map_err(field_error)?;
        let slice = customers(ctx, &self.0, slice).await?;
        let actor = self.0.clone();
        let count = move || {
            let (db, actor, query) = (db.clone(), actor.clone(), query.clone());
            Box::pin(async move { account::count_all(&db, &actor, query.as_deref()).await }) as _
        };
        let key = |customer: &Customer| customer.id.to_string();
        Ok(connection("operator.accounts", slice, key, |customer| customer, Box::new(count)))
    }

    /// What operations cost.
    async fn prices(&self, ctx: &Context<'_>) -> FieldResult<Vec<Price>> {
        let prices = services(ctx)?.billing.prices.list().await.map_err(field_error)?;
        Ok(prices.into_iter().map(Price::from).collect())
    }
}

/// An account as an operator sees it: whose it is, and its money.
#[derive(SimpleObject)]
pub(crate) struct Customer {
    /// `acc_…`
    id: ID,
    /// A person's word for it.
    name: String,
    /// The addresses of its owners.
    owners: Vec<String>,
    /// Credits owned, held ones included.
    balance: f64,
    /// Credits set aside for work under way.
    held: f64,
    /// Credits left to spend: the balance less what is held.
    available: f64,
    /// Requests a minute for each of its keys, and for each person who is signed in: 0 for no limit, null for the deployment's.
    rate_limit_per_minute: Option<i32>,
    /// When it was created.
    created_at: DateTime,
    /// Since when it is erased; null while it is not.
    erased_at: Option<DateTime>,
}

/// A page of accounts.
pub(crate) type CustomerConnection = ListConnection<Customer>;

/// Something that has a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Operation {
    /// One text message.
    Text,
    /// One image.
    Image,
    /// One decision inference.
    Inference,
    /// One Judge Checkpoint.
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

/// What an operation costs.
#[derive(SimpleObject)]
pub(crate) struct Price {
    /// What.
    operation: Operation,
    /// What one of it costs, in credits.
    credits: f64,
    /// When that was last set.
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

/// Accounts with the addresses of their owners, which are read in one statement.
pub(crate) async fn customers(
    ctx: &Context<'_>,
    actor: &Actor,
    slice: Slice<account::Row>,
) -> FieldResult<Slice<Customer>> {
    let ids: Vec<AccountId> = slice.items.iter().map(|row| AccountId::from(row.id.clone())).collect();
    let mut owners: HashMap<AccountId, Vec<String>> = HashMap::new();
    for (id, email) in account::owners(&services(ctx)?.db, actor, &ids).await.map_err(field_error)? {
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
        created_at: row.created_at.into(),
        erased_at: row.erased_at.map(DateTime),
    }))
}
