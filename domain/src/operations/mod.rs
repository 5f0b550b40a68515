//! What clients pay for: moderation of texts and images, and answers to typed questions.

pub mod inference;
pub mod moderation;
