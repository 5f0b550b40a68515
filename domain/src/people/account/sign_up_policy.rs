//! The deployment's policy on sign-up.

use strum::EnumString;

use crate::money::amount::Amount;

/// Who may sign up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum SignUpMode {
    /// Anyone can sign up, with or without an invitation.
    Open,
    /// An invitation is required.
    Invite,
    /// Sign-up is disabled: an operator creates accounts and users.
    #[default]
    Closed,
}

/// The deployment's sign-up settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignUp {
    pub mode: SignUpMode,
    /// Credits granted to a new account.
    pub credits: Amount,
}
