//! Mutations of sessions and passwords: signing in, up and out.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    Error,
    people::{
        account::NewPerson,
        session::{Attempt, NewPassword, SignedIn},
    },
};
use ports::id::SessionId;

use super::parse_id;
use crate::cookie;
use crate::graphql::{
    admission::Admission,
    context::{actor, current_actor, request_info, services},
    error::{FieldResult, UserError, field_error, split_user_errors},
    model::Viewer,
};

#[derive(Default)]
pub(crate) struct SessionMutation;

/// The credentials of a user.
#[derive(InputObject)]
struct SignInInput {
    /// The user's e-mail address.
    email: String,
    /// The user's password.
    password: String,
    /// A solution of `proofOfWorkChallenge`, as ALTCHA's libraries send it: base64 of a JSON object with the
    /// `challenge` and its `solution`. Needed where the query has a challenge, except on a device on which the user
    /// signed in before.
    proof_of_work: Option<String>,
}

/// A new user.
#[derive(InputObject)]
struct SignUpInput {
    /// The user's e-mail address, which no other user may have.
    email: String,
    /// The user's password: at least 10 characters.
    password: String,
    /// The token of an invitation to an account. Without one the user gets an account of their own, if the deployment
    /// lets everybody sign up.
    invite_token: Option<String>,
    /// A solution of `proofOfWorkChallenge`, as ALTCHA's libraries send it: base64 of a JSON object with the
    /// `challenge` and its `solution`. Needed where the query has a challenge.
    proof_of_work: Option<String>,
}

/// Whose password was forgotten.
#[derive(InputObject)]
struct RequestPasswordResetInput {
    /// The user's e-mail address.
    email: String,
    /// A solution of `proofOfWorkChallenge`, as in `signUp`. Needed where the query has a challenge.
    proof_of_work: Option<String>,
}

/// A new password by a link.
#[derive(InputObject)]
struct ResetPasswordInput {
    /// The `token` in the link of the e-mail.
    token: String,
    /// The new password: at least 10 characters.
    password: String,
}

