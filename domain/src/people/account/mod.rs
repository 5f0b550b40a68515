//! Accounts and their users: creation, sign-up, invitations, roles, erasure.

mod accounts;
mod admin;
mod erase;
mod insert;
mod invite;
mod people;
mod sign_up;
mod sign_up_policy;
mod store;

pub use accounts::Accounts;
pub use admin::CreditGrant;
pub use invite::{Invite, NewInvite};
pub use people::Person;
pub use sign_up::NewPerson;
pub use sign_up_policy::{SignUp, SignUpMode};
pub use store::{AccountLimits, AccountRow, NewAccount};
