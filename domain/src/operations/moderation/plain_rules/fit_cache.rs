//! What the examples of rules taught, kept so that they are not read again. When there are too many, the account with
//! the most gives way, with what it used the longest ago: one with many policies does not push out those of others.

use std::{collections::HashMap, sync::Arc};

use lru::LruCache;

use super::rule_fit::RuleFit;
use ports::id::AccountId;

/// The most that are kept, of all accounts: some 7 MB.
const KEPT: usize = 4_096;

/// A hash of a rule and its examples.
pub(super) type RuleHash = [u8; 32];

#[derive(Default)]
pub(super) struct FitCache {
    accounts: HashMap<AccountId, LruCache<RuleHash, Arc<RuleFit>>>,
    /// Of all accounts.
    count: usize,
}

impl FitCache {
    pub(super) fn get(&mut self, account: &AccountId, rule: &RuleHash) -> Option<Arc<RuleFit>> {
        self.accounts.get_mut(account)?.get(rule).cloned()
    }

    pub(super) fn put(&mut self, account: &AccountId, rule: RuleHash, fit: Arc<RuleFit>) {
        let of_account = self.accounts.entry(account.clone()).or_insert_with(LruCache::unbounded);
        if of_account.put(rule, fit).is_none() {
            self.count += 1;
        }
        if self.count > KEPT {
            self.remove_of_the_largest();
        }
    }

    fn remove_of_the_largest(&mut self) {
        let Some((account, largest)) = self.accounts.iter_mut().max_by_key(|(_, fits)| fits.len()) else {
            return;
        };
        if largest.pop_lru().is_some() {
            self.count -= 1;
        }
        if largest.is_empty() {
            let account = account.clone();
            self.accounts.remove(&account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: usize) -> RuleHash {
        let mut hash = RuleHash::default();
        hash[..8].copy_from_slice(&number.to_be_bytes());
        hash
    }

    #[test]
    fn an_account_with_many_rules_pushes_out_its_own() {
        let mut fits = FitCache::default();
        let small = AccountId::new();
        let large = AccountId::new();
        fits.put(&small, hash(0), Arc::default());
        for number in 0..2 * KEPT {
            fits.put(&large, hash(number), Arc::default());
        }
        assert!(fits.get(&small, &hash(0)).is_some());
        assert!(fits.get(&large, &hash(0)).is_none() && fits.get(&large, &hash(2 * KEPT - 1)).is_some());
        // The same rule again takes no other place.
        fits.put(&small, hash(0), Arc::default());
        let kept: usize = fits.accounts.values().map(LruCache::len).sum();
        assert_eq!((kept, fits.count), (KEPT, KEPT));
    }
}
