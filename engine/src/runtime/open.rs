//! Chooses the runtime and loads models with it.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use ports::EngineError;

use super::{
    built_in::{self, BuiltInModel},
    library::{Library, LibraryModel},
    model::{LoadedModel, OnnxModel},
    pool::Pool,
    tensor::ModelSource,
};
use crate::error::named;

/// The file name under which set-up installs ONNX Runtime in the models' folder.
const LIBRARY: &str = "libonnxruntime.so";

/// The setting `onnx_runtime`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnnxRuntime {
    /// `auto`: `libonnxruntime.so` in the models' folder, if it exists.
    #[default]
    Auto,
    /// `off`: always rten.
    Off,
    /// Any other value: the library at this path.
    Library(PathBuf),
}

/// A runtime for models. Cheap to clone.
#[derive(Clone)]
pub struct Runtime(RuntimeKind);

#[derive(Clone)]
enum RuntimeKind {
    BuiltIn(Arc<built_in::Threads>),
    Library(Library),
}

impl FromStr for OnnxRuntime {
    type Err = std::convert::Infallible;

    fn from_str(setting: &str) -> Result<Self, Self::Err> {
        Ok(match setting {
            "" | "auto" => Self::Auto,
            "off" => Self::Off,
            path => Self::Library(path.into()),
        })
    }
}

impl Runtime {
    /// Opens ONNX Runtime as the setting says, or else rten. Logs a warning when the library cannot be used.
    pub fn open(setting: &OnnxRuntime, models_dir: &Path) -> Self {
        Self::try_open(setting, models_dir).unwrap_or_else(|error| {
            tracing::warn!(%error, "could not load ONNX Runtime; {} runs the models", built_in::NAME);
            Self::built_in()
        })
    }

    /// Opens ONNX Runtime as the setting says, or rten where it names no library. A process loads one library only:
    /// later calls get the first one, whatever path they name.
    ///
    /// # Errors
    /// Why the library cannot be used, after its path.
    pub fn try_open(setting: &OnnxRuntime, models_dir: &Path) -> Result<Self, EngineError> {
        let path = match setting {
            OnnxRuntime::Off => return Ok(Self::built_in()),
            OnnxRuntime::Library(path) => path.clone(),
            OnnxRuntime::Auto => match models_dir.join(LIBRARY) {
                path if path.exists() => path,
                _ => return Ok(Self::built_in()),
            },
        };
        // ort searches for a relative path beside the executable first.
        let path = std::path::absolute(&path).unwrap_or(path);
        let library = Library::open(&path).map_err(|error| named(path.display(), error))?;
        Ok(Self(RuntimeKind::Library(library)))
    }

    pub fn built_in() -> Self {
        Self(RuntimeKind::BuiltIn(Arc::new(Pool::new([]))))
    }

    /// Name and version, such as `onnxruntime 1.31.1` or `rten 0.27`.
    pub fn name(&self) -> &str {
        match &self.0 {
            RuntimeKind::BuiltIn(_) => built_in::NAME,
            RuntimeKind::Library(library) => &library.name,
        }
    }

    /// Loads an ONNX file.
    pub fn load(&self, path: &Path) -> Result<OnnxModel, EngineError> {
        self.open_source(path.display().to_string(), ModelSource::File(path.to_owned()))
    }

    /// Loads the ONNX file that `build` returns. It is called again whenever more calls overlap than ever before.
    /// `name` appears in error messages.
    pub fn load_built(
        &self,
        name: &str,
        build: impl Fn() -> Result<Vec<u8>, EngineError> + Send + Sync + 'static,
    ) -> Result<OnnxModel, EngineError> {
        self.open_source(name.to_owned(), ModelSource::Built(Box::new(build)))
    }

    fn open_source(&self, name: String, source: ModelSource) -> Result<OnnxModel, EngineError> {
        let loaded = match &self.0 {
            RuntimeKind::BuiltIn(threads) => {
                BuiltInModel::open(source, threads).map(Box::new).map(LoadedModel::BuiltIn)
            }
            RuntimeKind::Library(library) => LibraryModel::open(source, library).map(LoadedModel::Library),
        };
        let loaded = loaded.map_err(|error| named(&name, error))?;
        Ok(OnnxModel { loaded, name })
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Runtime").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_a_word_or_a_path() {
        for (setting, expected) in [
            ("auto", OnnxRuntime::Auto),
            ("", OnnxRuntime::Auto),
            ("off", OnnxRuntime::Off),
            ("/lib/o.so", OnnxRuntime::Library("/lib/o.so".into())),
        ] {
            assert_eq!(setting.parse::<OnnxRuntime>().unwrap(), expected);
        }
    }
}
