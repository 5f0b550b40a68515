//! Remembers channels in Redis, so that all replicas agree. While Redis does not answer, each process remembers its
//! own.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::operations::moderation::channel::{
    ChannelMemory, LocalChannelMemory, RECORD_BYTES, RECORDS, Record, WINDOW,
};
use parking_lot::Mutex;
use ports::id::AccountId;
use redis::{
    Client, Script,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// The timeout of a request to Redis, since a verdict waits for it.
const TIMEOUT: Duration = Duration::from_millis(250);
/// How long Redis is not asked after it failed to answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of channels remembered for an account.
const ACCOUNT_CHANNELS: usize = 1_000;

/// Records messages in order. KEYS: the account's channels by last use. ARGV: the key prefix of channels, the maximum
/// of records of a channel, the maximum of channels of an account, the length of the window and the current time, both
/// in milliseconds; then a channel and a record for each message. Returns the earlier records for each message, newest
/// first.
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

/// A channel memory in Redis.
pub struct RedisChannelMemory {
    redis: ConnectionManager,
    observe: Script,
    local: LocalChannelMemory,
    /// When Redis may be asked again. `None` while it answers.
    retry_at: Mutex<Option<Instant>>,
}

impl RedisChannelMemory {
    /// Uses the Redis at `url`. Connects on first use.
    ///
    /// # Errors
    /// If `url` is not a Redis URL.
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
        // The connection's own timeout does not include the time to reconnect.
        let answered = tokio::time::timeout(TIMEOUT, observe.invoke_async::<Vec<Vec<u8>>>(&mut redis)).await;
        let answers = match answered {
            Ok(Ok(answers)) if answers.len() == messages.len() => Some(answers),
            Ok(Err(error)) => {
                tracing::warn!(%error, "Redis did not answer; remembering channels in this process only");
                None
            }
            Ok(Ok(_)) => None,
            Err(_) => {
                tracing::warn!("Redis timed out; remembering channels in this process only");
                None
            }
        };
        *self.retry_at.lock() = answers.is_none().then(|| Instant::now() + RETRY_INTERVAL);
        Some(answers?.iter().map(|bytes| records(bytes)).collect())
    }

    /// Whether Redis may be asked now. After a failure, one request at a time tries it again.
    fn may_ask(&self) -> bool {
        let mut retry_at = self.retry_at.lock();
        let may_ask = retry_at.is_none_or(|retry_at| retry_at <= Instant::now());
        if may_ask && retry_at.is_some() {
            *retry_at = Some(Instant::now() + RETRY_INTERVAL);
        }
        may_ask
    }
}

fn records(bytes: &[u8]) -> Vec<Record> {
    bytes.chunks(RECORD_BYTES).filter_map(Record::from_bytes).collect()
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
