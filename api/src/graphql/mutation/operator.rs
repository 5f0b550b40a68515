//! Credits and prices, for those who run the deployment.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{Error, account, amount::Amount, page::Slice};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, field_error, split_user_errors},
    model::{Customer, Operation, Price, customers},
};

/// Credits and prices, for those who run the deployment.
#[derive(Default)]
pub(crate) struct OperatorMutation;

/// Credits for an account.
#[derive(InputObject)]
struct GrantCreditsInput {
    /// The account.
    account_id: ID,
    /// How many, with at most three decimals; a negative number takes some back.
    amount: f64,
    /// Why, for the account's ledger; up to 200 characters.
    note: Option<String>,
}

/// A new price.
#[derive(InputObject)]
struct SetPriceInput {
    /// Of what.
    operation: Operation,
    /// What one of it costs, in credits with at most three decimals; 0 or more.
    credits: f64,
}

/// The account as it is now, or why nothing moved.
#[derive(SimpleObject)]
struct GrantCreditsPayload {
    /// The account; null when nothing moved.
    account: Option<Customer>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// The price as it is now, or why it did not change.
#[derive(SimpleObject)]
struct SetPricePayload {
    /// The price; null when it did not change.
    price: Option<Price>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl OperatorMutation {
    /// Gives an account credits, or takes some back. For operators.
    async fn grant_credits(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many, and to whom.")] input: GrantCreditsInput,
    ) -> FieldResult<GrantCreditsPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        actor.require_operator().map_err(field_error)?;
        let grant = async {
            let amount = amount("amount", input.amount)?;
            account::grant(
                (&service.db, &service.events),
                actor,
                &parse_id(&input.account_id),
                amount,
                input.note,
            )
            .await
        };
        let (row, user_errors) = split_user_errors(grant.await)?;
        let rows = Slice { items: row.into_iter().collect(), has_previous: false, has_next: false };
        let account = customers(ctx, actor, rows).await?.items.pop();
        Ok(GrantCreditsPayload { account, user_errors })
    }

    /// Sets a price, in force everywhere within a second. For operators.
    async fn set_price(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What of what.")] input: SetPriceInput,
    ) -> FieldResult<SetPricePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        actor.require_operator().map_err(field_error)?;
        let set = async {
            let credits = amount("credits", input.credits)?;
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
}

/// Credits as JSON has them.
fn amount(field: &str, credits: f64) -> domain::Result<Amount> {
    let wrong = |_| Error::invalid(field, "must be a number of credits with at most three decimals");
    credits.to_string().parse().map_err(wrong)
}
