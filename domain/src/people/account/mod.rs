//! Accounts and their users: creation, sign-up, invitations, roles, erasure.

mod admin;
mod erase;
mod invite;
mod people;
mod sign_up;
mod store;

pub use admin::{all, count_all, grant, grant_by_command_line, owners};
pub use erase::{erase, erase_by_command_line, sweep_erased};
pub use invite::{Invite, count_invites, invite, invites, prune_invites, revoke_invite};
pub use people::{Person, count_people, people, people_by_id, person, remove_person, set_operator, set_role};
pub use sign_up::{NewPerson, SignUp, SignUpMode, add_person, sign_up};
pub use store::{
    NewAccount, Row, create, find, find_by_email, list, rate_limit, rename, reset_password, set_rate_limit,
};
