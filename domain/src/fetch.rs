//! Downloads what a client names by URL, from the public internet alone unless an operator allows more.
