//! Token buckets of accounts, of signed-in people, and of keys with limits of their own: in this process, or shared by
//! all replicas through Redis.
//!
//! A bucket holds a minute's worth of requests and refills evenly. A request takes a token of each bucket that it
//! counts in, or of none. When Redis does not answer, each replica uses its own buckets for a while, without asking
//! again at every request: a limit that is too generous is better than an outage.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use domain::{
    foundation::actor::Actor,
    people::api_key::{KeyRateLimit, VerifiedKey},
};
use parking_lot::Mutex;
use ports::id::AccountId;
use redis::{
    Client, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// Buckets that a process keeps before it drops full ones.
const MAX_LOCAL_BUCKETS: usize = 100_000;
/// The longest that Redis may take; after it the replica uses its own buckets.
const REDIS_TIMEOUT: Duration = Duration::from_millis(500);
/// The pause after Redis did not answer.
const REDIS_RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// Takes one token of each bucket, or of none. KEYS: the buckets. ARGV: their capacities. Uses Redis' clock. Returns
/// {allowed, tokens left x 1000 of each}.
const TAKE_TOKENS: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens, allowed = {}, 1
for n, key in ipairs(KEYS) do
  local capacity = tonumber(ARGV[n])
  local bucket = redis.call('HMGET', key, 'tokens', 'at')
  local left, at = tonumber(bucket[1]) or capacity, tonumber(bucket[2]) or now
  tokens[n] = math.min(capacity, left + (now - at) * capacity / 60000)
  if tokens[n] < 1 then allowed = 0 end
end
local answer = {allowed}
for n, key in ipairs(KEYS) do
  tokens[n] = tokens[n] - allowed
  redis.call('HSET', key, 'tokens', tokens[n], 'at', now)
  redis.call('PEXPIRE', key, 60000)
  answer[n + 1] = math.floor(tokens[n] * 1000)
end
return answer
";

/// Whose requests a limit is about. Its text is the policy's name in the headers of responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum RateLimitPolicy {
    Account,
    Person,
    Key,
    /// The key that made the key.
    Maker,
}

/// A limit that a request counts towards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateLimit {
    pub(crate) policy: RateLimitPolicy,
    /// The name of the bucket. Those of an account share a hash slot of Redis.
    bucket: String,
    /// Above 0.
    pub(crate) per_minute: u32,
}

impl RateLimit {
    /// The limit of all that an account sends.
    pub(crate) fn of_account(account: &AccountId, per_minute: u32) -> Self {
        Self { policy: RateLimitPolicy::Account, bucket: format!("{{{account}}}"), per_minute }
    }

    /// The limit of a person.
    pub(crate) fn of_person(actor: &Actor, per_minute: u32) -> Self {
        let bucket = format!("{{{}}}:{}", actor.account, actor.name());
        Self { policy: RateLimitPolicy::Person, bucket, per_minute }
    }

    /// A limit that a key counts towards, its own or its maker's.
    pub(crate) fn of_key(key: &VerifiedKey, limit: &KeyRateLimit) -> Self {
        let policy = if limit.key == key.id { RateLimitPolicy::Key } else { RateLimitPolicy::Maker };
        Self { policy, bucket: format!("{{{}}}:{}", key.account, limit.key), per_minute: limit.per_minute }
    }
}

/// The state of the bucket that is closest to empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimitStatus {
    pub(crate) policy: RateLimitPolicy,
    pub(crate) per_minute: u32,
    /// Requests that may follow immediately.
    pub(crate) remaining: u32,
    /// Seconds until one more may follow, at least 1.
    pub(crate) reset_s: u32,
}

impl RateLimitStatus {
    fn new(limit: &RateLimit, tokens: f64) -> Self {
        // The time until the bucket holds one whole token more than it does now.
        let missing = 1.0 - tokens.fract();
        Self {
            policy: limit.policy,
            per_minute: limit.per_minute,
            remaining: tokens as u32,
            reset_s: (missing * 60.0 / f64::from(limit.per_minute)).ceil().max(1.0) as u32,
        }
    }
}

/// The decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimitDecision {
    /// No limit is set.
    Unlimited,
    /// Within the limit.
    Allowed(RateLimitStatus),
    /// Over the limit.
    Limited(RateLimitStatus),
}

/// Limits rates by token buckets.
pub struct RateLimiter {
    shared: Option<SharedBuckets>,
    local: Mutex<HashMap<String, Bucket>>,
}

/// Buckets in Redis.
struct SharedBuckets {
    redis: ConnectionManager,
    take: Script,
    /// When Redis is tried again; `None` while it answers.
    retry_at: Mutex<Option<Instant>>,
}

/// Whether tokens were taken, and how many are left in each bucket.
struct TakenTokens {
    allowed: bool,
    left: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at_ms: u64,
}

impl RateLimiter {
    /// Buckets in this process.
    pub fn local() -> Self {
        Self { shared: None, local: Mutex::default() }
    }

