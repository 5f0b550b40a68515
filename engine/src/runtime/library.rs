//! ONNX Runtime, loaded from its shared library while the process runs. A process can load one, once.

use std::{
    io::Read as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use ort::{
    environment::Environment,
    ep,
    logging::LogLevel,
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::TensorRef,
};

use super::{
    model::{Data, Input, Source, Tensor},
    pool::Pool,
};

/// How far into the library file its version is looked for. In the builds on PyPI it is within the first 32 KiB.
const VERSION_WITHIN: u64 = 4 << 20;

/// Inputs with more values in all than this make a run large: 4 MiB, a picture of 591 x 591.
const LARGE: usize = 1 << 20;

/// What came of loading the library; later calls get the same, whatever path they name.
static LOADED: Mutex<Option<Result<Library, String>>> = Mutex::new(None);

/// The library, ready to make sessions.
#[derive(Clone)]
pub(super) struct Library {
    environment: Environment,
    /// Such as `onnxruntime 1.31.1`.
    pub(super) name: Arc<str>,
}

pub(super) struct Loaded {
    library: Library,
    source: Source,
    /// ONNX Runtime's `Run` is not to be called twice at once on one session, so overlapping runs have one each.
    sessions: Pool<Session>,
    /// A session keeps the memory of its largest run. So the large ones, which take hundreds of MB, share one session
    /// and take turns.
    large: Mutex<Option<Session>>,
}

impl Library {
    /// Loads the library at `path`, or answers with the one that this process has loaded before.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = &*loaded {
            return result.clone();
        }
        // From a missing or old file an error comes back, and another may be tried. A panic comes from a library that
        // is not what it says; ort keeps that one for good, and so must we.
        let result = catch_unwind(AssertUnwindSafe(|| Self::load(path)));
        let result = match result {
            Ok(result @ Err(_)) => return result,
            Ok(result) => result,
            Err(_) => Err("is not an ONNX Runtime that can be used".to_owned()),
        };
        loaded.insert(result).clone()
    }

    fn load(path: &Path) -> Result<Self, String> {
        let environment = ort::init_from(path)
            .map_err(|error| error.to_string())?
            .with_name("gavel")
            .with_telemetry(false)
            .with_logger(Arc::new(log))
            .build();
        // Past `init_from` the library stays: a failure is for good too, and is made one by the panic guard above.
        let environment = environment.unwrap_or_else(|error| panic!("{error}"));
        environment.set_log_level(LogLevel::Warning);
        let name = version(path).map_or_else(
            || format!("onnxruntime (api 1.{})", ort::MINOR_VERSION),
            |version| format!("onnxruntime {version}"),
        );
        Ok(Self { environment, name: name.into() })
    }

    /// One thread a session and none that spins: two requests at once do better on a thread each than one on two. With
    /// an arena, since giving a run's memory back and getting it again takes a third of the run's time.
    fn session(&self, source: &Source) -> Result<Session, String> {
        let build = || -> ort::Result<Session> {
            let mut builder = Session::builder(&self.environment)?
                .with_intra_threads(1)?
                .with_inter_threads(1)?
                .with_intra_op_spinning(false)?
                .with_inter_op_spinning(false)?
                .with_optimization_level(GraphOptimizationLevel::All)?
                .with_memory_pattern(false)?
                .with_execution_providers([ep::CPU::default().with_arena_allocator(true).build()])?
                .with_log_level(LogLevel::Warning)?;
            match source {
                Source::File(path) => builder.commit_from_file(path),
                Source::Bytes(bytes) => builder.commit_from_memory(bytes),
            }
        };
        build().map_err(|error| error.to_string())
    }
}

impl Loaded {
    pub(super) fn open(source: Source, library: &Library) -> Result<Self, String> {
        let first = library.session(&source)?;
        Ok(Self { library: library.clone(), source, sessions: Pool::new([first]), large: Mutex::new(None) })
    }

    pub(super) fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<Tensor>, String> {
        let session = || self.library.session(&self.source);
        if inputs.iter().map(Input::len).sum::<usize>() <= LARGE {
            return self.sessions.with(session, |session| run(session, inputs));
        }
        let mut large = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out while in use: one that panicked is not kept.
        let mut taken = large.take().map_or_else(session, Ok)?;
        let outputs = run(&mut taken, inputs);
        *large = Some(taken);
        outputs
    }
}

fn run(session: &mut Session, inputs: &[Input<'_>]) -> Result<Vec<Tensor>, String> {
    let inputs = inputs
        .iter()
        .map(|input| Ok((input.name, value(input)?)))
        .collect::<ort::Result<Vec<(&str, SessionInputValue<'_>)>>>();
    let outputs = inputs.and_then(|inputs| session.run(inputs)).map_err(|error| error.to_string())?;
    outputs.values().map(|output| tensor(&output)).collect()
}

fn value<'a>(input: &Input<'a>) -> ort::Result<SessionInputValue<'a>> {
    Ok(match input.data {
        Data::F32(data) => TensorRef::from_array_view((input.shape, data))?.into(),
        Data::I64(data) => TensorRef::from_array_view((input.shape, data))?.into(),
    })
}

fn tensor(value: &ort::value::DynValue) -> Result<Tensor, String> {
    let (shape, data) = value.try_extract_tensor::<f32>().map_err(|error| error.to_string())?;
    let shape = shape.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
    Ok(Tensor { shape, data: data.to_vec() })
}

/// The library's version, from the label on its exported symbols (`VERS_1.31.1`), since the binding does not tell it.
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
