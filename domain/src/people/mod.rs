//! Who there is: accounts and their people, sessions, and API keys.

pub mod account;
pub mod api_key;
pub mod email;
pub mod mail;
pub mod password;
pub mod proof_of_work;
pub mod saved_view;
pub mod session;
pub mod token;
