//! The compiled policies that decide, cached. A change is announced over [`Events`], so that the caches of all replicas
//! follow at once; an announcement that is lost costs no more than [`RECHECK`].

use std::{
    collections::HashMap,
    num::NonZero,
    sync::Arc,
    time::{Duration, Instant},
};

use entity::moderation_policy;
use parking_lot::{Mutex, MutexGuard};
use sea_orm::{ColumnTrait, QueryFilter};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

use super::{
    rows::{no_policy, of, version_row},
    validate::id_of,
};
use crate::{
    Code, Error, Result,
    foundation::{
        database::Database,
        events::{Event, Events},
        slots::Slots,
    },
    money::amount::Amount,
    operations::moderation::{
        PolicyRef, TextMessage,
        plain_rules::{FittedRule, RuleQuestions},
        rules::{Applied, RuleSet, Rules},
    },
};
use ports::id::{AccountId, PolicyId};

/// A cached policy is used this long before the database is asked whether it has changed.
const RECHECK: Duration = Duration::from_secs(5);
/// Maximum bytes of compiled policies in the cache, of one account and of all.
const ACCOUNT_BYTES: usize = 16 << 20;
const TOTAL_BYTES: usize = 128 << 20;
/// Policies that are read at once, of all accounts; each account's one at a time.
const READS: usize = 32;
/// Policies whose rules' examples are read at once, likewise.
const EXAMPLE_READS: usize = 16;

/// A version of a policy, compiled.
#[derive(Debug)]
pub struct ActivePolicy {
    reference: PolicyRef,
    rules: Arc<Rules>,
    plain_rules: Vec<Arc<FittedRule>>,
    /// With those of the shadow.
    bytes: usize,
    /// The version that decides beside this one, to be recorded.
    shadow: Option<Arc<ActivePolicy>>,
}

impl ActivePolicy {
    /// A policy that is not saved, for a dry run.
    pub(super) fn draft(rules: Rules, plain_rules: Vec<FittedRule>) -> Self {
        let reference = PolicyRef { id: PolicyId::from(String::new()), name: String::new(), version: 0 };
        Self::new(reference, rules, plain_rules)
    }

    fn new(reference: PolicyRef, rules: Rules, plain_rules: Vec<FittedRule>) -> Self {
        let bytes = rules.bytes() + plain_rules.iter().map(FittedRule::bytes).sum::<usize>();
        let plain_rules = plain_rules.into_iter().map(Arc::new).collect();
        Self { reference, bytes, rules: Arc::new(rules), plain_rules, shadow: None }
    }

    /// The version that decides beside this one, to be recorded.
    pub(in crate::operations::moderation) fn shadow(&self) -> Option<&ActivePolicy> {
        self.shadow.as_deref()
    }

    fn shadow_version(&self) -> Option<i32> {
        self.shadow().map(|shadow| shadow.reference.version)
    }

    /// The rules in plain language that apply to a message.
    pub(in crate::operations::moderation) fn plain_rules(
        &self,
        message: &TextMessage,
    ) -> Vec<Arc<FittedRule>> {
        let channel = message.named_channel();
        self.plain_rules.iter().filter(|fitted| fitted.rule.applies_in(channel)).cloned().collect()
    }

    pub(in crate::operations::moderation) fn apply(&self, message: &TextMessage) -> Applied {
        Applied::new(self.reference.clone(), self.rules.clone(), message)
    }
}

/// The policies of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct Policies(Arc<Inner>);

struct Inner {
    db: Database,
    events: Events,
    cache: Mutex<Cache>,
    /// Asks about rules in plain language.
    questions: RuleQuestions,
    reads: Slots<AccountId>,
    /// Compiling takes a core, so that half of them compile at once, of all accounts.
    compilations: Slots<AccountId>,
    /// Reading the examples of rules waits for the decision model.
    example_reads: Slots<AccountId>,
}

/// Compiled policies, in which each account has a share of the bytes.
#[derive(Default)]
struct Cache {
    accounts: HashMap<AccountId, Share>,
    /// Of all shares.
    bytes: usize,
    /// Counts changes: what was read before a change is not fresh after it.
    changes: u64,
    /// Counts uses, to tell which entry was used last.
    uses: u64,
}

/// The policies of one account in the cache.
#[derive(Default)]
struct Share {
    /// Keyed by the name or id that requests give.
    named: HashMap<String, Entry>,
    bytes: usize,
}

struct Entry {
    policy: Arc<ActivePolicy>,
    /// `None` when the policy may have changed since.
    checked_at: Option<Instant>,
    used: u64,
}