/// The outcome of asking for a link.
#[derive(SimpleObject)]
struct RequestPasswordResetPayload {
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The sessions to end: either `ids` or `others`.
#[derive(InputObject)]
struct EndSessionsInput {
    /// The ids of the user's own sessions.
    #[graphql(default)]
    ids: Vec<ID>,
    /// Whether to end all the user's own sessions except the current one.
    #[graphql(default = false)]
    others: bool,
}

/// The old and the new password.
#[derive(InputObject)]
struct ChangePasswordInput {
    /// The current password.
    password: String,
    /// The new password: at least 10 characters.
    new_password: String,
}

/// The signed-in user, or errors. The session's secret is in the cookie of the HTTP response.
#[derive(SimpleObject)]
struct SignInPayload {
    /// The signed-in user; null if there were errors.
    viewer: Option<Viewer>,
    /// Errors in the input. A wrong password and an unknown e-mail address are the same error, with the code
    /// `UNAUTHORIZED`. A proof of work that is needed, and is missing, wrong, expired or used, is an error of the field
    /// `proofOfWork` with the code `VALIDATION_FAILED`.
    user_errors: Vec<UserError>,
}

/// The outcome of signing out.
#[derive(SimpleObject)]
struct SignOutPayload {
    /// Whether a user was signed in before.
    signed_out: bool,
    /// Always empty.
    user_errors: Vec<UserError>,
}

/// The number of ended sessions, or errors.
#[derive(SimpleObject)]
struct EndSessionsPayload {
    /// The number of sessions that were ended; null if there were errors.
    ended: Option<u64>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The outcome of the change of password, or errors.
#[derive(SimpleObject)]
struct ChangePasswordPayload {
    /// The signed-in user; null if the password was not changed.
    viewer: Option<Viewer>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl SessionMutation {
    /// Signs a user in for 30 days, with a cookie. The rest of the operation runs as that user. After five wrong
    /// passwords for an e-mail address from one network, signing in with it from there is refused for 15 minutes, with
    /// the code `RATE_LIMITED`, but not on devices on which its user signed in before.
    async fn sign_in(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The credentials.")] input: SignInInput,
    ) -> FieldResult<SignInPayload> {
        let service = services(ctx)?;
        let request_info = request_info(ctx)?;
        let attempt = Attempt {
            email: &input.email,
            password: &input.password,
            user_agent: &request_info.user_agent,
            network: request_info.network,
            device: request_info.device.as_ref(),
            proof_of_work: input.proof_of_work.as_deref(),
        };
        let signed_in = service.sign_in.sign_in(attempt).await;
        start_session(ctx, signed_in).await
    }

    /// Creates a user and signs them in: with an account of their own, or in the account of an invitation. The
    /// deployment's settings allow both, only invitations, or neither; otherwise `FORBIDDEN`.
    async fn sign_up(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The new user.")] input: SignUpInput,
    ) -> FieldResult<SignInPayload> {
        let service = services(ctx)?;
        let request_info = request_info(ctx)?;
        let new = NewPerson {
            email: input.email,
            password: input.password,
            invite: input.invite_token,
            user_agent: request_info.user_agent.clone(),
            network: request_info.network,
            proof_of_work: input.proof_of_work,
        };
        let signed_up = service.accounts.sign_up(new).await;
        start_session(ctx, signed_up).await
    }

    /// Sends a link that sets a new password, valid once and for an hour, if somebody signs in with this e-mail
    /// address; the answer does not say whether somebody does. `FORBIDDEN` where no e-mail is sent. After five requests for an
    /// address from one network, more are refused for 15 minutes with the code `RATE_LIMITED`.
    async fn request_password_reset(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The user.")] input: RequestPasswordResetInput,
    ) -> FieldResult<RequestPasswordResetPayload> {
        let network = request_info(ctx)?.network;
        let sign_in = &services(ctx)?.sign_in;
        let requested = sign_in.request_reset(&input.email, network, input.proof_of_work.as_deref()).await;
        let (_, user_errors) = split_user_errors(requested)?;
        Ok(RequestPasswordResetPayload { user_errors })
    }

    /// Sets a new password by the link of an e-mail, ends all sessions of its user and signs them in.
    async fn reset_password(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The link's token and the new password.")] input: ResetPasswordInput,
    ) -> FieldResult<SignInPayload> {
        let request_info = request_info(ctx)?;
        let new = NewPassword {
            token: &input.token,
            password: &input.password,
            user_agent: &request_info.user_agent,
            network: request_info.network,
        };
        start_session(ctx, services(ctx)?.sign_in.reset_password(new).await).await
    }

    /// Ends the current session and clears its cookie. Without a session it does nothing.
    async fn sign_out(&self, ctx: &Context<'_>) -> FieldResult<SignOutPayload> {
        let request_info = request_info(ctx)?;
        if let Some(actor) = &request_info.actor {
            services(ctx)?.sessions.sign_out(actor).await.map_err(field_error)?;
        }
        ctx.append_http_header("set-cookie", cookie::clear_session(request_info.secure));
        Ok(SignOutPayload { signed_out: request_info.actor.is_some(), user_errors: Vec::new() })
    }

    /// Ends sessions of the signed-in user: all of the given ones or, if one does not exist, none. Not for API keys.
    async fn end_sessions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The sessions.")] input: EndSessionsInput,
    ) -> FieldResult<EndSessionsPayload> {
        let sessions = &services(ctx)?.sessions;
        let actor = actor(ctx)?;
        let end = async {
            let ids: Vec<SessionId> = input.ids.iter().map(parse_id).collect();
            match (ids.is_empty(), input.others) {
                (true, true) => sessions.end_all_others(actor).await,
                (false, false) => sessions.end(actor, &ids).await,
                _ => Err(Error::invalid(
                    "ids",
                    "is required unless `others` is true; only one of the two may be given",
                )),
            }
        };
        let (ended, user_errors) = split_user_errors(end.await)?;
        Ok(EndSessionsPayload { ended, user_errors })
    }

    /// Changes the password of the signed-in user, and ends all their other sessions. Not for API keys.
    async fn change_password(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The old and the new password.")] input: ChangePasswordInput,
    ) -> FieldResult<ChangePasswordPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let change = service.sign_in.change_password(actor, &input.password, &input.new_password);
        let (changed, user_errors) = split_user_errors(change.await)?;
        if let Some(device) = &changed {
            ctx.append_http_header("set-cookie", cookie::set_device(device, request_info(ctx)?.secure));
        }
        Ok(ChangePasswordPayload { viewer: changed.map(|_| Viewer(actor.clone())), user_errors })
    }
}

/// Sets the cookies, and makes the signed-in user the actor of the rest of the operation, which counts for them.
async fn start_session(ctx: &Context<'_>, signed_in: domain::Result<SignedIn>) -> FieldResult<SignInPayload> {
    let admitted = async {
        let signed_in = signed_in?;
        let admission = ctx.data::<Admission>().map_err(|error| Error::internal(error.message))?;
        if let Err(refused) = admission.admit(&signed_in.actor).await {
            let services = services(ctx).map_err(|error| Error::internal(error.message))?;
            services.sessions.sign_out(&signed_in.actor).await?;
            return Err(refused);
        }
        Ok(signed_in)
    };
    let (signed_in, user_errors) = split_user_errors(admitted.await)?;
    if let Some(SignedIn { actor, secret, device }) = &signed_in {
        let secure = request_info(ctx)?.secure;
        ctx.append_http_header("set-cookie", cookie::set_session(secret.reveal(), secure));
        ctx.append_http_header("set-cookie", cookie::set_device(device, secure));
        current_actor(ctx)?.enter(services(ctx)?, actor.clone());
    }
    Ok(SignInPayload { viewer: signed_in.map(|signed_in| Viewer(signed_in.actor)), user_errors })
}
