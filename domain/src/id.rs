//! Ids: TypeIDs (a prefix and a base32 UUIDv7, <https://github.com/jetify-com/typeid>), one Rust type for each.

use mti::prelude::*;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new id; later ones sort after earlier ones.
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self($prefix.create_type_id::<V7>().to_string())
            }

            /// From what a client sent; none when no id of ours can look like it.
            pub fn read(text: &str) -> Option<Self> {
                let form = text.strip_prefix($prefix).is_some_and(|rest| rest.starts_with('_'));
                (form && text.len() < 64 && !text.contains('\0')).then(|| Self(text.to_owned()))
            }

            /// The id as stored and as sent.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        /// From a row of ours; nothing is checked.
        impl From<String> for $name {
            fn from(stored: String) -> Self {
                Self(stored)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// `acc_…`: an account.
    AccountId = "acc";
    /// `user_…`: a person.
    UserId = "user";
    /// `key_…`: an API key's public name, never its secret.
    KeyId = "key";
    /// `req_…`: one request; made by us for every request, so that a client cannot reuse one.
    RequestId = "req";
    /// `hold_…`: credits set aside for one request.
    HoldId = "hold";
    /// `mod_…`: one moderation result.
    ModerationId = "mod";
    /// `inf_…`: one inference.
    InferenceId = "inf";
    /// `job_…`: a job in the background.
    JobId = "job";
    /// `judge_…`: a Judge.
    JudgeId = "judge";
    /// `sample_…`: one sample of a Judge's dataset.
    SampleId = "sample";
    /// `change_…`: ground truths that were changed together.
    ChangeId = "change";
    /// `session_…`: somebody's being signed in; never the cookie's secret.
    SessionId = "session";
    /// `invite_…`: an invitation; never its secret.
    InviteId = "invite";
}
