//! Signing in and out, sessions, and one's own password.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    Error,
    account::{self, NewPerson},
    id::SessionId,
    session::{self, SignedIn},
};

use super::parse_id;
use crate::graphql::{
    context::{actor, current_actor, request_info, services},
    cookie,
    error::{FieldResult, UserError, field_error, split_user_errors},
    model::Viewer,
};

/// Signing in and out, sessions, and one's own password.
#[derive(Default)]
pub(crate) struct SessionMutation;

/// Who signs in.
#[derive(InputObject)]
struct SignInInput {
    /// Their e-mail address.
    email: String,
    /// Their password.
    password: String,
}

/// Who signs up.
#[derive(InputObject)]
struct SignUpInput {
    /// Their e-mail address; nobody else may have it.
    email: String,
    /// The password they choose, of at least 10 characters.
    password: String,
    /// The token of an invitation, to join the account it is from. Without one an account of their own is made, where the
    /// deployment lets everybody have one.
    invite_token: Option<String>,
}

/// Which sessions end.
#[derive(InputObject)]
struct EndSessionsInput {
    /// These ones of one's own.
    #[graphql(default)]
    ids: Vec<ID>,
    /// All of one's own but the one that this request comes with.
    #[graphql(default = false)]
    others: bool,
}

/// One's old and new password.
#[derive(InputObject)]
struct ChangePasswordInput {
    /// The present password.
    password: String,
    /// The new one, of at least 10 characters.
    new_password: String,
}

/// Who is signed in now, or why nobody is. The session's secret is in the answer's cookie.
#[derive(SimpleObject)]
struct SignInPayload {
    /// Who is signed in now; null when nobody is.
    viewer: Option<Viewer>,
    /// What was wrong with the input. A wrong password and an unknown address are the same to it, with the code
    /// `UNAUTHORIZED`.
    user_errors: Vec<UserError>,
}

/// That nobody is signed in any more.
#[derive(SimpleObject)]
struct SignOutPayload {
    /// Whether somebody was signed in before.
    signed_out: bool,
    /// Always empty.
    user_errors: Vec<UserError>,
}

/// How many sessions have ended, or why none has.
#[derive(SimpleObject)]
struct EndSessionsPayload {
    /// How many have ended; null when the input was wrong.
    ended: Option<u64>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// Whether the password has changed, or why not.
#[derive(SimpleObject)]
struct ChangePasswordPayload {
    /// Who is still signed in; null when the password is the old one.
    viewer: Option<Viewer>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl SessionMutation {
    /// Signs a person in for 30 days, with a cookie; what follows in the operation is done as them. After five wrong passwords
    /// for an address it is refused for a quarter of an hour, with the code `RATE_LIMITED`.
    async fn sign_in(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Who.")] input: SignInInput,
    ) -> FieldResult<SignInPayload> {
        let (service, request_info) = (services(ctx)?, request_info(ctx)?);
        let signing =
            service.sign_in.sign_in(&service.db, &input.email, &input.password, &request_info.user_agent);
        let signed_in = signing.await;
        start_session(ctx, signed_in)
    }

    /// Makes a person, and signs them in: in an account of their own, or in that of an invitation. Whether either may be is the
    /// deployment's setting; `FORBIDDEN` when not.
    async fn sign_up(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Who.")] input: SignUpInput,
    ) -> FieldResult<SignInPayload> {
        let (service, request_info) = (services(ctx)?, request_info(ctx)?);
        let new = NewPerson {
            email: input.email,
            password: input.password,
            invite: input.invite_token,
            user_agent: request_info.user_agent.clone(),
        };
        let signed_up = account::sign_up(&service.db, &service.sign_up, new).await;
        start_session(ctx, signed_up)
    }

    /// Ends the session that this request comes with, and has the browser forget its cookie. No error for a guest.
    async fn sign_out(&self, ctx: &Context<'_>) -> FieldResult<SignOutPayload> {
        let request_info = request_info(ctx)?;
        if let Some(actor) = &request_info.actor {
            session::sign_out(&services(ctx)?.db, actor).await.map_err(field_error)?;
        }
        ctx.append_http_header("set-cookie", cookie::clear_session(request_info.secure));
        Ok(SignOutPayload { signed_out: request_info.actor.is_some(), user_errors: Vec::new() })
    }

    /// Ends sessions of one's own: all that are named, or none of them. Not for API keys.
    async fn end_sessions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which.")] input: EndSessionsInput,
    ) -> FieldResult<EndSessionsPayload> {
        let (db, actor) = (&services(ctx)?.db, actor(ctx)?);
        let end = async {
            let ids: Vec<SessionId> = input.ids.iter().map(parse_id).collect();
            match (ids.is_empty(), input.others) {
                (true, true) => session::end_all_others(db, actor).await,
                (false, false) => session::end(db, actor, &ids).await,
                _ => Err(Error::invalid("ids", "or `others` says which sessions end, one of the two")),
            }
        };
        let (ended, user_errors) = split_user_errors(end.await)?;
        Ok(EndSessionsPayload { ended, user_errors })
    }

    /// Gives the person who is signed in a new password; all their other sessions end. Not for API keys.
    async fn change_password(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The old one and the new one.")] input: ChangePasswordInput,
    ) -> FieldResult<ChangePasswordPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let change =
            service.sign_in.change_password(&service.db, actor, &input.password, &input.new_password);
        let (changed, user_errors) = split_user_errors(change.await)?;
        Ok(ChangePasswordPayload { viewer: changed.map(|()| Viewer(actor.clone())), user_errors })
    }
}

/// Has the browser keep the secret of whoever has come in; from here on the operation is theirs.
fn start_session(ctx: &Context<'_>, signed_in: domain::Result<SignedIn>) -> FieldResult<SignInPayload> {
    let (signed_in, user_errors) = split_user_errors(signed_in)?;
    if let Some(SignedIn { actor, secret }) = &signed_in {
        let secure = request_info(ctx)?.secure;
        ctx.append_http_header("set-cookie", cookie::set_session(secret.reveal(), secure));
        current_actor(ctx)?.enter(services(ctx)?, actor.clone());
    }
    Ok(SignInPayload { viewer: signed_in.map(|signed_in| Viewer(signed_in.actor)), user_errors })
}
