//! Model servers that answer questions instead of the built-in model: requests, answers and faults.

mod answers;
mod asking;
mod auto;
mod breaker;
mod escalation;
mod faults;
mod memory;
mod paying;
mod retries;
