//! Positional arguments of a measurement.

use anyhow::Context as _;

/// Reads positional arguments in order.
pub(crate) struct Arguments<'a> {
    rest: std::slice::Iter<'a, &'a str>,
    /// The file whose head describes them.
    file: &'static str,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(arguments: &'a [&'a str], file: &'static str) -> Self {
        Self { rest: arguments.iter(), file }
    }

    /// The next argument. `what` names it in the error if it is missing.
    pub(crate) fn next(&mut self, what: &str) -> anyhow::Result<&'a str> {
        self.rest.next().copied().with_context(|| format!("no {what}; see the head of {}", self.file))
    }
}
