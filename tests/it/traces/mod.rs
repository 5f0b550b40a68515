//! Traces: what is exported to a collector, and how they are continued across processes.

mod collector;
mod export;
