//! Model servers that answer questions instead of the built-in model: requests, answers and faults.

mod allowed;
mod answers;
mod asking;
mod auto;
mod breaker;
mod calibrating;
mod cascade;
mod decisions;
mod escalation;
mod evaluating;
mod faults;
mod llm;
mod memory;
mod naming;
mod paying;
mod recalibrating;
mod retries;
mod rules;
