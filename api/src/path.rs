//! Paths with a slash too many, which clients send that join a base address and a path.

use axum::http::{Request, Uri};

/// The first segments of the paths that this is about. Pages of the dashboard have their own addresses, and operators'
/// tools may be kept from strangers by their exact paths.
const API: [&str; 4] = ["api", "v1", "graphql", "mcp"];

/// Removes a slash at the end and doubled ones from the path of a request to the API. To be called before routing, so
/// that access control sees the same path as the handler.
pub(crate) fn without_extra_slashes<B>(mut request: Request<B>) -> Request<B> {
    if let Some(uri) = simplified(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

/// The URI without extra slashes; none if it has none, or is not the API's.
fn simplified(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    if !path.ends_with('/') && !path.contains("//") {
        return None;
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if !API.contains(segments.first()?) {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("/{}{query}", segments.join("/")).parse().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_slashes_of_the_api_are_removed() {
        for (sent, taken) in [
            ("/api/v1/moderate/text/", Some("/api/v1/moderate/text")),
            ("//v1//models///?a=//b/", Some("/v1/models?a=//b/")),
            ("/mcp/", Some("/mcp")),
            ("http://example.org/graphql/", Some("http://example.org/graphql")),
            ("/api/v1/moderate/text", None),
            ("/api/v1/a%2F%2Fb", None),
            ("/", None),
            ("//", None),
            ("/judges/", None),
            ("//evil.example/api/", None),
            ("/docs/", None),
            ("/metrics/", None),
        ] {
            let simplified = simplified(&sent.parse().unwrap()).map(|uri| uri.to_string());
            assert_eq!(simplified.as_deref(), taken, "{sent}");
        }
    }
}
