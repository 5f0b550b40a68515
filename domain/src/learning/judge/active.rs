//! A Judge that answers.

use super::Judges;
use crate::{
    Code, Error, Result,
    learning::{owner::Judge, sample::storage},
};
use ports::id::{AccountId, JudgeId};

/// A Judge that answers.
pub(crate) struct ActiveJudge {
    pub(super) judge: Judge,
    /// Whether requests are recorded. An account without room in its quota gets its answers, which it pays for, but
    /// they are not recorded.
    pub(super) records: bool,
}

impl Judges {
    /// Reads a Judge that answers.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a Judge in the account, or when it is archived; `CONFLICT` for a moderation log.
    pub(crate) async fn find_active(&self, account: &AccountId, id: &JudgeId) -> Result<ActiveJudge> {
        let judge = self.find(account, id).await?;
        if judge.archived_at.is_some() {
            return Err(Error::new(Code::NotFound, "this Judge is archived and no longer answers"));
        }
        let records = judge.store_content && storage::has_room(&self.db, account).await?;
        Ok(ActiveJudge { judge, records })
    }
}