impl Policies {
    /// Starts the task that listens for changes. Must run inside a Tokio runtime.
    pub fn start(db: Database, events: Events, questions: RuleQuestions) -> Self {
        let mut changes = events.watch();
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let inner = Arc::new(Inner {
            db,
            events,
            questions,
            cache: Mutex::default(),
            reads: Slots::new(READS, 1),
            compilations: Slots::new(cores.div_ceil(2), 1),
            example_reads: Slots::new(EXAMPLE_READS, 1),
        });
        let listener = Arc::downgrade(&inner);
        tokio::spawn(async move {
            loop {
                let changed = match changes.recv().await {
                    Ok(Event::ModerationPolicy { account }) => Some(account),
                    Ok(_) => continue,
                    Err(RecvError::Lagged(_)) => None,
                    Err(RecvError::Closed) => return,
                };
                let Some(inner) = listener.upgrade() else { return };
                inner.cache().forget(changed.as_ref());
            }
        });
        Self(inner)
    }

    /// The policy of an account with this name or id. Reads the database unless the cache compared the policy with it
    /// within [`RECHECK`].
    ///
    /// # Errors
    /// `NOT_FOUND` when the account has no such policy, or has archived it.
    pub async fn active(&self, account: &AccountId, selector: &str) -> Result<Arc<ActivePolicy>> {
        if let Some(fresh) = self.0.cache().fresh(account, selector) {
            return Ok(fresh);
        }
        let _permit = self.0.reads.acquire(account, 1).await;
        // Another request may have read it meanwhile.
        if let Some(fresh) = self.0.cache().fresh(account, selector) {
            return Ok(fresh);
        }
        let changes = self.0.cache().changes;
        let row = match id_of(selector) {
            Some(id) => of(account).filter(moderation_policy::Column::Id.eq(id.as_str())),
            None => of(account).filter(moderation_policy::Column::Name.eq(selector)),
        };
        let row = self.0.db.in_time(row.one(self.0.db.read())).await?.ok_or_else(no_policy)?;
        if row.archived_at.is_some() {
            return Err(Error::new(
                Code::NotFound,
                "this moderation policy is archived and no longer decides",
            ));
        }
        let reference = PolicyRef { id: PolicyId::from(row.id), name: row.name, version: row.version };
        let known = self.0.cache().known(account, &reference, row.shadow_version);
        let policy = match known {
            Some(known) => known,
            None => Arc::new(self.compile_both(account, reference, row.shadow_version).await?),
        };
        // Dropped after the lock: large ones take time.
        let dropped = self.0.cache().insert(account, selector, policy.clone(), changes);
        drop(dropped);
        Ok(policy)
    }

    /// Forgets what this process knows of an account's policies, and tells the others.
    pub(super) fn changed(&self, account: &AccountId) {
        self.0.cache().forget(Some(account));
        self.0.events.publish(Event::ModerationPolicy { account: account.clone() });
    }

    pub(super) fn db(&self) -> &Database {
        &self.0.db
    }

    /// Compiles a version, and its shadow.
    async fn compile_both(
        &self,
        account: &AccountId,
        reference: PolicyRef,
        shadow: Option<i32>,
    ) -> Result<ActivePolicy> {
        let live = self.compile(account, reference.clone()).await?;
        let Some(version) = shadow else { return Ok(live) };
        let shadow = self.compile(account, PolicyRef { version, ..reference }).await?;
        Ok(ActivePolicy { bytes: live.bytes + shadow.bytes, shadow: Some(Arc::new(shadow)), ..live })
    }

    async fn compile(&self, account: &AccountId, reference: PolicyRef) -> Result<ActivePolicy> {
        metrics::counter!("gavel_policies_compiled_total").increment(1);
        let stored = version_row(self.0.db.read(), reference.id.as_str(), reference.version);
        let stored = self.0.db.in_time(stored).await?;
        let rules = self.compiled(account, move || {
            let rules: RuleSet = serde_json::from_str(&stored.rules).map_err(Error::internal)?;
            Rules::compile("rules", &rules).map_err(Error::internal)
        });
        let rules = rules.await?;
        let plain_rules = self.fitted(account, &rules).await?;
        Ok(ActivePolicy::new(reference, rules, plain_rules))
    }

    /// Compiles on a thread of its own.
    async fn compiled(
        &self,
        account: &AccountId,
        compile: impl FnOnce() -> Result<Rules> + Send + 'static,
    ) -> Result<Rules> {
        let _permit = self.0.compilations.acquire(account, 1).await;
        tokio::task::spawn_blocking(compile).await.map_err(Error::internal)?
    }

