//! The compiled schemas of Judges: compiled once for each version, which never changes.

use std::{collections::HashMap, sync::Arc};

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

#[derive(Default)]
struct Cache {
    by_version: HashMap<VersionKey, Entry>,
    /// Of all entries.
    bytes: usize,
    /// Counts uses, to tell which entry was used last.
    uses: u64,
}

struct Entry {
    compiled: Arc<CompiledVersion>,
    bytes: usize,
    used: u64,
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
        if let Some(known) = self.0.lock().get(&key) {
            return Ok(Some(known));
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
    fn get(&mut self, key: &VersionKey) -> Option<Arc<CompiledVersion>> {
        self.uses += 1;
        let entry = self.by_version.get_mut(key)?;
        entry.used = self.uses;
        Some(entry.compiled.clone())
    }

    /// Drops those whose last use is the longest ago when they become too many.
    fn insert(&mut self, key: VersionKey, compiled: Arc<CompiledVersion>) {
        self.uses += 1;
        let bytes = compiled.bytes();
        let replaced = self.by_version.insert(key, Entry { compiled, bytes, used: self.uses });
        self.bytes = self.bytes + bytes - replaced.map_or(0, |entry| entry.bytes);
        while self.bytes > MAX_BYTES {
            let Some(oldest) = self.by_version.iter().min_by_key(|(_, entry)| entry.used) else { return };
            let oldest = oldest.0.clone();
            self.bytes -= self.by_version.remove(&oldest).map_or(0, |entry| entry.bytes);
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
            assert!(cache.get(&keys[0]).is_some(), "used all the time");
        }
        let bytes: usize = cache.by_version.values().map(|entry| entry.bytes).sum();
        assert!(bytes == cache.bytes && bytes <= MAX_BYTES && cache.by_version.len() < 100, "{bytes}");
        assert!(cache.get(&keys[1]).is_none() && cache.get(&keys[99]).is_some());
    }
}
