//! GraphQL, as a front end meets it: the transport here, each noun in its own file.

mod asking;
mod csrf;
mod http;
mod limits;
mod sdl;
mod socket;
mod stats;
mod subscriptions;
