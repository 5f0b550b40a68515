//! Decision models behind OpenAI's `POST /v1/decisions`: OpenAI itself, a gateway, or another Gavel.

mod backend;
mod wire;

pub use backend::OpenAiDecisions;
