//! Makes the files that a package gives out of the files that it holds.

use super::{
    archive::Files,
    lock::{Given, How},
};
use crate::convert;

/// The bytes of `given`.
///
/// # Errors
/// A file that is missing or not understood.
pub(super) fn make(given: &Given, files: &Files) -> Result<Vec<u8>, String> {
    let get = |path: &str| files.get(path).cloned().ok_or_else(|| format!("no {path}"));
    let in_folder = |name: &str| get(&format!("{}/{name}", given.from));
    let graph = match given.by {
        How::Classifier => convert::classifier(given.stem(), &in_folder),
        How::FaceDetector => convert::face_detector(&in_folder),
        How::FaceAge => convert::face_age(&in_folder),
        How::WordEmbeddings => {
            return convert::word_embeddings(&get(&given.from)?)
                .map_err(|what| format!("{}: {what}", given.file));
        }
        How::Copy => return get(&given.from),
    };
    Ok(graph.map_err(|what| format!("{}: {what}", given.file))?.to_bytes())
}
