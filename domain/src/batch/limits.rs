//! How large batches may be, how long they live, and how their items are read and written.

use std::sync::Arc;

use chrono::TimeDelta;

use super::WireFormat;
use crate::{Code, Error, Result};

/// What batches are composed of besides the other services.
#[derive(Clone)]
pub struct BatchSetup {
    pub limits: BatchLimits,
    pub wire: Arc<dyn WireFormat>,
}

/// The limits of batches.
#[derive(Clone, Copy, Debug)]
pub struct BatchLimits {
    /// Items of a batch.
    pub items: usize,
    /// Batches of an account that have not ended.
    pub open: u64,
    /// Files that an account has uploaded.
    pub files: u64,
    /// Bytes of an account's files, and of the items and results of its batches.
    pub account_bytes: i64,
    /// How long a batch may take from its submission; then it expires.
    pub expiry: TimeDelta,
    /// How long files are kept, and results after the end of their batch.
    pub kept: TimeDelta,
}

impl BatchLimits {
    /// Requires that an account may have `bytes`.
    ///
    /// # Errors
    /// `CONFLICT`.
    pub(super) fn require_bytes(&self, bytes: i64) -> Result<()> {
        let most = self.account_bytes;
        if bytes < most {
            return Ok(());
        }
        let message = format!(
            "the account's batches and files take {bytes} bytes, and {most} are allowed (`bulk_account_bytes`): \
             delete files, or wait until old batches expire"
        );
        Err(Error::new(Code::Conflict, message))
    }
}
