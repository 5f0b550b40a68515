//! Checkpoints through the domain's own interface, with a scripted trainer and real workers: money,
//! snapshots, interruptions.

mod ending;
mod evaluating;
mod faults;
mod giving_way;
mod scripted;
mod telling;
mod training;
