//! Background work: the queue that delivers jobs (apalis, over Redis or an SQLite file of its own), the workers that run
//! them, and the periodic tasks. What a job does and what it costs is decided in `domain`.

mod consume;
mod queue;
mod schedules;
mod settings;
mod worker;

pub use queue::Queue;
pub use schedules::Schedule;
pub use settings::Settings;
pub use worker::Worker;
