//! What a moderation log keeps of a picture: where it came from, its hash and the verdict on it. None of its bytes.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{ImageVerdict, Origin, policy::POSSIBLE_MINOR};
use crate::{
    Error, Result,
    operations::moderation::{
        Action,
        names::{name_faults, named},
    },
};
use ports::image::Class;

/// The least probability of a harm that a picture is flagged for: a moderator sees it as judged to have the harm.
const FLAGGED: f64 = 0.5;

/// Who posted a picture, and where, if the request says so.
#[derive(Clone, Debug, Default)]
pub struct PictureSender {
    author: Option<String>,
    channel: Option<String>,
}

impl PictureSender {
    /// # Errors
    /// `VALIDATION_FAILED` naming each field at fault: a name that is too long, or has a NUL.
    pub fn parse(author: Option<String>, channel: Option<String>) -> Result<Self> {
        let mut details = name_faults("author", author.as_deref().unwrap_or_default());
        details.extend(name_faults("channel", channel.as_deref().unwrap_or_default()));
        match details.is_empty() {
            true => Ok(Self { author, channel }),
            false => Err(Error::all_invalid(details)),
        }
    }

    /// The author, unless the name is blank.
    pub(crate) fn author(&self) -> Option<&str> {
        named(self.author.as_deref())
    }

    /// The channel, unless the name is blank.
    pub(crate) fn channel(&self) -> Option<&str> {
        named(self.channel.as_deref())
    }
}

/// The file of a picture.
#[derive(Clone, Debug)]
pub struct PictureFile {
    /// Hex SHA-256 of its bytes.
    pub sha256: String,
    pub bytes: usize,
    pub origin: Origin,
}

impl PictureFile {
    /// Hashes a file, on a thread of its own: the largest take some 50 ms.
    ///
    /// # Errors
    /// None that can happen: hashing does not panic.
    pub(in super::super) async fn of(file: Bytes, origin: Origin) -> Result<Self> {
        let hashed = tokio::task::spawn_blocking(move || Self {
            sha256: format!("{:x}", Sha256::digest(&file)),
            bytes: file.len(),
            origin,
        });
        hashed.await.map_err(Error::internal)
    }
}

/// What a verdict on a picture means in the terms of messages, so that both stand in one queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSeverity {
    /// `none`; `timeout` if it is flagged; `ban` if it is flagged because of a possible minor.
    pub action: Action,
    /// Below 1 if it is not flagged, from 2 if it is, from 3 for a possible minor.
    pub threat_score: f64,
    /// The probability of explicit content, at least 0.5 if it is flagged.
    pub sexual: f64,
    /// The probability of sexual content beside a minor; 0 unless it is flagged for that, then at least 0.5.
    pub sexual_minors: f64,
}

impl PictureSeverity {
    pub fn of(verdict: &ImageVerdict) -> Self {
        let explicit = (verdict.classes[Class::Porn] + verdict.classes[Class::Hentai]).clamp(0.0, 1.0);
        let any = (explicit + verdict.classes[Class::Sexy]).clamp(0.0, 1.0);
        if !verdict.is_flagged {
            return Self {
                action: Action::None,
                threat_score: explicit,
                sexual: explicit,
                sexual_minors: 0.0,
            };
        }
        let sexual = explicit.max(FLAGGED);
        let mut labels = verdict.nudity.labels.iter().chain(&verdict.drawn_nudity.labels);
        if !labels.any(|label| label == POSSIBLE_MINOR) {
            return Self { action: Action::Timeout, threat_score: 2.0 + sexual, sexual, sexual_minors: 0.0 };
        }
        let p_minor = verdict.age.as_ref().map_or(0.0, |age| age.p_minor);
        let sexual_minors = any.min(p_minor).max(FLAGGED);
        Self { action: Action::Ban, threat_score: 3.0 + sexual_minors, sexual, sexual_minors }
    }
}
