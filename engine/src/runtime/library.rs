//! ONNX Runtime, loaded from its shared library at run time. A process can load one library, once.

use std::{
    io::Read as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use ort::{
    environment::Environment,
    ep,
    logging::LogLevel,
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::TensorRef,
};
use parking_lot::Mutex;

use super::{
    error::RuntimeError,
    pool::Pool,
    tensor::{Input, InputData, ModelSource, OutputTensor},
};
use crate::memory::share_run_memory;

/// Bytes of the library file that are searched for its version. In the builds on PyPI it is in the first 32 KiB.
const VERSION_WITHIN: u64 = 4 << 20;

/// The number of input values beyond which a run of a model from a file, which reads pictures, counts as large: 4 MiB,
/// a picture of 591 x 591. The runs of models from memory, which read text, are bounded by their callers.
const LARGE: usize = 1 << 20;

/// The result of loading the library. Later calls get the same, whatever path they name.
static LOADED: Mutex<Option<Result<Library, RuntimeError>>> = Mutex::new(None);

/// The loaded library, which creates sessions.
#[derive(Clone)]
pub(super) struct Library {
    environment: Environment,
    /// Such as `onnxruntime 1.31.1`.
    pub(super) name: Arc<str>,
}

pub(super) struct LibraryModel {
    library: Library,
    source: ModelSource,
    /// Overlapping runs have a session each, since `Run` must not be called concurrently on one.
    sessions: Pool<Session>,
    /// Held during a large run, which takes hundreds of MB: they run one after another.
    large: Mutex<()>,
}

impl Library {
    /// Loads the library at `path`, or returns the one that this process has already loaded.
    pub(super) fn open(path: &Path) -> Result<Self, RuntimeError> {
        let mut loaded = LOADED.lock();
        if let Some(result) = &*loaded {
            return result.clone();
        }
        // A missing or old file is an error, and another path may be tried. A file that claims to be the library but is
        // not makes ort panic; ort keeps that state for the rest of the process, and so must we.
        let result = catch_unwind(AssertUnwindSafe(|| Self::load(path)));
        let result = match result {
            Ok(result @ Err(_)) => return result,
            Ok(result) => result,
            Err(_) => Err(RuntimeError::UnusableLibrary),
        };
        loaded.insert(result).clone()
    }

    fn load(path: &Path) -> Result<Self, RuntimeError> {
        let environment = ort::init_from(path)
            .map_err(RuntimeError::of)?
            .with_name("gavel")
            .with_telemetry(false)
            .with_logger(Arc::new(log))
            .build();
        // After `init_from` the library stays loaded, so a failure is final too, which a panic makes it.
        let environment = environment.unwrap_or_else(|error| panic!("{error}"));
        environment.set_log_level(LogLevel::Warning);
        if let Err(error) = share_run_memory(&environment) {
            tracing::warn!(%error, "runs of models do not share their memory");
        }
        let name = version(path).map_or_else(
            || format!("onnxruntime (api 1.{})", ort::MINOR_VERSION),
            |version| format!("onnxruntime {version}"),
        );
        Ok(Self { environment, name: name.into() })
    }

    fn session(&self, source: &ModelSource) -> Result<Session, RuntimeError> {
        create_session(&self.environment, source).map_err(RuntimeError::of)
    }
}

/// Creates a session with one thread that does not spin: two requests on one thread each are faster than one request on
/// two.
fn create_session(environment: &Environment, source: &ModelSource) -> ort::Result<Session> {
    let mut builder = Session::builder(environment)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_memory_pattern(false)?
        .with_execution_providers([ep::CPU::default().with_arena_allocator(false).build()])?
        .with_env_allocators()?
        .with_log_level(LogLevel::Warning)?;
    match source {
        ModelSource::File(path) => builder.commit_from_file(path),
        ModelSource::Built(build) => builder.commit_from_memory(&build().map_err(ort::Error::wrap)?),
    }
}

impl LibraryModel {
    pub(super) fn open(source: ModelSource, library: &Library) -> Result<Self, RuntimeError> {
        let first = library.session(&source)?;
        Ok(Self { library: library.clone(), source, sessions: Pool::new([first]), large: Mutex::new(()) })
    }

    pub(super) fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<OutputTensor>, RuntimeError> {
        let of_file = matches!(self.source, ModelSource::File(_));
        let is_large = of_file && inputs.iter().map(Input::len).sum::<usize>() > LARGE;
        let _held = is_large.then(|| self.large.lock());
        self.sessions.with(|| self.library.session(&self.source), |session| run(session, inputs))
    }
}

fn run(session: &mut Session, inputs: &[Input<'_>]) -> Result<Vec<OutputTensor>, RuntimeError> {
    let inputs = inputs
        .iter()
        .map(|input| Ok((input.name, value(input)?)))
        .collect::<ort::Result<Vec<(&str, SessionInputValue<'_>)>>>();
    let outputs = inputs.and_then(|inputs| session.run(inputs)).map_err(RuntimeError::of)?;
    outputs.values().map(|output| tensor(&output)).collect()
}

fn value<'a>(input: &Input<'a>) -> ort::Result<SessionInputValue<'a>> {
    Ok(match input.data {
        InputData::F32(data) => TensorRef::from_array_view((input.shape, data))?.into(),
        InputData::I64(data) => TensorRef::from_array_view((input.shape, data))?.into(),
    })
}

fn tensor(value: &ort::value::DynValue) -> Result<OutputTensor, RuntimeError> {
    let (shape, data) = value.try_extract_tensor::<f32>().map_err(RuntimeError::of)?;
    let shape = shape.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
    Ok(OutputTensor { shape, data: data.to_vec() })
}

/// Reads the library's version from the label on its exported symbols (`VERS_1.31.1`), since the binding does not
/// expose it.
fn version(path: &Path) -> Option<String> {
    const LABEL: &[u8] = b"VERS_";
    let mut head = Vec::new();
    std::fs::File::open(path).ok()?.take(VERSION_WITHIN).read_to_end(&mut head).ok()?;
    let start = head.windows(LABEL.len()).position(|window| window == LABEL)? + LABEL.len();
    let version = head[start..].iter().take(32).take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
    let version: String = version.map(|&byte| char::from(byte)).collect();
    (!version.is_empty()).then_some(version)
}

fn log(level: LogLevel, _category: &str, _id: &str, at: &str, message: &str) {
    match level {
        LogLevel::Verbose | LogLevel::Info => {}
        LogLevel::Warning => tracing::warn!(target: "onnxruntime", at, "{message}"),
        LogLevel::Error | LogLevel::Fatal => tracing::error!(target: "onnxruntime", at, "{message}"),
    }
}
