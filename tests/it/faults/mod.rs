//! What breaks in the field: processes killed, a database that goes away or fills up, connections cut at the worst
//! moment. Whatever happens, nobody pays twice, nobody pays for an error, and whoever was answered has paid.

mod api_killed;
mod bulk_changes;
mod claim_cut;
mod clients_gone;
mod commit_cut;
mod disk_full;
mod ending;
mod hold_cut;
mod large_dataset;
mod lease;
mod load;
mod network_split;
mod postgres_killed;
mod postgres_server;
mod proxy;
mod refused_rows;
mod replicas;
mod settled;
mod statistics;
mod storage_quota;
mod victim;
