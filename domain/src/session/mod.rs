//! Sessions: people who are signed in, one for each browser, and how they come to be. The secret is in the browser's cookie;
//! the database has its SHA-256. A session lasts 30 days from signing in, however it is used.

mod sign_in;
mod store;
mod throttle;

pub use sign_in::{SignIn, SignedIn};
pub use store::{SESSION_LIFETIME, Session, end, end_all_others, identify, list, prune, sign_out};
pub(crate) use store::{begin, end_others};
