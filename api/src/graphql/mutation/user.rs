//! Mutations of users and invitations.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{Invite, Role, User},
};

#[derive(Default)]
pub(crate) struct UserMutation;

/// A person to invite.
#[derive(InputObject)]
struct InviteUserInput {
    /// The person's e-mail address. Nobody else can accept the invitation.
    email: String,
    /// The role that the person will have.
    role: Role,
}

/// The invitation to revoke.
#[derive(InputObject)]
struct RevokeInviteInput {
    /// The invitation's id.
    id: ID,
}

/// A user's new role.
#[derive(InputObject)]
struct SetRoleInput {
    /// The user's id.
    user_id: ID,
    /// The new role.
    role: Role,
}

/// The user to remove.
#[derive(InputObject)]
struct RemoveUserInput {
    /// The user's id.
    id: ID,
}

/// The invitation with its token, or errors.
#[derive(SimpleObject)]
struct InviteUserPayload {
    /// The invitation; null if none was made.
    invite: Option<Invite>,
    /// The token that `signUp` takes as `inviteToken`, valid for a week. It is shown only here. Unless `mailed`, pass it
    /// on to the invited person.
    token: Option<String>,
    /// Whether the invitation is sent by e-mail.
    mailed: bool,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The revoked invitation, or errors.
#[derive(SimpleObject)]
struct RevokeInvitePayload {
    /// The id of the revoked invitation; null if it was not revoked.
    revoked_invite_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed user, or errors.
#[derive(SimpleObject)]
struct UserPayload {
    /// The user; null if nothing changed.
    user: Option<User>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The removed user, or errors.
#[derive(SimpleObject)]
struct RemoveUserPayload {
    /// The id of the removed user; null if they were not removed.
    removed_user_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl UserMutation {
    /// Invites a person to the account, and ends an earlier invitation of the same person. Needs the role owner, and a
    /// deployment where invited people can sign up.
    async fn invite_user(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The person and their role.")] input: InviteUserInput,
    ) -> FieldResult<InviteUserPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let invited = service.accounts.invite(actor, &input.email, input.role.into()).await;
        let (invited, user_errors) = split_user_errors(invited)?;
        let mailed = invited.as_ref().is_some_and(|new| new.mailed);
        let (invite, token) = invited.map(|new| (Invite(new.invite), new.token.reveal().to_owned())).unzip();
        Ok(InviteUserPayload { invite, token, mailed, user_errors })
    }

    /// Revokes an invitation. Needs the role owner.
    async fn revoke_invite(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The invitation.")] input: RevokeInviteInput,
    ) -> FieldResult<RevokeInvitePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let revoked = service.accounts.revoke_invite(actor, &parse_id(&input.id)).await;
        let (revoked, user_errors) = split_user_errors(revoked)?;
        Ok(RevokeInvitePayload { revoked_invite_id: revoked.map(|()| input.id), user_errors })
    }

    /// Changes a user's role, with immediate effect. The last owner must stay owner (`CONFLICT`). Needs the role owner.
    async fn set_role(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The user and the role.")] input: SetRoleInput,
    ) -> FieldResult<UserPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let set = service.accounts.set_role(actor, &parse_id(&input.user_id), input.role.into()).await;
        let (user, user_errors) = split_user_errors(set)?;
        Ok(UserPayload { user: user.map(User), user_errors })
    }

    /// Removes a user from the account and ends their sessions. The last owner cannot be removed (`CONFLICT`). API keys
    /// belong to the account: those that the user created or knows stay valid until they are revoked. Needs the role
    /// owner.
    async fn remove_user(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The user.")] input: RemoveUserInput,
    ) -> FieldResult<RemoveUserPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let removed = service.accounts.remove_person(actor, &parse_id(&input.id)).await;
        let (removed, user_errors) = split_user_errors(removed)?;
        Ok(RemoveUserPayload { removed_user_id: removed.map(|()| input.id), user_errors })
    }
}
