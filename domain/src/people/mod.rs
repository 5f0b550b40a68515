//! Who there is: accounts and their people, sessions, and API keys.

pub mod account;
pub mod api_key;
pub mod email;
pub mod password;
pub mod session;
pub mod token;
