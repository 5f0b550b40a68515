//! Errors and nulls.
//!
//! Specification 6.4.4: a field that failed is null; where its type is non-null, its parent is null in its place, up to
//! the whole of `data`. async-graphql 7.1 and 7.2 leave a failed field out of its parent (`do_resolve_container` in
//! `resolver_utils/container.rs`, by #1746); 8.0 takes that back (#1806).

use std::{collections::HashSet, mem::take, sync::Arc};

use async_graphql::{
    QueryPathNode, Response, ServerError, ServerResult, Value,
    extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute, NextResolve, ResolveInfo},
};
use parking_lot::Mutex;

/// An extension that propagates nulls; one for each operation.
#[derive(Default)]
pub(in crate::graphql) struct NullPropagation(Mutex<Failures>);

#[derive(Default)]
struct Failures {
    errors: Vec<ServerError>,
    /// Paths whose value must become null because a non-null field in it failed. The empty path is the whole of `data`.
    nulls: HashSet<String>,
}

impl ExtensionFactory for NullPropagation {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(NullPropagation::default())
    }
}

#[async_graphql::async_trait::async_trait]
impl Extension for NullPropagation {
    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        let mut response = next.run(ctx, name).await;
        let mut failures = self.0.lock();
        response.errors.append(&mut failures.errors);
        if take(&mut failures.nulls).contains("") {
            response.data = Value::Null;
        }
        response
    }

    async fn resolve(
        &self,
        ctx: &ExtensionContext<'_>,
        info: ResolveInfo<'_>,
        next: NextResolve<'_>,
    ) -> ServerResult<Option<Value>> {
        let path = info.path_node;
        let nullable = !info.return_type.ends_with('!');
        let resolved = next.run(ctx, info).await;
        let mut failures = self.0.lock();
        match resolved {
            Ok(value) if !failures.take_null(path) => return Ok(value),
            Ok(_) => {}
            Err(error) => failures.errors.push(error),
        }
        if !nullable {
            failures.nulls.insert(path.parent.map(ToString::to_string).unwrap_or_default());
        }
        Ok(Some(Value::Null))
    }
}

impl Failures {
    /// Whether the value at `path` must become null. Paths are written out only once something has failed.
    fn take_null(&mut self, path: &QueryPathNode<'_>) -> bool {
        !self.nulls.is_empty() && self.nulls.remove(&path.to_string())
    }
}