    /// The rules in plain language with what their examples teach.
    async fn fitted(&self, account: &AccountId, rules: &Rules) -> Result<Vec<FittedRule>> {
        if rules.plain().is_empty() {
            return Ok(Vec::new());
        }
        let _permit = self.0.example_reads.acquire(account, 1).await;
        self.0.questions.fitted(account, rules.plain()).await
    }

    /// Compiles rules that are not saved; `field` is their path in the request.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field.
    pub(super) async fn compile_draft(
        &self,
        account: &AccountId,
        field: &'static str,
        rules: &Value,
    ) -> Result<Rules> {
        let rules = RuleSet::parse(field, rules)?;
        self.compiled(account, move || Rules::compile(field, &rules)).await
    }

    /// A policy of rules that are not saved, with what their examples teach.
    ///
    /// # Errors
    /// `ENGINE_UNAVAILABLE`, `OVERLOADED` for rules with examples.
    pub(super) async fn draft(&self, account: &AccountId, rules: Rules) -> Result<ActivePolicy> {
        let plain_rules = self.fitted(account, &rules).await?;
        Ok(ActivePolicy::draft(rules, plain_rules))
    }

    /// Compiles a policy whose `rules` have changed before a request needs it, if some have examples: reading them may
    /// take seconds. What fails is tried again by the next request.
    pub(super) fn compile_ahead(&self, account: &AccountId, id: &PolicyId, rules: &Value) {
        let plain_rules = rules.get("plain_rules").and_then(Value::as_array);
        if !plain_rules.into_iter().flatten().any(|rule| rule.get("examples").is_some()) {
            return;
        }
        let policies = self.clone();
        let account = account.clone();
        let id = id.clone();
        tokio::spawn(async move {
            if let Err(error) = policies.active(&account, id.as_str()).await {
                tracing::debug!(%error, policy = id.as_str(), "could not compile a policy ahead");
            }
        });
    }

    /// The price of every ten rules in plain language, or part of ten, that are asked about a message.
    pub fn plain_rules_price(&self) -> Amount {
        self.0.questions.price()
    }

    /// Asks about rules in plain language.
    pub(in crate::operations::moderation) fn questions(&self) -> &RuleQuestions {
        &self.0.questions
    }