    /// Buckets shared through the Redis at `url`. Connects when the first one is needed.
    ///
    /// # Errors
    /// When `url` is not a Redis address.
    pub fn shared(url: &str) -> redis::RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(REDIS_TIMEOUT))
            .set_response_timeout(Some(REDIS_TIMEOUT))
            .set_number_of_retries(1);
        let redis = Client::open(url)?.get_connection_manager_lazy(config)?;
        let shared = SharedBuckets { redis, take: Script::new(TAKE_TOKENS), retry_at: Mutex::default() };
        Ok(Self { shared: Some(shared), local: Mutex::default() })
    }

    /// Takes one token from the bucket of each limit, or none if one of them is empty.
    pub(crate) async fn check(&self, limits: &[RateLimit]) -> RateLimitDecision {
        if limits.is_empty() {
            return RateLimitDecision::Unlimited;
        }
        let TakenTokens { allowed, left } = match self.take_shared(limits).await {
            Some(taken) => taken,
            None => self.take_local(limits, now_ms()),
        };
        let statuses = limits.iter().zip(left).map(|(limit, tokens)| RateLimitStatus::new(limit, tokens));
        let Some(first) = statuses.min_by_key(|status| (status.remaining, u32::MAX - status.reset_s)) else {
            return RateLimitDecision::Unlimited;
        };
        if allowed { RateLimitDecision::Allowed(first) } else { RateLimitDecision::Limited(first) }
    }

    async fn take_shared(&self, limits: &[RateLimit]) -> Option<TakenTokens> {
        let shared = self.shared.as_ref().filter(|shared| shared.may_ask())?;
        let mut redis = shared.redis.clone();
        let mut taking = shared.take.prepare_invoke();
        for limit in limits {
            taking.key(format!("gavel:rate:{}", limit.bucket)).arg(limit.per_minute);
        }
        let taken: redis::RedisResult<Vec<i64>> = taking.invoke_async(&mut redis).await;
        shared.record(taken.is_ok());
        match taken {
            Ok(taken) => {
                let (allowed, left) = taken.split_first()?;
                let left = left.iter().map(|milli| *milli as f64 / 1000.0).collect();
                Some(TakenTokens { allowed: *allowed == 1, left })
            }
            Err(error) => {
                tracing::warn!(%error, "Redis did not answer; each replica limits rates by itself");
                None
            }
        }
    }

    fn take_local(&self, limits: &[RateLimit], now: u64) -> TakenTokens {
        let mut buckets = self.local.lock();
        if buckets.len() >= MAX_LOCAL_BUCKETS {
            buckets.retain(|_, bucket| now.saturating_sub(bucket.at_ms) < 60_000);
        }
        let mut left: Vec<f64> = limits.iter().map(|limit| tokens(&buckets, limit, now)).collect();
        let allowed = left.iter().all(|tokens| *tokens >= 1.0);
        for (limit, tokens) in limits.iter().zip(&mut left) {
            *tokens -= f64::from(u8::from(allowed));
            buckets.insert(limit.bucket.clone(), Bucket { tokens: *tokens, at_ms: now });
        }
        TakenTokens { allowed, left }
    }
}

/// The tokens that a limit's bucket holds.
fn tokens(buckets: &HashMap<String, Bucket>, limit: &RateLimit, now: u64) -> f64 {
    let capacity = f64::from(limit.per_minute);
    let Some(bucket) = buckets.get(&limit.bucket) else { return capacity };
    let elapsed = now.saturating_sub(bucket.at_ms) as f64;
    (bucket.tokens + elapsed * capacity / 60_000.0).min(capacity)
}

impl SharedBuckets {
    /// Whether Redis may be asked now. After it did not answer, only one request tries it again.
    fn may_ask(&self) -> bool {
        let mut retry_at = self.retry_at.lock();
        let may_ask = retry_at.is_none_or(|retry_at| retry_at <= Instant::now());
        if may_ask && retry_at.is_some() {
            *retry_at = Some(Instant::now() + REDIS_RETRY_INTERVAL);
        }
        may_ask
    }

    fn record(&self, answered: bool) {
        let mut retry_at = self.retry_at.lock();
        *retry_at = (!answered).then(|| Instant::now() + REDIS_RETRY_INTERVAL);
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(limits: &[(&str, u32)]) -> Vec<RateLimit> {
        let limits = limits.iter().map(|(account, per_minute)| {
            RateLimit::of_account(&AccountId::from((*account).to_owned()), *per_minute)
        });
        limits.collect()
    }

    /// Whether a request at `now` is within a limit of 60 a minute.
    fn takes(limiter: &RateLimiter, now: u64) -> bool {
        limiter.take_local(&limits(&[("acc_1", 60)]), now).allowed
    }

    #[test]
    fn a_bucket_holds_a_minute_and_fills_evenly() {
        let limiter = RateLimiter::local();
        assert!((0..60).all(|_| takes(&limiter, 1_000)));
        assert!(!takes(&limiter, 1_000));
        assert!(!takes(&limiter, 1_900));
        assert!(takes(&limiter, 2_000));
        assert!(!takes(&limiter, 2_000));
        assert_eq!((0..100).filter(|_| takes(&limiter, 120_000)).count(), 60);
    }

    #[tokio::test]
    async fn a_request_takes_a_token_of_each_bucket_or_of_none() {
        let limiter = RateLimiter::local();
        let both = limits(&[("acc_1", 3), ("acc_2", 1)]);
        assert_eq!(limiter.check(&[]).await, RateLimitDecision::Unlimited);
        let RateLimitDecision::Allowed(status) = limiter.check(&both).await else { panic!("was refused") };
        assert_eq!((status.per_minute, status.remaining), (1, 0));
        for _ in 0..5 {
            let RateLimitDecision::Limited(status) = limiter.check(&both).await else {
                panic!("was let through")
            };
            assert_eq!((status.per_minute, status.remaining), (1, 0));
            assert!((59..=60).contains(&status.reset_s), "{status:?}");
        }
        for _ in 0..2 {
            assert!(matches!(limiter.check(&both[..1]).await, RateLimitDecision::Allowed(_)));
        }
        assert!(matches!(limiter.check(&both[..1]).await, RateLimitDecision::Limited(_)));
    }
}
