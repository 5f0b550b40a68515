//! Chooses the runtime and loads models with it.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use ports::EngineError;

use super::{
    built_in,
    library::{self, Library},
    model::{Backend, Model, Source},
    pool::Pool,
};

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
pub struct Runtime(Kind);

#[derive(Clone)]
enum Kind {
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
    /// Opens ONNX Runtime as the setting says, or rten. Logs a warning when the library cannot be used. A process
    /// loads one library only: later calls get the first one, whatever path they name.
    pub fn open(setting: &OnnxRuntime, models_dir: &Path) -> Self {
        let path = match setting {
            OnnxRuntime::Off => return Self::built_in(),
            OnnxRuntime::Library(path) => path.clone(),
            OnnxRuntime::Auto => match models_dir.join(LIBRARY) {
                path if path.exists() => path,
                _ => return Self::built_in(),
            },
        };
        // ort searches for a relative path beside the executable first.
        let path = std::path::absolute(&path).unwrap_or(path);
        match Library::open(&path) {
            Ok(library) => Self(Kind::Library(library)),
            Err(why) => {
                let path = path.display();
                tracing::warn!(
                    "ONNX Runtime at {path} cannot be used, {} runs the models: {why}",
                    built_in::NAME
                );
                Self::built_in()
            }
        }
    }

    pub fn built_in() -> Self {
        Self(Kind::BuiltIn(Arc::new(Pool::new([]))))
    }

    /// Name and version, such as `onnxruntime 1.31.1` or `rten 0.27`.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::BuiltIn(_) => built_in::NAME,
            Kind::Library(library) => &library.name,
        }
    }

    /// Loads an ONNX file.
    pub fn load(&self, path: &Path) -> Result<Model, EngineError> {
        self.open_source(path.display().to_string(), Source::File(path.to_owned()))
    }

    /// Loads an ONNX file from memory. `name` appears in error messages.
    pub fn load_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Model, EngineError> {
        self.open_source(name.to_owned(), Source::Bytes(bytes))
    }

    fn open_source(&self, name: String, source: Source) -> Result<Model, EngineError> {
        let backend = match &self.0 {
            Kind::BuiltIn(threads) => {
                built_in::Loaded::open(source, threads).map(Box::new).map(Backend::BuiltIn)
            }
            Kind::Library(library) => library::Loaded::open(source, library).map(Backend::Library),
        };
        let backend = backend.map_err(|why| EngineError(format!("{name}: {why}")))?;
        Ok(Model { backend, name })
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
        let parse = |setting: &str| setting.parse::<OnnxRuntime>().unwrap();
        assert_eq!([parse("auto"), parse("")], [OnnxRuntime::Auto, OnnxRuntime::Auto]);
        assert_eq!(parse("off"), OnnxRuntime::Off);
        assert_eq!(parse("/lib/o.so"), OnnxRuntime::Library("/lib/o.so".into()));
    }
}
