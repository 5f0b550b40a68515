//! Sessions and sign-in. Each signed-in browser has a session; its secret is in the browser's cookie, and the database
//! stores the SHA-256. A session lasts 30 days from sign-in, regardless of use.

mod device;
mod reset;
mod sessions;
mod sign_in;
mod signed_in;
mod store;
mod throttle;

pub use device::KnownDevice;
pub use reset::NewPassword;
pub use sessions::Sessions;
pub use sign_in::{Attempt, SignIn};
pub use signed_in::SignedIn;
pub use store::{SESSION_LIFETIME, Session};
pub(crate) use store::{begin, end_others};
