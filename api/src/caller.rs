//! Who shares the limits of bodies and of GraphQL operations.

use domain::foundation::network::Network;
use ports::id::AccountId;

/// Who shares limits: the people, devices and keys of an account, or the guests of a network.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    Account(AccountId),
    Guest(Network),
}
