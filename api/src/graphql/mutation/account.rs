//! Mutations of accounts.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};

use crate::cookie;
use crate::graphql::{
    context::{actor, request_info, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Account,
};

#[derive(Default)]
pub(crate) struct AccountMutation;

/// Changes of the account.
#[derive(InputObject)]
struct UpdateAccountInput {
    /// The new name: 1 to 100 characters on one line.
    name: String,
}

/// The confirmation that the account should be erased.
#[derive(InputObject)]
struct EraseAccountInput {
    /// The exact name of the account, so that nobody erases it by mistake.
    confirm: String,
}

/// The changed account, or errors.
#[derive(SimpleObject)]
struct AccountPayload {
    /// The account; null if nothing changed.
    account: Option<Account>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The erased account, or errors.
#[derive(SimpleObject)]
struct EraseAccountPayload {
    /// The id of the erased account; null if it was not erased.
    erased_account_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl AccountMutation {
    /// Renames the account. Needs the role owner.
    async fn update_account(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The changes.")] input: UpdateAccountInput,
    ) -> FieldResult<AccountPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let (row, user_errors) = split_user_errors(service.accounts.rename(actor, &input.name).await)?;
        Ok(AccountPayload { account: row.map(Account), user_errors })
    }

    /// Erases the account for good: its users, sessions, invitations, API keys, Judges, datasets, stored answers and
    /// audit log. The amounts in its ledger stay, without what they were for. Requests in progress fail and are not
    /// charged. Needs the role owner.
    async fn erase_account(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The confirmation.")] input: EraseAccountInput,
    ) -> FieldResult<EraseAccountPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let (erased, user_errors) = split_user_errors(service.accounts.erase(actor, &input.confirm).await)?;
        if erased.is_some() {
            ctx.append_http_header("set-cookie", cookie::clear_session(request_info(ctx)?.secure));
        }
        Ok(EraseAccountPayload {
            erased_account_id: erased.map(|()| ID(actor.account.to_string())),
            user_errors,
        })
    }
}
