//! Rows in batches: what many nodes of one operation ask for, each in one statement. Made anew for every operation, so that
//! nothing is remembered past it.

use std::{collections::HashMap, sync::Arc};

use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
use domain::{
    Context, Error,
    id::{AccountId, JudgeId},
    judge,
};

/// The loaders of one operation.
pub(crate) struct Loaders {
    pub(crate) judges: DataLoader<Judges, HashMapCache>,
}

impl Loaders {
    /// For what `account` may see.
    pub(crate) fn new(ctx: &Context, account: &AccountId) -> Self {
        let of = || (ctx.clone(), account.clone());
        Self { judges: loader(Judges(of())) }
    }
}

fn loader<K: Send + Sync + Clone + Eq + std::hash::Hash + 'static, L: Loader<K>>(
    loader: L,
) -> DataLoader<L, HashMapCache> {
    DataLoader::with_cache(loader, tokio::spawn, HashMapCache::default())
}

/// Judges by id.
pub(crate) struct Judges((Context, AccountId));

impl Loader<JudgeId> for Judges {
    type Value = judge::Judge;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[JudgeId]) -> Result<HashMap<JudgeId, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        let judges = judge::find_many(&ctx.db, account, ids).await.map_err(Arc::new)?;
        Ok(judges.into_iter().map(|judge| (judge.id.clone(), judge)).collect())
    }
}
