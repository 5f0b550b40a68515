//! The servers that answer questions in the model's place: what they are sent, and what becomes of what they say and of
//! what they fail to say.

mod answers;
mod asking;
mod auto;
mod breaker;
mod escalation;
mod faults;
mod memory;
mod paying;
mod retries;
