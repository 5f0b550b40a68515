//! The port to a memory of the last messages of channels, and what it is told of a message.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::record::{HashKey, Record};
use crate::operations::moderation::{Signals, TextMessage};
use ports::id::AccountId;

/// How long a message counts.
pub const WINDOW: Duration = Duration::from_secs(300);
/// The last messages of a channel that are remembered.
pub const RECORDS: usize = 128;

/// Remembers the last [`RECORDS`] messages of each channel for [`WINDOW`]. Bounded for each account.
#[async_trait]
pub trait ChannelMemory: Send + Sync + 'static {
    /// Remembers messages of an account, each with its channel, in order. Returns for each the messages before it in
    /// its channel. Never fails and never takes long: a memory that does not answer remembers nothing.
    async fn observe(&self, account: &AccountId, messages: &[(u64, Record)]) -> Vec<Vec<Record>>;
}

/// The memory of all channels. Cheap to clone.
#[derive(Clone)]
pub struct Channels {
    pub memory: Arc<dyn ChannelMemory>,
    /// The secret of the deployment, the same in all replicas.
    pub secret: [u8; 32],
}

impl Channels {
    /// Remembers those of an account's messages that name a channel. Returns the index and record of each, and the
    /// records before it in its channel. `request` identifies the request: one that is repeated counts once.
    pub(in crate::operations::moderation) async fn observe<'a>(
        &self,
        account: &AccountId,
        request: &str,
        messages: impl Iterator<Item = (&'a TextMessage, &'a Signals)>,
    ) -> Vec<(usize, Record, Vec<Record>)> {
        let key = self.key_of(account);
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let mut indices = Vec::new();
        let mut records = Vec::new();
        for (index, (message, signals)) in messages.enumerate() {
            if let Some(channel) = message.named_channel() {
                let id = key.hash(5, &[request, &index.to_string()]);
                indices.push(index);
                records.push((key.hash(6, &[channel]), Record::new(&key, id, at_ms, message, signals)));
            }
        }
        if records.is_empty() {
            return Vec::new();
        }
        let before = self.memory.observe(account, &records).await;
        let own = records.into_iter().map(|(_, record)| record);
        indices.into_iter().zip(own).zip(before).map(|((index, own), before)| (index, own, before)).collect()
    }

    /// Each account has a key of its own, so that the hashes of two cannot be compared.
    fn key_of(&self, account: &AccountId) -> HashKey {
        let mut key = [0; 16];
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.secret) {
            mac.update(account.as_str().as_bytes());
            key.copy_from_slice(&mac.finalize().into_bytes()[..16]);
        }
        HashKey(key)
    }
}
