//! Faults in production: killed processes, a database that disappears or fills up, connections cut at the worst moment.
//! Nobody pays twice, nobody pays for an error, and every answer is paid for.

mod abandoned_duplicates;
mod api_killed;
mod batch_restart;
mod bulk_changes;
mod claim_cut;
mod clients_gone;
mod commit_cut;
mod disk_full;
mod doubts;
mod ending;
mod hold_cut;
mod idle_connections;
mod introspection;
mod large_dataset;
mod large_rows;
mod lease;
mod load;
mod long_states;
mod network_split;
mod panics;
mod policies;
mod postgres_killed;
mod postgres_server;
mod proxy;
mod refused_rows;
mod replicas;
mod settled;
mod sign_in;
mod slow_bodies;
mod slow_downloads;
mod statistics;
mod storage_quota;
mod subscribers;
mod victim;
