//! Makes the files that a package gives out of the files that it holds.

use super::{
    archive::Files,
    lock::{Conversion, Output},
};
use crate::convert;

/// The bytes of `output`.
///
/// # Errors
/// A file that is missing or not understood.
pub(super) fn make(output: &Output, files: &Files) -> Result<Vec<u8>, String> {
    let get = |path: &str| files.get(path).cloned().ok_or_else(|| format!("no {path}"));
    let in_folder = |name: &str| get(&format!("{}/{name}", output.from));
    let graph = match output.by {
        Conversion::Classifier => convert::classifier(output.stem(), &in_folder),
        Conversion::FaceDetector => convert::face_detector(&in_folder),
        Conversion::FaceAge => convert::face_age(&in_folder),
        Conversion::WordEmbeddings => {
            return convert::word_embeddings(&get(&output.from)?)
                .map_err(|what| format!("{}: {what}", output.file));
        }
        Conversion::Copy => return get(&output.from),
    };
    Ok(graph.map_err(|what| format!("{}: {what}", output.file))?.to_bytes())
}