    /// What moderating messages costs more for the rules in plain language of their policies. Nothing for a policy that
    /// the account does not have: who moderates then refuses.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer; those of rules with examples.
    pub(crate) async fn surcharge(&self, account: &AccountId, messages: &[TextMessage]) -> Result<Amount> {
        let mut all = Amount::default();
        for message in messages {
            match self.surcharge_of(account, message).await {
                Ok(surcharge) => all = all.plus(surcharge)?,
                Err(error) if error.code == Code::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// The same of one message.
    ///
    /// # Errors
    /// `NOT_FOUND` for a policy that the account does not have; those of [`surcharge`](Self::surcharge).
    pub(crate) async fn surcharge_of(&self, account: &AccountId, message: &TextMessage) -> Result<Amount> {
        let Some(name) = &message.policy else { return Ok(Amount::default()) };
        let policy = self.active(account, name).await?;
        self.0.questions.price_of(policy.plain_rules(message).len())
    }
}

impl Inner {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock()
    }
}

impl Cache {
    fn fresh(&mut self, account: &AccountId, selector: &str) -> Option<Arc<ActivePolicy>> {
        self.uses += 1;
        let entry = self.accounts.get_mut(account)?.named.get_mut(selector)?;
        entry.checked_at.filter(|checked_at| checked_at.elapsed() < RECHECK)?;
        entry.used = self.uses;
        Some(entry.policy.clone())
    }

    /// The policy of this version and with this shadow, under whichever name it is cached.
    fn known(
        &self,
        account: &AccountId,
        reference: &PolicyRef,
        shadow: Option<i32>,
    ) -> Option<Arc<ActivePolicy>> {
        let mut policies = self.accounts.get(account)?.named.values().map(|entry| &entry.policy);
        policies.find(|one| one.reference == *reference && one.shadow_version() == shadow).cloned()
    }

    /// Caches a policy that was read when the cache had seen this many changes. Returns what it dropped for that: the
    /// policies whose last use is the longest ago, of this account, and then of the account that has the most bytes.
    fn insert(
        &mut self,
        account: &AccountId,
        selector: &str,
        policy: Arc<ActivePolicy>,
        changes: u64,
    ) -> Vec<Entry> {
        self.uses += 1;
        let checked_at = (changes == self.changes).then(Instant::now);
        let share = self.accounts.entry(account.clone()).or_default();
        if let Some(entry) = share.named.get_mut(selector)
            && Arc::ptr_eq(&entry.policy, &policy)
        {
            entry.checked_at = checked_at;
            entry.used = self.uses;
            return Vec::new();
        }
        let before = share.bytes;
        let entry = Entry { policy, checked_at, used: self.uses };
        let mut dropped: Vec<Entry> = share.insert(selector, entry).into_iter().collect();
        while share.bytes > ACCOUNT_BYTES {
            dropped.extend(share.remove_oldest());
        }
        self.bytes = self.bytes - before + share.bytes;
        while self.bytes > TOTAL_BYTES {
            dropped.extend(self.remove_of_the_largest_share());
        }
        dropped
    }

    fn remove_of_the_largest_share(&mut self) -> Option<Entry> {
        let (account, share) = self.accounts.iter_mut().max_by_key(|(_, share)| share.bytes)?;
        let removed = share.remove_oldest()?;
        self.bytes -= removed.policy.bytes;
        if share.named.is_empty() {
            let account = account.clone();
            self.accounts.remove(&account);
        }
        Some(removed)
    }

    /// Notes that the policies of an account, or of any account, may have changed. Compiled policies stay, since most
    /// are of an unchanged version.
    fn forget(&mut self, account: Option<&AccountId>) {
        self.changes += 1;
        let changed = self.accounts.iter_mut().filter(|(of, _)| account.is_none_or(|account| account == *of));
        changed.flat_map(|(_, share)| share.named.values_mut()).for_each(|entry| entry.checked_at = None);
    }
}

impl Share {
    /// Returns the entry that it replaces.
    fn insert(&mut self, selector: &str, entry: Entry) -> Option<Entry> {
        self.bytes += entry.policy.bytes;
        let replaced = self.named.insert(selector.to_owned(), entry);
        self.bytes -= replaced.as_ref().map_or(0, |entry| entry.policy.bytes);
        replaced
    }

    /// Removes the entry whose last use is the longest ago.
    fn remove_oldest(&mut self) -> Option<Entry> {
        let (selector, _) = self.named.iter().min_by_key(|(_, entry)| entry.used)?;
        let selector = selector.clone();
        let removed = self.named.remove(&selector)?;
        self.bytes -= removed.policy.bytes;
        Some(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(name: &str, bytes: usize) -> Arc<ActivePolicy> {
        let rules = Rules::compile("rules", &RuleSet::default()).unwrap();
        let reference = PolicyRef { id: PolicyId::new(), name: name.to_owned(), version: 1 };
        Arc::new(ActivePolicy { bytes, ..ActivePolicy::new(reference, rules, Vec::new()) })
    }

    #[test]
    fn an_account_drops_its_own_oldest_and_a_change_makes_all_of_its_stale() {
        let mut cache = Cache::default();
        let one = AccountId::new();
        let other = AccountId::new();
        cache.insert(&other, "kept", policy("kept", 1 << 20), 0);
        for name in ["a", "b", "c"] {
            cache.insert(&one, name, policy(name, ACCOUNT_BYTES / 2), 0);
        }
        assert!(cache.fresh(&one, "a").is_none() && cache.fresh(&one, "b").is_some());
        assert!(cache.fresh(&other, "kept").is_some());
        cache.forget(Some(&one));
        assert!(cache.fresh(&one, "b").is_none() && cache.fresh(&other, "kept").is_some());
        // What was read before the change is not fresh.
        cache.insert(&one, "b", policy("b", 1), 0);
        assert!(cache.fresh(&one, "b").is_none());
        cache.insert(&one, "b", policy("b", 1), 1);
        assert!(cache.fresh(&one, "b").is_some());
    }

    #[test]
    fn many_accounts_with_large_policies_do_not_displace_an_idle_small_one() {
        let mut cache = Cache::default();
        let small = AccountId::new();
        cache.insert(&small, "kept", policy("kept", 1 << 10), 0);
        let mut dropped = 0;
        for _ in 0..3 * TOTAL_BYTES / ACCOUNT_BYTES {
            let large = AccountId::new();
            for name in ["a", "b", "c"] {
                dropped += cache.insert(&large, name, policy(name, ACCOUNT_BYTES / 3), 0).len();
            }
        }
        let bytes: usize = cache
            .accounts
            .values()
            .flat_map(|share| share.named.values())
            .map(|entry| entry.policy.bytes)
            .sum();
        assert!(bytes == cache.bytes && bytes <= TOTAL_BYTES && dropped > 0, "{bytes}, {}", cache.bytes);
        assert!(cache.fresh(&small, "kept").is_some());
        // What replaces a policy of the same name takes its place.
        cache.insert(&small, "kept", policy("kept", 2 << 10), 0);
        assert_eq!(cache.accounts[&small].bytes, 2 << 10);
    }
}
