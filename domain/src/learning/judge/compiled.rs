//! The compiled schemas of Judges: compiled once for each version, which never changes.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use crate::{
    Error, Result,
    foundation::json_schema::JsonSchema,
    learning::owner::{Judge, JudgeVersion},
    operations::inference::{Asked, InstructionLimits, is_schema},
};
use ports::id::JudgeId;

/// Maximum bytes of compiled schemas in memory.
const MAX_BYTES: usize = 64 << 20;

/// What is compiled of a version of a Judge.
#[derive(Debug)]
pub(crate) struct CompiledVersion {
    /// What it asks, if its instructions are a JSON Schema.
    pub(super) asked: Option<Asked>,
    /// What its states must fit.
    pub(super) state: Option<JsonSchema>,
}

/// The compiled versions that were used last.
#[derive(Default)]
pub(super) struct CompiledVersions(Mutex<Cache>);

/// A version of a Judge.
#[derive(Clone, PartialEq, Eq, Hash)]
struct VersionKey {
    judge: JudgeId,
    number: i32,
}

struct Cache {
    by_version: LruCache<VersionKey, Arc<CompiledVersion>>,
    /// Of all versions.
    bytes: usize,
}

impl Default for Cache {
    fn default() -> Self {
        Self { by_version: LruCache::unbounded(), bytes: 0 }
    }
}

impl CompiledVersions {
    /// The compiled schemas of a Judge's newest version; `None` if it has none.
    ///
    /// # Errors
    /// Only for rows that were changed outside of Gavel.
    pub(super) async fn of(&self, judge: &Judge) -> Result<Option<Arc<CompiledVersion>>> {
        let version = &judge.version;
        if version.state_schema.is_none() && !is_schema(&version.instructions) {
            return Ok(None);
        }
        let key = VersionKey { judge: judge.id.clone(), number: version.number };
        if let Some(known) = self.0.lock().by_version.get(&key) {
            return Ok(Some(known.clone()));
        }
        let version = version.clone();
        let compiled = tokio::task::spawn_blocking(move || CompiledVersion::compile(&version));
        let compiled = Arc::new(compiled.await.map_err(Error::internal)??);
        metrics::counter!("gavel_schemas_compiled_total").increment(1);
        self.0.lock().insert(key, compiled.clone());
        Ok(Some(compiled))
    }
}

impl CompiledVersion {
    fn compile(version: &JudgeVersion) -> Result<Self> {
        let asks_by_schema = is_schema(&version.instructions);
        let asked = asks_by_schema
            .then(|| Asked::parse("instructions", &version.instructions, InstructionLimits::OWN));
        let state = version.state_schema.as_ref();
        let state = state.map(|schema| JsonSchema::parse("stateSchema", schema));
        Ok(Self {
            asked: asked.transpose().map_err(Error::internal)?,
            state: state.transpose().map_err(Error::internal)?,
        })
    }

    fn bytes(&self) -> usize {
        let output = self.asked.as_ref().and_then(|asked| asked.output.as_ref());
        output.map_or(0, |schema| schema.bytes()) + self.state.as_ref().map_or(0, JsonSchema::bytes)
    }
}

impl Cache {
    /// Drops the least recently used versions when all together take too many bytes.
    fn insert(&mut self, key: VersionKey, compiled: Arc<CompiledVersion>) {
        self.bytes += compiled.bytes();
        let replaced = self.by_version.put(key, compiled);
        self.bytes -= replaced.map_or(0, |version| version.bytes());
        while self.bytes > MAX_BYTES {
            let Some((_, dropped)) = self.by_version.pop_lru() else { return };
            self.bytes -= dropped.bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_versions_used_last_stay_within_the_bytes() {
        let mut cache = Cache::default();
        let large = json!({ "description": "x".repeat(60_000) });
        let judge = JudgeId::from("judge_a".to_owned());
        let keys: Vec<_> = (0..100).map(|number| VersionKey { judge: judge.clone(), number }).collect();
        for key in &keys {
            let state = JsonSchema::parse("stateSchema", &large).unwrap();
            cache.insert(key.clone(), Arc::new(CompiledVersion { asked: None, state: Some(state) }));
            assert!(cache.by_version.get(&keys[0]).is_some(), "used all the time");
        }
        let bytes: usize = cache.by_version.iter().map(|(_, version)| version.bytes()).sum();
        assert!(bytes == cache.bytes && bytes <= MAX_BYTES && cache.by_version.len() < 100, "{bytes}");
        assert!(!cache.by_version.contains(&keys[1]) && cache.by_version.contains(&keys[99]));
    }
}
