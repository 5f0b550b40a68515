//! A line of the URL table, and the layers around its handlers.

use std::time::Duration;

use axum::{
    Extension, Router, extract::DefaultBodyLimit, http::StatusCode, middleware, routing::MethodRouter,
};
use domain::people::api_key::Scope;
use tower_http::{catch_panic::CatchPanicLayer, timeout::RequestBodyTimeoutLayer};
use utoipa::openapi::PathItem;
use utoipa_axum::router::UtoipaMethodRouter;

use crate::{
    access::{self, Guard},
    app::App,
    error::ErrorFormat,
    extract::AcceptsCompressed,
    graphql,
    openapi::add_examples,
    request,
    settings::Settings,
};

/// The longest pause between two chunks of a body.
const BODY_PAUSE: Duration = Duration::from_secs(10);

/// Who may call a route, and with how large a body.
#[derive(Clone, Copy)]
pub(super) struct Access(Option<KeyAccess>);

/// Access with an API key or a session.
#[derive(Clone, Copy)]
struct KeyAccess {
    /// Of a key any of these is enough; see [`crate::identity::Identity::require_any`] for people.
    scopes: &'static [Scope],
    /// Bytes that a body may have, compressed and decoded.
    body_bytes: fn(&Settings) -> usize,
    /// Whether a body may come compressed.
    compressed: bool,
}

impl Access {
    /// Neither is needed.
    pub(super) const fn public() -> Self {
        Self(None)
    }

    /// An API key with one of `scopes` is needed, or a signed-in person who may do the same. Another method on the path is 405
    /// without a look at either.
    pub(super) const fn key(scopes: &'static [Scope], body_bytes: fn(&Settings) -> usize) -> Self {
        Self(Some(KeyAccess { scopes, body_bytes, compressed: false }))
    }

    /// Accepts bodies with a `Content-Encoding` too.
    pub(super) fn compressed(self) -> Self {
        Self(self.0.map(|key| KeyAccess { compressed: true, ..key }))
    }

    fn guard(self, handlers: MethodRouter<App>, app: &App) -> MethodRouter<App> {
        let Some(key) = self.0 else { return handlers };
        let max_bytes = (key.body_bytes)(&app.settings);
        let guard = Guard { access: app.access.clone(), scopes: key.scopes };
        let guarded = handlers.route_layer((
            DefaultBodyLimit::max(max_bytes),
            middleware::from_fn_with_state(guard, access::authorize),
        ));
        if key.compressed { guarded.route_layer(Extension(AcceptsCompressed { max_bytes })) } else { guarded }
    }
}

/// A path with its handlers.
pub(super) struct Route {
    path: &'static str,
    handlers: UtoipaMethodRouter<App>,
    access: Access,
}

/// Registers `handlers` at `path`; the path in their own `#[utoipa::path]` does not count.
pub(super) fn route(path: &'static str, handlers: UtoipaMethodRouter<App>, access: Access) -> Route {
    let (schemas, mut described, handlers) = handlers;
    let items = std::mem::take(&mut described.paths).into_values();
    let with_examples = |mut item: PathItem| {
        item.get.iter_mut().chain(&mut item.post).for_each(add_examples);
        (path.to_owned(), item)
    };
    described.paths = items.map(with_examples).collect();
    Route { path, handlers: (schemas, described, handlers), access }
}

impl Route {
    /// Describes the route as an alias of `original`, another path of the same handlers.
    pub(super) fn alias(mut self, operation_id: &str, original: &str) -> Self {
        for operation in self.handlers.1.paths.values_mut().filter_map(|item| item.post.as_mut()) {
            operation.operation_id = Some(operation_id.to_owned());
            operation.summary = Some(format!("The same as {original}"));
        }
        self
    }

    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    /// The handlers with their descriptions.
    pub(super) fn described(self) -> UtoipaMethodRouter<App> {
        self.handlers
    }

    /// The path, and the handlers behind access control.
    pub(super) fn guarded(self, app: &App) -> (&'static str, MethodRouter<App>) {
        (self.path, self.access.guard(self.handlers.2, app))
    }
}

/// Handlers of GraphQL, behind authentication and a limit of the body.
pub(super) fn authenticated(handlers: MethodRouter<App>, app: &App) -> MethodRouter<App> {
    handlers
        .route_layer(middleware::from_fn_with_state(app.graphql.clone(), graphql::authenticate))
        .route_layer(DefaultBodyLimit::max(app.settings.graphql_body_bytes))
}

/// Adds the layers that every route has; `format` is that of its errors.
pub(super) fn with_common_layers(router: Router<App>, app: &App, format: ErrorFormat) -> Router<App> {
    router
        .method_not_allowed_fallback(|| async { StatusCode::METHOD_NOT_ALLOWED })
        // One layer of three, the outermost first: each further one would be boxed, and cloned with every request.
        .layer((
            middleware::from_fn_with_state((app.clone(), format), request::handle),
            CatchPanicLayer::new(),
            RequestBodyTimeoutLayer::new(BODY_PAUSE),
        ))
}
