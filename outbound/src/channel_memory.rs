//! Remembers channels in Redis, so that all replicas agree; in this process while Redis does not answer.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    id::AccountId,
    moderation::channel::{ChannelMemory, LocalChannelMemory, RECORD_BYTES, RECORDS, Record, WINDOW},
};
use redis::{
    Client, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// The longest that Redis may take; a verdict waits no longer for it.
const TIMEOUT: Duration = Duration::from_millis(250);
/// The pause after Redis did not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Channels of an account that are remembered.
const ACCOUNT_CHANNELS: usize = 1_000;

/// Remembers messages in order. KEYS: the account's channels by their last use. ARGV: what the keys of channels begin
/// with, records of a channel, channels of an account, milliseconds of the window, milliseconds now; then a channel and
/// a record for each message. Returns for each the records before it, newest first.
const OBSERVE: &str = r"
local answers = {}
for i = 6, #ARGV, 2 do
  local key = ARGV[1] .. ARGV[i]
  answers[#answers + 1] = table.concat(redis.call('LRANGE', key, 0, ARGV[2] - 1))
  redis.call('LPUSH', key, ARGV[i + 1])
  redis.call('LTRIM', key, 0, ARGV[2] - 1)
  redis.call('PEXPIRE', key, ARGV[4])
  redis.call('ZADD', KEYS[1], ARGV[5], ARGV[i])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[5] - ARGV[4])
local over = redis.call('ZCARD', KEYS[1]) - ARGV[3]
if over > 0 then
  local popped = redis.call('ZPOPMIN', KEYS[1], over)
  for i = 1, #popped, 2 do redis.call('DEL', ARGV[1] .. popped[i]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return answers
";

/// The memory in Redis.
pub struct RedisChannelMemory {
    redis: ConnectionManager,
    observe: Script,
    local: LocalChannelMemory,
    /// When Redis is asked again; none while it answers.
    retry_at: Mutex<Option<Instant>>,
}

impl RedisChannelMemory {
    /// The memory in the Redis at `url`. Connects when it is first used.
    ///
    /// # Errors
    /// When `url` is not a Redis address.
    pub fn new(url: &str) -> redis::RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT))
            .set_number_of_retries(1);
        Ok(Self {
            redis: Client::open(url)?.get_connection_manager_lazy(config)?,
            observe: Script::new(OBSERVE),
            local: LocalChannelMemory::default(),
            retry_at: Mutex::default(),
        })
    }

    async fn ask(&self, account: &AccountId, messages: &[(u64, Record)]) -> Option<Vec<Vec<Record>>> {
        if !self.may_ask() {
            return None;
        }
        let now = messages.iter().map(|(_, record)| record.at_ms).max()?;
        let mut observe = self.observe.key(format!("gavel:channels:{account}"));
        observe.arg(format!("gavel:channel:{account}:")).arg(RECORDS).arg(ACCOUNT_CHANNELS);
        observe.arg(WINDOW.as_millis() as u64).arg(now);
        for (channel, record) in messages {
            observe.arg(format!("{channel:x}")).arg(&record.to_bytes()[..]);
        }
        let mut redis = self.redis.clone();
        // The connection's own timeout does not cover the time that it takes to connect again.
        let answered = tokio::time::timeout(TIMEOUT, observe.invoke_async::<Vec<Vec<u8>>>(&mut redis)).await;
        let answers = match answered {
            Ok(Ok(answers)) if answers.len() == messages.len() => Some(answers),
            Ok(Err(error)) => {
                tracing::warn!(%error, "Redis did not answer; channels are remembered in this process alone");
                None
            }
            Ok(Ok(_)) => None,
            Err(_) => {
                tracing::warn!("Redis took too long; channels are remembered in this process alone");
                None
            }
        };
        *self.retry_at() = answers.is_none().then(|| Instant::now() + RETRY_INTERVAL);
        let records = |bytes: Vec<u8>| bytes.chunks(RECORD_BYTES).filter_map(Record::from_bytes).collect();
        Some(answers?.into_iter().map(records).collect())
    }

    /// Whether Redis may be asked now. After it did not answer, one request alone tries it again.
    fn may_ask(&self) -> bool {
        let mut retry_at = self.retry_at();
        let may_ask = retry_at.is_none_or(|retry_at| retry_at <= Instant::now());
        if may_ask && retry_at.is_some() {
            *retry_at = Some(Instant::now() + RETRY_INTERVAL);
        }
        may_ask
    }

    fn retry_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.retry_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChannelMemory for RedisChannelMemory {
    async fn observe(&self, account: &AccountId, messages: &[(u64, Record)]) -> Vec<Vec<Record>> {
        match self.ask(account, messages).await {
            Some(before) => before,
            None => self.local.observe(account, messages).await,
        }
    }
}
