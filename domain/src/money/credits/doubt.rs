//! Charges in doubt, and their journal on disk, because the database has failed. Each process has its own journal,
//! which is locked while the process lives; a new process takes over the journals of dead ones.

use std::{
    borrow::Cow,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{EntryKind, LedgerEntry, Payer};
use crate::money::amount::Amount;
use ports::id::{AccountId, JudgeId, RequestId};

/// How the names of journals begin.
const PREFIX: &str = "doubts-";

/// A charge whose commit has an unknown result and whose client was told that nothing was charged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Doubt {
    pub(super) account: AccountId,
    pub(super) request_id: RequestId,
    delta: Amount,
    items: u64,
    /// The result that was charged for; another run of the same request has another.
    pub(super) reference: Option<String>,
    endpoint: Option<Cow<'static, str>>,
    payer: Option<Payer>,
    judge: Option<JudgeId>,
}

impl Doubt {
    pub(super) fn of(entry: &LedgerEntry) -> Self {
        Self {
            account: entry.account.clone(),
            request_id: entry.request_id.clone(),
            delta: entry.delta,
            items: entry.items,
            reference: entry.reference.clone(),
            endpoint: entry.endpoint.clone(),
            payer: entry.payer.clone(),
            judge: entry.judge.clone(),
        }
    }

    /// The entry that undoes the charge.
    pub(super) fn refund(&self) -> LedgerEntry {
        let id = RequestId::from(format!("{}:refund", self.request_id));
        let mut refund = LedgerEntry::new(self.account.clone(), id, EntryKind::Refund, -self.delta);
        refund.items = self.items;
        refund.reference = Some(self.request_id.to_string());
        refund.endpoint = self.endpoint.clone();
        refund.payer = self.payer.clone();
        refund.judge = self.judge.clone();
        refund
    }
}

/// The journal of this process. Removed when it is dropped empty.
pub struct DoubtJournal {
    path: PathBuf,
    file: File,
    /// The doubts of dead processes, until the resolver takes them.
    adopted: Vec<Doubt>,
}

impl DoubtJournal {
    /// Opens a new journal in a folder, which is created when missing, and takes over those in it that no process has
    /// locked.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut left = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX)) {
                continue;
            }
            let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
            match file.try_lock() {
                Ok(()) => left.push((path, read(&mut file)?, file)),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let (path, file) = create(folder)?;
        let mut journal = Self { path, file, adopted: Vec::new() };
        let adopted: Vec<Doubt> = left.iter().flat_map(|(_, doubts, _)| doubts.iter().cloned()).collect();
        journal.append(&adopted)?;
        File::open(folder)?.sync_all()?;
        journal.adopted = adopted;
        for (path, _, _locked) in left {
            fs::remove_file(path)?;
        }
        Ok(journal)
    }

    pub(super) fn adopted(&mut self) -> Vec<Doubt> {
        std::mem::take(&mut self.adopted)
    }

    /// Writes doubts through to the disk.
    pub(super) fn append(&mut self, doubts: &[Doubt]) -> io::Result<()> {
        if doubts.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for doubt in doubts {
            serde_json::to_writer(&mut lines, doubt)?;
            lines.push(b'\n');
        }
        self.file.write_all(&lines)?;
        self.file.sync_data()
    }

    /// Forgets all doubts.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)
    }
}

impl Drop for DoubtJournal {
    fn drop(&mut self) {
        if self.file.metadata().is_ok_and(|file| file.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates a journal that is locked. It gets its name only then, so that no process that starts at the same time takes
/// it for one of a dead process.
fn create(folder: &Path) -> io::Result<(PathBuf, File)> {
    let id = RequestId::new();
    let unlocked = folder.join(format!("new-{id}.jsonl"));
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&unlocked)?;
    file.lock()?;
    let path = folder.join(format!("{PREFIX}{id}.jsonl"));
    fs::rename(&unlocked, &path)?;
    Ok((path, file))
}

/// The whole lines. A last line that was cut off belongs to a client that was not answered.
fn read(file: &mut File) -> io::Result<Vec<Doubt>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::id::KeyId;

    fn doubt() -> Doubt {
        let mut entry =
            LedgerEntry::new(AccountId::new(), RequestId::new(), EntryKind::Charge, -Amount::from_milli(500));
        entry.reference = Some("mod_1".to_owned());
        entry.endpoint = Some("/api/v1/moderate/text".into());
        entry.payer = Some(Payer::Key(KeyId::new()));
        Doubt::of(&entry)
    }

    #[test]
    fn doubts_of_the_dead_are_taken_over_and_those_of_the_living_left_alone() {
        let folder = std::env::temp_dir().join(RequestId::new().to_string());
        let one = doubt();
        let two = doubt();
        let mut first = DoubtJournal::open(&folder).unwrap();
        first.append(&[one.clone(), two]).unwrap();
        first.file.write_all(b"{\"account\":\"acc_").unwrap();
        let mut second = DoubtJournal::open(&folder).unwrap();
        assert!(second.adopted().is_empty());
        drop((first, second));
        let mut third = DoubtJournal::open(&folder).unwrap();
        let adopted = third.adopted();
        assert_eq!(adopted.len(), 2);
        assert_eq!(adopted[0].refund().request_id, one.refund().request_id);
        third.clear().unwrap();
        drop(third);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(folder).unwrap();
    }
}
