//! An account: what everything else belongs to.

use async_graphql::{Context, ID, Object};
use chrono::{DateTime, Utc};
use domain::{
    account,
    credits::Amount,
    id::AccountId,
    judge::{self, JudgeFilter},
};

use super::{Judge, JudgeConnection};
use crate::graphql::{
    error::{Fault, fault},
    page::Asked,
    visitor::service,
};

/// A customer of the service: who owns keys, Judges and credits.
pub(crate) struct Account(pub(crate) account::Row);

/// A customer of the service: who owns keys, Judges and credits.
#[Object]
impl Account {
    /// `acc_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.clone())
    }

    /// A person's word for it.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Credits owned, held ones included.
    async fn balance(&self) -> f64 {
        Amount::from_milli(self.0.balance).credits()
    }

    /// Credits set aside for work under way.
    async fn held(&self) -> f64 {
        Amount::from_milli(self.0.held).credits()
    }

    /// Credits left to spend: the balance less what is held.
    async fn available(&self) -> f64 {
        Amount::from_milli(self.0.balance - self.0.held).credits()
    }

    /// When it was created.
    async fn created_at(&self) -> DateTime<Utc> {
        self.0.created_at
    }

    /// Its Judges, newest first.
    #[allow(clippy::too_many_arguments)]
    async fn judges(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(desc = "Whether archived ones are listed too.", default = false)] include_archived: bool,
        #[graphql(desc = "Only those in whose name this occurs, whatever the case.")] name: Option<String>,
    ) -> Fault<JudgeConnection> {
        let (db, id) = (service(ctx)?.db.clone(), AccountId::from(self.0.id.clone()));
        let list = format!("judges:{id}");
        let page = Asked { first, after, last, before }.page::<String>(&list)?;
        let filter = JudgeFilter { archived: (!include_archived).then_some(false), name };
        let slice = judge::list(&db, &id, &filter, page).await.map_err(fault)?;
        let count = move || {
            let (db, id, filter) = (db.clone(), id.clone(), filter.clone());
            Box::pin(async move { judge::count(&db, &id, &filter).await }) as _
        };
        Ok(JudgeConnection::new(&list, slice, |judge| judge.id.to_string(), Judge, Box::new(count)))
    }
}
