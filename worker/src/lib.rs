//! Background work: the queue that delivers jobs (apalis, over Redis or its own SQLite file), the workers that run
//! them, and periodic tasks. `domain` decides what a job does and what it costs.

mod consume;
mod queue;
mod schedules;
mod settings;
mod worker;

pub use queue::Queue;
pub use schedules::Schedule;
pub use settings::{InvalidQueueName, WorkerSettings};
pub use worker::{Worker, WorkerParts};
