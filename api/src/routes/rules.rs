//! What a route requires of a request: who may send it, with which body, and whether it costs credits.

use axum::{Extension, extract::DefaultBodyLimit, middleware, routing::MethodRouter};
use domain::{money::pricing::Operation, people::api_key::Scope};

use crate::{
    access::{self, Guard},
    app::App,
    arrival::WholeBody,
    extract::AcceptsCompressed,
    identity::Rights,
    settings::ApiSettings,
};

/// What a route requires.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// `None` for a public route.
    pub(super) rights: Option<Rights>,
    /// `None` when the body is not read.
    pub(super) body: Option<RequestBody>,
    pub(super) price: Price,
}

/// The body that a route reads.
#[derive(Clone, Copy)]
pub(super) struct RequestBody {
    pub(super) kind: BodyKind,
    /// Bytes that it may have, compressed and decoded.
    max_bytes: fn(&ApiSettings) -> usize,
    /// Whether it may come compressed.
    compressed: bool,
}

/// The form of a body.
#[derive(Clone, Copy)]
pub(super) enum BodyKind {
    /// Read by [`crate::extract::ApiJson`].
    Json,
    /// Read by [`crate::extract::JsonOrForm`]: a picture.
    JsonOrForm,
    /// Read while it arrives, in one of several formats.
    File,
}

/// What a request costs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Price {
    Free,
    /// An engine answers at once, and success is charged at least the price of the cheapest of these.
    Charged(&'static [Operation]),
    /// Credits are held for work in the background.
    Held,
}

impl RequestBody {
    /// The body as it is received before the handler runs; `None` for one that the handler reads while it arrives.
    fn received_whole(self, max_bytes: usize) -> Option<WholeBody> {
        match self.kind {
            BodyKind::Json => Some(WholeBody { max_bytes, or_form: false }),
            BodyKind::JsonOrForm => Some(WholeBody { max_bytes, or_form: true }),
            BodyKind::File => None,
        }
    }
}

impl Rules {
    /// Anybody may send the request.
    pub(super) const fn public() -> Self {
        Self { rights: None, body: None, price: Price::Free }
    }

    /// The request needs an API key with one of `scopes`, or a signed-in person who may do the same. Other methods on
    /// the path are 405 before either is looked at.
    pub(super) const fn key(scopes: &'static [Scope]) -> Self {
        Self { rights: Some(Rights { scopes, moderators: false }), body: None, price: Price::Free }
    }

    /// Moderators may send the request too.
    pub(super) const fn moderators(mut self) -> Self {
        if let Some(rights) = &mut self.rights {
            rights.moderators = true;
        }
        self
    }

    /// The route reads JSON.
    pub(super) const fn json(self, max_bytes: fn(&ApiSettings) -> usize) -> Self {
        self.body(BodyKind::Json, max_bytes)
    }

    /// The route reads JSON or a form with a picture.
    pub(super) const fn json_or_form(self, max_bytes: fn(&ApiSettings) -> usize) -> Self {
        self.body(BodyKind::JsonOrForm, max_bytes)
    }

    /// The route reads a file.
    pub(super) const fn file(self, max_bytes: fn(&ApiSettings) -> usize) -> Self {
        self.body(BodyKind::File, max_bytes)
    }

    /// The body may come with a `Content-Encoding`.
    pub(super) const fn compressed(mut self) -> Self {
        if let Some(body) = &mut self.body {
            body.compressed = true;
        }
        self
    }

    /// Success is charged, at least the price of the cheapest of `operations`.
    pub(super) const fn charged(self, operations: &'static [Operation]) -> Self {
        Self { price: Price::Charged(operations), ..self }
    }

    /// Credits are held for work in the background.
    pub(super) const fn held(self) -> Self {
        Self { price: Price::Held, ..self }
    }

    const fn body(self, kind: BodyKind, max_bytes: fn(&ApiSettings) -> usize) -> Self {
        Self { body: Some(RequestBody { kind, max_bytes, compressed: false }), ..self }
    }

    /// Puts handlers behind access control and the limit of the body.
    pub(super) fn guard(self, handlers: MethodRouter<App>, app: &App) -> MethodRouter<App> {
        let Some(rights) = self.rights else { return handlers };
        let max_bytes = self.body.map_or(0, |body| (body.max_bytes)(&app.settings));
        let guard = Guard {
            access: app.access.clone(),
            rights,
            body: self.body.and_then(|body| body.received_whole(max_bytes)),
            charged: match self.price {
                Price::Charged(operations) => operations,
                Price::Free | Price::Held => &[],
            },
        };
        let guarded = handlers.route_layer((
            DefaultBodyLimit::max(max_bytes),
            middleware::from_fn_with_state(guard, access::authorize),
        ));
        if self.body.is_some_and(|body| body.compressed) {
            guarded.route_layer(Extension(AcceptsCompressed { max_bytes }))
        } else {
            guarded
        }
    }

    /// Puts handlers behind the scopes and the limit of the body alone, for parts of requests that are behind access
    /// control as a whole.
    pub(super) fn guard_part(self, handlers: MethodRouter<App>, app: &App) -> MethodRouter<App> {
        let Some(rights) = self.rights else { return handlers };
        let max_bytes = self.body.map_or(0, |body| (body.max_bytes)(&app.settings));
        handlers.route_layer((
            DefaultBodyLimit::max(max_bytes),
            middleware::from_fn_with_state(rights, access::require_rights),
        ))
    }
}
