//! Checks the models: their files against the recorded hashes, the runtime, and an answer of each.

use std::time::Duration;

use engine::lazy::LoadModels;
use ports::{EngineError, image::ImageEngine as _};

use super::check::Check;
use crate::{compose, config::Config, model_catalog};

const FILES: &str = "models";
const INSTALL: &str = "run `gavel models install`";
/// How long a model may take to answer for the first time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn check(config: &Config) -> Vec<Check> {
    let mut config = config.clone();
    config.engine.load_models = LoadModels::AtStart;
    let dir = config.engine.models_dir.display().to_string();
    let listed = match model_catalog::list(&config.engine.models_dir) {
        Ok(listed) => listed,
        Err(error) => return vec![Check::fail(FILES, format!("{error:#}"), format!("check {dir}"))],
    };
    let missing: Vec<&str> = listed
        .iter()
        .filter(|model| model.state == "missing" && model.fault.is_some())
        .map(|model| model.file.as_str())
        .collect();
    let altered: Vec<&str> = listed
        .iter()
        .filter(|model| model.state != "missing")
        .filter_map(|model| model.fault.as_deref())
        .collect();
    let files = if !altered.is_empty() {
        Check::fail(FILES, altered.join("; "), INSTALL)
    } else if !missing.is_empty() {
        let found = format!(
            "missing in {dir}: {}; pictures or questions do not work without them",
            missing.join(", ")
        );
        Check::warn(FILES, found, INSTALL)
    } else {
        Check::ok(FILES, format!("{} files are intact", listed.len()))
    };
    let mut checks = vec![files, runtime(&config), answer("text", text(&config)).await];
    if missing.is_empty() && altered.is_empty() {
        checks.push(answer("pictures", pictures(&config)).await);
        checks.push(answer("questions", questions(&config)).await);
    }
    checks
}

fn runtime(config: &Config) -> Check {
    const NAME: &str = "runtime";
    match config.engine.runtime() {
        Ok(runtime) => Check::ok(NAME, runtime.name()),
        Err(error) => Check::warn(
            NAME,
            format!("ONNX Runtime cannot be used: {error}"),
            format!("{INSTALL} or check `onnx_runtime`; pictures take about three times as long"),
        ),
    }
}

async fn answer(name: &'static str, probe: impl Future<Output = anyhow::Result<()>>) -> Check {
    let answered = tokio::time::timeout(ANSWER_TIMEOUT, probe).await;
    let error = match answered {
        Ok(Ok(())) => return Check::ok(name, "the model answers"),
        Ok(Err(error)) => format!("{error:#}"),
        Err(_) => format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()),
    };
    Check::fail(name, error, format!("{INSTALL}, and check the settings of models and backends"))
}

async fn text(config: &Config) -> anyhow::Result<()> {
    Ok(compose::text_engine(config)?.probe().await?)
}

async fn pictures(config: &Config) -> anyhow::Result<()> {
    Ok(compose::image_engine(config)?.probe().await?)
}

/// The model in process or the server that replaces it, and OpenRouter if it is configured.
async fn questions(config: &Config) -> anyhow::Result<()> {
    let inference = compose::inference(config)?;
    inference.local.probe().await?;
    match inference.openrouter {
        Some(openrouter) => {
            openrouter.probe().await.map_err(|EngineError(why)| anyhow::anyhow!("OpenRouter: {why}"))
        }
        None => Ok(()),
    }
}
