//! The types of events.

use crate::{Error, Result};

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    BatchCompleted,
    BatchFailed,
    BatchCancelled,
    BatchExpired,
    CheckpointSucceeded,
    CheckpointFailed,
    CheckpointCancelled,
    EvaluationSucceeded,
    EvaluationFailed,
    EvaluationCancelled,
    /// A test, sent to one endpoint on request.
    Ping,
}

impl EventType {
    /// Those that an endpoint can subscribe to.
    pub const ALL: [EventType; 10] = [
        EventType::BatchCompleted,
        EventType::BatchFailed,
        EventType::BatchCancelled,
        EventType::BatchExpired,
        EventType::CheckpointSucceeded,
        EventType::CheckpointFailed,
        EventType::CheckpointCancelled,
        EventType::EvaluationSucceeded,
        EventType::EvaluationFailed,
        EventType::EvaluationCancelled,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            EventType::BatchCompleted => "batch.completed",
            EventType::BatchFailed => "batch.failed",
            EventType::BatchCancelled => "batch.cancelled",
            EventType::BatchExpired => "batch.expired",
            EventType::CheckpointSucceeded => "checkpoint.succeeded",
            EventType::CheckpointFailed => "checkpoint.failed",
            EventType::CheckpointCancelled => "checkpoint.cancelled",
            EventType::EvaluationSucceeded => "evaluation.succeeded",
            EventType::EvaluationFailed => "evaluation.failed",
            EventType::EvaluationCancelled => "evaluation.cancelled",
            EventType::Ping => "ping",
        }
    }

    /// Parses the types that an endpoint subscribes to, as the client named them; each is listed once.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an unknown type.
    pub(super) fn parse_all(names: &[String]) -> Result<Vec<Self>> {
        let mut types = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let known = EventType::ALL.into_iter().find(|known| known.as_str() == name);
            let kind = known.ok_or_else(|| {
                let all = EventType::ALL.map(EventType::as_str).join(", ");
                Error::invalid(format!("event_types[{place}]"), format!("must be one of: {all}"))
            })?;
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        Ok(types)
    }
}
