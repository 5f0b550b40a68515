//! A token bucket for each key, and for each person who is signed in: in this process, or shared by all replicas through Redis.
//!
//! A bucket holds a minute's worth of requests and fills evenly. When Redis does not answer, each replica falls back
//! to its own buckets for a while, without asking at every request: a limit too generous is better than an outage.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redis::{
    Client, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// Buckets a process keeps before it forgets the full ones.
const REMEMBERED: usize = 100_000;
/// How long Redis may take before a replica counts for itself.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long Redis is left alone when it did not answer.
const PAUSE: Duration = Duration::from_secs(2);

/// Takes one token. KEYS: the bucket. ARGV: capacity. Uses Redis' clock. Returns {allowed, tokens left x 1000}.
const TAKE: &str = r"
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

/// How somebody stands after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Requests they could make at once.
    pub(crate) remaining: u32,
    /// Seconds until there is one more, at least 1.
    pub(crate) reset_s: u32,
}

/// Whether a request may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No limit is set.
    Unlimited,
    /// Within the limit.
    Allowed(Standing),
    /// Over it.
    Refused(Standing),
}

/// The buckets.
pub struct RateLimiter {
    shared: Option<Shared>,
    own: Mutex<HashMap<String, Bucket>>,
}

/// Those in Redis.
struct Shared {
    redis: ConnectionManager,
    take: Script,
    /// When Redis, which did not answer, is asked next.
    again_at: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at_ms: u64,
}

impl RateLimiter {
    /// Buckets of this process alone.
    pub fn alone() -> Self {
        Self { shared: None, own: Mutex::default() }
    }

    /// Buckets shared through the Redis at `url`, which is looked for when the first one is needed.
    ///
    /// # Errors
    /// When `url` is not a Redis address.
    pub fn shared(url: &str) -> redis::RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE))
            .set_number_of_retries(1);
        let redis = Client::open(url)?.get_connection_manager_lazy(config)?;
        let shared = Shared { redis, take: Script::new(TAKE), again_at: Mutex::default() };
        Ok(Self { shared: Some(shared), own: Mutex::default() })
    }

    /// Takes one token from the bucket of `whose`, which holds `limit`; 0 is no limit.
    pub(crate) async fn check(&self, whose: &str, limit: u32) -> Verdict {
        if limit == 0 {
            return Verdict::Unlimited;
        }
        let (allowed, tokens) = match self.take_shared(whose, limit).await {
            Some(taken) => taken,
            None => self.take_own(whose, limit, now_ms()),
        };
        // The time until the bucket holds one whole token more than it does now.
        let missing = 1.0 - tokens.fract();
        let standing = Standing {
            remaining: tokens as u32,
            reset_s: (missing * 60.0 / f64::from(limit)).ceil().max(1.0) as u32,
        };
        if allowed { Verdict::Allowed(standing) } else { Verdict::Refused(standing) }
    }

    async fn take_shared(&self, whose: &str, limit: u32) -> Option<(bool, f64)> {
        let shared = self.shared.as_ref().filter(|shared| shared.turn())?;
        let mut redis = shared.redis.clone();
        let mut taking = shared.take.key(format!("gavel:rate:{whose}"));
        let taken: redis::RedisResult<(u8, i64)> = taking.arg(limit).invoke_async(&mut redis).await;
        shared.answers(taken.is_ok());
        match taken {
            Ok((allowed, milli)) => Some((allowed == 1, milli as f64 / 1000.0)),
            Err(error) => {
                tracing::warn!(%error, "Redis did not answer; limiting rates in this process alone");
                None
            }
        }
    }

    fn take_own(&self, whose: &str, limit: u32, now: u64) -> (bool, f64) {
        let (capacity, rate) = (f64::from(limit), f64::from(limit) / 60_000.0);
        let mut buckets = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED {
            buckets.retain(|_, bucket| now.saturating_sub(bucket.at_ms) < 60_000);
        }
        let bucket = buckets.entry(whose.to_owned()).or_insert(Bucket { tokens: capacity, at_ms: now });
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

impl Shared {
    /// Whether Redis may be asked. After a silence one request alone finds out whether it is over.
    fn turn(&self) -> bool {
        let mut again_at = self.again_at.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = again_at.is_none_or(|again_at| again_at <= Instant::now());
        if turn && again_at.is_some() {
            *again_at = Some(Instant::now() + PAUSE);
        }
        turn
    }

    fn answers(&self, answers: bool) {
        let mut again_at = self.again_at.lock().unwrap_or_else(PoisonError::into_inner);
        *again_at = (!answers).then(|| Instant::now() + PAUSE);
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_a_minute_and_fills_evenly() {
        let limiter = RateLimiter::alone();
        let taken = |now| limiter.take_own("key_1", 60, now).0;
        assert!((0..60).all(|_| taken(1_000)));
        assert!(!taken(1_000));
        assert!(!taken(1_900));
        assert!(taken(2_000));
        assert!(!taken(2_000));
        assert_eq!((0..100).filter(|_| taken(120_000)).count(), 60);
    }

    #[tokio::test]
    async fn zero_is_no_limit_and_each_has_their_own() {
        let limiter = RateLimiter::alone();
        let (one, other) = ("key_1", "user_1");
        assert_eq!(limiter.check(one, 0).await, Verdict::Unlimited);
        assert!(matches!(limiter.check(one, 1).await, Verdict::Allowed(_)));
        let Verdict::Refused(standing) = limiter.check(one, 1).await else { panic!("was let through") };
        assert_eq!(standing.remaining, 0);
        assert!((59..=60).contains(&standing.reset_s), "{standing:?}");
        assert!(matches!(limiter.check(other, 1).await, Verdict::Allowed(_)));
    }
}
