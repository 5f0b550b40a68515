//! Token buckets, one for each key and each signed-in person: in this process, or shared by all replicas through
//! Redis.
//!
//! A bucket holds a minute's worth of requests and refills evenly. When Redis does not answer, each replica uses its
//! own buckets for a while, without asking again at every request: a limit that is too generous is better than an
//! outage.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;
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

/// Takes one token. KEYS: the bucket. ARGV: capacity. Uses Redis' clock. Returns {allowed, tokens left x 1000}.
const TAKE_TOKEN: &str = r"
local capacity = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(bucket[1]) or capacity, tonumber(bucket[2]) or now
tokens = math.min(capacity, tokens + (now - at) * capacity / 60000)
local allowed = 0
if tokens >= 1 then
  tokens = tokens - 1
  allowed = 1
end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], 60000)
return {allowed, math.floor(tokens * 1000)}
";

/// The state of a bucket after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimitStatus {
    /// Requests that may follow immediately.
    pub(crate) remaining: u32,
    /// Seconds until one more may follow, at least 1.
    pub(crate) reset_s: u32,
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
        let shared = SharedBuckets { redis, take: Script::new(TAKE_TOKEN), retry_at: Mutex::default() };
        Ok(Self { shared: Some(shared), local: Mutex::default() })
    }

    /// Takes one token from the bucket of `subject`, which holds `limit`; 0 is no limit.
    pub(crate) async fn check(&self, subject: &str, limit: u32) -> RateLimitDecision {
        if limit == 0 {
            return RateLimitDecision::Unlimited;
        }
        let (allowed, tokens) = match self.take_shared(subject, limit).await {
            Some(taken) => taken,
            None => self.take_local(subject, limit, now_ms()),
        };
        // The time until the bucket holds one whole token more than it does now.
        let missing = 1.0 - tokens.fract();
        let status = RateLimitStatus {
            remaining: tokens as u32,
            reset_s: (missing * 60.0 / f64::from(limit)).ceil().max(1.0) as u32,
        };
        if allowed { RateLimitDecision::Allowed(status) } else { RateLimitDecision::Limited(status) }
    }

    async fn take_shared(&self, subject: &str, limit: u32) -> Option<(bool, f64)> {
        let shared = self.shared.as_ref().filter(|shared| shared.may_ask())?;
        let mut redis = shared.redis.clone();
        let mut taking = shared.take.key(format!("gavel:rate:{subject}"));
        let taken: redis::RedisResult<(u8, i64)> = taking.arg(limit).invoke_async(&mut redis).await;
        shared.record(taken.is_ok());
        match taken {
            Ok((allowed, milli)) => Some((allowed == 1, milli as f64 / 1000.0)),
            Err(error) => {
                tracing::warn!(%error, "Redis did not answer; each replica limits rates by itself");
                None
            }
        }
    }

    fn take_local(&self, subject: &str, limit: u32, now: u64) -> (bool, f64) {
        let capacity = f64::from(limit);
        let rate = f64::from(limit) / 60_000.0;
        let mut buckets = self.local.lock();
        if buckets.len() >= MAX_LOCAL_BUCKETS {
            buckets.retain(|_, bucket| now.saturating_sub(bucket.at_ms) < 60_000);
        }
        let bucket = buckets.entry(subject.to_owned()).or_insert(Bucket { tokens: capacity, at_ms: now });
        let elapsed = now.saturating_sub(bucket.at_ms) as f64;
        bucket.tokens = (bucket.tokens + elapsed * rate).min(capacity);
        bucket.at_ms = now;
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        (allowed, bucket.tokens)
    }
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

    /// Whether a request at `now` is within a limit of 60 a minute.
    fn takes(limiter: &RateLimiter, now: u64) -> bool {
        limiter.take_local("key_1", 60, now).0
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
    async fn zero_is_no_limit_and_each_subject_has_a_limit_of_its_own() {
        let limiter = RateLimiter::local();
        let one = "key_1";
        let other = "user_1";
        assert_eq!(limiter.check(one, 0).await, RateLimitDecision::Unlimited);
        assert!(matches!(limiter.check(one, 1).await, RateLimitDecision::Allowed(_)));
        let RateLimitDecision::Limited(status) = limiter.check(one, 1).await else {
            panic!("was let through")
        };
        assert_eq!(status.remaining, 0);
        assert!((59..=60).contains(&status.reset_s), "{status:?}");
        assert!(matches!(limiter.check(other, 1).await, RateLimitDecision::Allowed(_)));
    }
}
