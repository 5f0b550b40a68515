//! Who is in an account, and as what.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::account;

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{Invite, Role, User},
};

/// Who is in an account, and as what.
#[derive(Default)]
pub(crate) struct UserMutation;

/// Who may join, and as what.
#[derive(InputObject)]
struct InviteUserInput {
    /// Their e-mail address; nobody else can accept the invitation.
    email: String,
    /// What they may do then.
    role: Role,
}

/// Which invitation.
#[derive(InputObject)]
struct InviteInput {
    /// The invitation, by its id.
    id: ID,
}

/// Who should have which role.
#[derive(InputObject)]
struct SetRoleInput {
    /// The person, by their id.
    user_id: ID,
    /// What they may do from now on.
    role: Role,
}

/// Which person.
#[derive(InputObject)]
struct UserInput {
    /// The person, by their id.
    id: ID,
}

/// The invitation with its token, or why there is none.
#[derive(SimpleObject)]
struct InviteUserPayload {
    /// The invitation; null when there is none.
    invite: Option<Invite>,
    /// What `signUp` takes as `inviteToken`, within a week. Given this once: pass it on, since no e-mail is sent.
    token: Option<String>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// Which invitation is withdrawn, or why it is not.
#[derive(SimpleObject)]
struct RevokeInvitePayload {
    /// The id that the invitation had; null when it is still there.
    revoked_invite_id: Option<ID>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// The person as they are now, or why nothing changed.
#[derive(SimpleObject)]
struct UserPayload {
    /// The person; null when nothing changed.
    user: Option<User>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// Who is removed, or why nobody is.
#[derive(SimpleObject)]
struct RemoveUserPayload {
    /// The id that the person had; null when they are still there.
    removed_user_id: Option<ID>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl UserMutation {
    /// Invites somebody to the account; an earlier invitation of theirs ends. Needs the role owner, and a deployment where those
    /// who are invited can sign up.
    async fn invite_user(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Whom, and as what.")] input: InviteUserInput,
    ) -> FieldResult<InviteUserPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let mode = service.sign_up.mode;
        let invited = account::invite(&service.db, mode, actor, &input.email, input.role.into()).await;
        let (invited, user_errors) = split_user_errors(invited)?;
        let (invite, token) =
            invited.map(|(invite, token)| (Invite(invite), token.reveal().to_owned())).unzip();
        Ok(InviteUserPayload { invite, token, user_errors })
    }

    /// Withdraws an invitation. Needs the role owner.
    async fn revoke_invite(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: InviteInput,
    ) -> FieldResult<RevokeInvitePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let revoked = account::revoke_invite(&service.db, actor, &parse_id(&input.id)).await;
        let (revoked, user_errors) = split_user_errors(revoked)?;
        Ok(RevokeInvitePayload { revoked_invite_id: revoked.map(|()| input.id), user_errors })
    }

    /// Gives somebody another role, which counts at once. The last owner stays one (`CONFLICT`). Needs the role owner.
    async fn set_role(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Whose, and which.")] input: SetRoleInput,
    ) -> FieldResult<UserPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let set = account::set_role(&service.db, actor, &parse_id(&input.user_id), input.role.into()).await;
        let (user, user_errors) = split_user_errors(set)?;
        Ok(UserPayload { user: user.map(User), user_errors })
    }

    /// Removes somebody from the account; their sessions end at once. The last owner stays (`CONFLICT`). Needs the role owner.
    async fn remove_user(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Whom.")] input: UserInput,
    ) -> FieldResult<RemoveUserPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let removed = account::remove_person(&service.db, actor, &parse_id(&input.id)).await;
        let (removed, user_errors) = split_user_errors(removed)?;
        Ok(RemoveUserPayload { removed_user_id: removed.map(|()| input.id), user_errors })
    }
}
