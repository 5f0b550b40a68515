//! Background jobs through the domain's own interface, on real queues and databases: who runs a job, how
//! often, and how it ends.

mod delivery;
mod ending;
mod scripted;
