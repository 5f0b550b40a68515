//! A line of the URL table: handlers, their path and their rules.

use axum::routing::MethodRouter;
use utoipa::openapi::{
    PathItem,
    path::{Operation, Paths},
};
use utoipa_axum::router::UtoipaMethodRouter;

use super::{errors::Causes, rules::Rules};
use crate::{app::App, error::ErrorFormat, openapi::add_examples};

/// Handlers with their path.
pub(super) struct Route {
    handlers: UtoipaMethodRouter<App>,
    rules: Rules,
}

/// Handlers at the path of their `#[utoipa::path]`.
pub(super) fn route(handlers: UtoipaMethodRouter<App>, rules: Rules) -> Route {
    Route { handlers, rules }
}

impl Route {
    /// Moves the handlers to `path`, an alias of their own, as an operation of its own.
    pub(super) fn alias(mut self, path: &str, operation_id: &str) -> Self {
        let original = self.path();
        let paths = &mut self.handlers.1.paths;
        if let Some(mut item) = paths.remove(&original) {
            for operation in operations(&mut item) {
                // By the id that it has as yet.
                add_examples(operation);
                operation.operation_id = Some(operation_id.to_owned());
                operation.summary = Some(format!("The same as {original}"));
            }
            paths.insert(path.to_owned(), item);
        }
        self
    }

    /// The handlers with their descriptions; `format` is that of their errors.
    pub(super) fn described(mut self, format: ErrorFormat) -> UtoipaMethodRouter<App> {
        let Paths { paths, .. } = &mut self.handlers.1;
        for (path, item) in paths {
            let causes = Causes { rules: self.rules, path, format };
            for operation in operations(item) {
                causes.describe(operation);
                add_examples(operation);
            }
        }
        self.handlers
    }

    /// The path, and the handlers behind access control.
    pub(super) fn guarded(self, app: &App) -> (String, MethodRouter<App>) {
        let path = self.path();
        (path, self.rules.guard(self.handlers.2, app))
    }

    /// The path, and the handlers for parts of requests; see [`Rules::guard_part`].
    pub(super) fn guarded_part(self, app: &App) -> (String, MethodRouter<App>) {
        let path = self.path();
        (path, self.rules.guard_part(self.handlers.2, app))
    }

    pub(super) fn path(&self) -> String {
        self.handlers.1.paths.keys().next().cloned().unwrap_or_default()
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    item.get.iter_mut().chain(&mut item.post).chain(&mut item.delete)
}
