//! An account's name and its end.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::account;

use crate::graphql::{
    context::{actor, request_info, services},
    cookie,
    error::{FieldResult, UserError, split_user_errors},
    model::Account,
};

/// An account's name and its end.
#[derive(Default)]
pub(crate) struct AccountMutation;

/// What should change of the account.
#[derive(InputObject)]
struct UpdateAccountInput {
    /// 1 to 100 characters on one line.
    name: String,
}

/// That the account should end.
#[derive(InputObject)]
struct EraseAccountInput {
    /// The account's name, letter by letter, so that nobody does it by mistake.
    confirm: String,
}

/// The account as it is now, or why nothing changed.
#[derive(SimpleObject)]
struct AccountPayload {
    /// The account; null when nothing changed.
    account: Option<Account>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// Which account is gone, or why it is not.
#[derive(SimpleObject)]
struct EraseAccountPayload {
    /// The id that the account had; null when it is still there.
    erased_account_id: Option<ID>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl AccountMutation {
    /// Renames the account. Needs the role owner.
    async fn update_account(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What should change.")] input: UpdateAccountInput,
    ) -> FieldResult<AccountPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let (row, user_errors) = split_user_errors(account::rename(&service.db, actor, &input.name).await)?;
        Ok(AccountPayload { account: row.map(Account), user_errors })
    }

    /// Erases the account for good: its people, sessions, invitations, API keys, Judges, datasets, stored answers and audit log.
    /// What its ledger comes to stays, without saying what for. Requests still under way fail uncharged. Needs the role owner.
    async fn erase_account(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "That it is meant.")] input: EraseAccountInput,
    ) -> FieldResult<EraseAccountPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let (erased, user_errors) =
            split_user_errors(account::erase(&service.db, actor, &input.confirm).await)?;
        if erased.is_some() {
            ctx.append_http_header("set-cookie", cookie::clear_session(request_info(ctx)?.secure));
        }
        Ok(EraseAccountPayload {
            erased_account_id: erased.map(|()| ID(actor.account.to_string())),
            user_errors,
        })
    }
}
