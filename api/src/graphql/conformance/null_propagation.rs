//! Errors and nulls by the specification (6.4.4): a field that failed is null, and where it must not be null, what it stands in
//! is. async-graphql leaves such fields out instead.

use std::{
    collections::HashSet,
    mem::take,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_graphql::{
    QueryPathNode, Response, ServerError, ServerResult, Value,
    extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute, NextResolve, ResolveInfo},
};

/// Made anew for each operation.
#[derive(Default)]
pub(in crate::graphql) struct NullPropagation(Mutex<Failed>);

#[derive(Default)]
struct Failed {
    errors: Vec<ServerError>,
    /// Paths that are null since something in them must not be; the empty one is the whole answer.
    nulls: HashSet<String>,
}

impl NullPropagation {
    fn failed(&self) -> MutexGuard<'_, Failed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let mut failed = self.failed();
        response.errors.append(&mut failed.errors);
        if take(&mut failed.nulls).contains("") {
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
        let (path, may_be_null) = (info.path_node, !info.return_type.ends_with('!'));
        let resolved = next.run(ctx, info).await;
        let mut failed = self.failed();
        match resolved {
            Ok(value) if !failed.has_null(path) => return Ok(value),
            Ok(_) => {}
            Err(error) => failed.errors.push(error),
        }
        if !may_be_null {
            failed.nulls.insert(path.parent.map(ToString::to_string).unwrap_or_default());
        }
        Ok(Some(Value::Null))
    }
}

impl Failed {
    /// Paths are written only once something has failed.
    fn has_null(&mut self, path: &QueryPathNode<'_>) -> bool {
        !self.nulls.is_empty() && self.nulls.remove(&path.to_string())
    }
}
