//! Inference latency: mean, percentiles and maximum. A percentile is the nearest rank: of n sorted latencies, the
//! one at rank ceil(p n / 100), counted from 1. It is always an observed value.

use std::collections::HashMap;

use super::{
    Statistics,
    select::{Scope, Select, Table, by_backend, count, dataset},
};
use crate::{Result, learning::dataset::SampleFilter};
use ports::id::{AccountId, DatasetId};

/// Latencies in milliseconds, over the samples that have one.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    /// Samples with a latency; at least 1.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

impl Statistics {
    /// Reads the latencies of an account's datasets; a dataset without any is left out.
    pub async fn latencies(
        &self,
        account: &AccountId,
        datasets: &[DatasetId],
        filter: &SampleFilter,
    ) -> Result<HashMap<DatasetId, Latency>> {
        let scope = Scope { db: &self.db, account, filter };
        let what = by_backend(&self.db, POSTGRES, "s.judge_id, s.latency_ms");
        let mut select = Select::of(scope, what, Table::Samples, datasets);
        select.sql += " AND s.latency_ms IS NOT NULL";
        select.sql = match what == POSTGRES {
            true => select.sql + " GROUP BY s.judge_id",
            false => SQLITE.replace("{taken}", &select.sql),
        };
        let mut latencies = HashMap::new();
        for row in select.rows(&self.db, account).await? {
            let latency = Latency {
                count: count(&row, "latencies")?,
                mean: row.try_get("", "mean")?,
                p50: row.try_get("", "p50")?,
                p90: row.try_get("", "p90")?,
                p95: row.try_get("", "p95")?,
                p99: row.try_get("", "p99")?,
                max: row.try_get("", "most")?,
            };
            latencies.insert(dataset(&row)?, latency);
        }
        Ok(latencies)
    }
}

/// `percentile_disc` is the nearest rank.
const POSTGRES: &str = "s.judge_id, COUNT(*) AS latencies, AVG(s.latency_ms) AS mean, MAX(s.latency_ms) AS most, \
    percentile_disc(0.5) WITHIN GROUP (ORDER BY s.latency_ms) AS p50, \
    percentile_disc(0.9) WITHIN GROUP (ORDER BY s.latency_ms) AS p90, \
    percentile_disc(0.95) WITHIN GROUP (ORDER BY s.latency_ms) AS p95, \
    percentile_disc(0.99) WITHIN GROUP (ORDER BY s.latency_ms) AS p99";

/// SQLite has no such function: the ranks are counted.
const SQLITE: &str = "WITH placed AS (SELECT judge_id, latency_ms, COUNT(*) OVER (PARTITION BY judge_id) AS n, \
        ROW_NUMBER() OVER (PARTITION BY judge_id ORDER BY latency_ms) AS place FROM ({taken})) \
    SELECT judge_id, n AS latencies, AVG(latency_ms) AS mean, MAX(latency_ms) AS most, \
        MAX(CASE WHEN place = (50 * n + 99) / 100 THEN latency_ms END) AS p50, \
        MAX(CASE WHEN place = (90 * n + 99) / 100 THEN latency_ms END) AS p90, \
        MAX(CASE WHEN place = (95 * n + 99) / 100 THEN latency_ms END) AS p95, \
        MAX(CASE WHEN place = (99 * n + 99) / 100 THEN latency_ms END) AS p99 \
    FROM placed GROUP BY judge_id, n";
