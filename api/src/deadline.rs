//! The deadline of a request, which includes receiving its body. A request that is being charged is no longer
//! cancelled: its answer is about to come.

use std::{pin::pin, time::Duration};

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{Code, Error, money::billing::FinishFlag};
use tokio::time::timeout;

use crate::error::Failure;

/// A request's deadline: after it the client gets 503 and nothing is charged.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Answers 503 when the deadline passes before the request is being charged.
pub(crate) async fn enforce(mut request: Request, finish: FinishFlag, next: Next) -> Response {
    request.extensions_mut().insert(finish.clone());
    let mut answer = pin!(next.run(request));
    match timeout(REQUEST_TIMEOUT, &mut answer).await {
        Ok(response) => response,
        Err(_) if finish.set() => {
            let message = format!("this took over {} s and was given up", REQUEST_TIMEOUT.as_secs());
            Failure(Error::new(Code::Overloaded, message)).into_response()
        }
        Err(_) => answer.await,
    }
}
