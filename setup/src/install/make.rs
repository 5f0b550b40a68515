//! Converts the files of a package to the files that are installed.

use super::{
    archive::Files,
    error::SetupError,
    lock::{Conversion, Output},
};
use crate::convert::{self, ConvertError};

/// The contents of `output`.
///
/// # Errors
/// If a file is missing or cannot be converted.
pub(super) fn make(output: &Output, files: &Files) -> Result<Vec<u8>, SetupError> {
    convert(output, files).map_err(|error| SetupError::Conversion { file: output.file.clone(), error })
}

fn convert(output: &Output, files: &Files) -> Result<Vec<u8>, ConvertError> {
    let in_folder = |name: &str| get(files, &format!("{}/{name}", output.from));
    let graph = match output.by {
        Conversion::Classifier => convert::classifier(output.stem(), &in_folder)?,
        Conversion::FaceDetector => convert::face_detector(&in_folder)?,
        Conversion::FaceAge => convert::face_age(&in_folder)?,
        Conversion::WordEmbeddings => return convert::word_embeddings(&get(files, &output.from)?),
        Conversion::WordBlocks => return convert::word_blocks(&get(files, &output.from)?),
        Conversion::Copy => return get(files, &output.from),
    };
    Ok(graph.to_bytes())
}

fn get(files: &Files, path: &str) -> Result<Vec<u8>, ConvertError> {
    files.get(path).cloned().ok_or_else(|| ConvertError::MissingFile(path.to_owned()))
}
