//! The schema, one file a change, applied in order. Knows nothing of the rest of the house.

use sea_orm_migration::prelude::*;

mod m20261121_000001_create_accounts;

/// Applies every change once, in order.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m20261121_000001_create_accounts::Migration)]
    }
}
