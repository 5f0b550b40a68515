//! A backbone behind a queue, which batches sequences of many requests and many heads.

use std::sync::Arc;

use ports::EngineError;

use super::{
    backbone::{Backbone, Hidden},
    batcher::{BatchJob, Batcher, QueueError, QueueLimits, QueueOrder},
    head::Head,
    sequence::Sequence,
    token_embeddings::TokenEmbeddings,
};

/// A backbone with its queue.
#[derive(Debug)]
pub struct Scorer {
    backbone: Arc<Backbone>,
    batcher: Batcher<ScoringInput, ScoringOutput>,
}

/// A sequence and what to compute for it.
#[derive(Clone, Debug)]
pub struct ScoringInput {
    pub sequence: Sequence,
    /// The heads that score its markers.
    pub heads: Vec<Arc<Head>>,
    /// Whether its [features](Hidden::features) are needed.
    pub features: bool,
}

/// What was computed for a sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoringOutput {
    /// For each head, a logit for each marker.
    pub logits: Vec<Vec<f32>>,
    /// Empty unless asked for.
    pub features: Vec<f32>,
}

impl Scorer {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(backbone: Arc<Backbone>, limits: QueueLimits) -> Result<Self, EngineError> {
        let of_threads = Arc::clone(&backbone);
        let batcher = Batcher::start("gavel-encoder", limits, move |batch| Ok(score(&of_threads, batch)?.1))?;
        Ok(Self { backbone, batcher })
    }

    pub fn backbone(&self) -> &Arc<Backbone> {
        &self.backbone
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        self.backbone.embeddings()
    }

    /// Scores sequences, in order.
    ///
    /// # Errors
    /// [`QueueError::Busy`], or the failure.
    pub async fn score(
        &self,
        order: QueueOrder,
        inputs: Vec<ScoringInput>,
    ) -> Result<Vec<ScoringOutput>, QueueError> {
        let jobs = inputs.into_iter().map(|work| {
            let tokens = work.sequence.padded_len();
            BatchJob { shape: tokens, tokens, work }
        });
        self.batcher.run(order, jobs.collect()).await
    }

    /// Scores a sequence on the calling thread, bypassing the queue.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub fn score_now(&self, input: ScoringInput) -> Result<(Hidden, ScoringOutput), EngineError> {
        let (hidden, outputs) = score(&self.backbone, &[input])?;
        Ok((hidden, outputs.into_iter().next().unwrap_or_default()))
    }
}

/// Runs the backbone once, and each head once.
fn score(backbone: &Backbone, batch: &[ScoringInput]) -> Result<(Hidden, Vec<ScoringOutput>), EngineError> {
    let sequences: Vec<&Sequence> = batch.iter().map(|input| &input.sequence).collect();
    let hidden = backbone.run(&sequences)?;
    let mut outputs: Vec<ScoringOutput> = batch
        .iter()
        .enumerate()
        .map(|(n, input)| ScoringOutput {
            logits: vec![Vec::new(); input.heads.len()],
            features: if input.features { hidden.features(n).to_vec() } else { Vec::new() },
        })
        .collect();
    let pairs = batch.iter().enumerate().flat_map(|(n, input)| (0..input.heads.len()).map(move |h| (n, h)));
    let mut rest: Vec<(usize, usize)> = pairs.collect();
    while let Some(&(n, h)) = rest.first() {
        let head = &batch[n].heads[h];
        let (alike, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(n, h)| Arc::ptr_eq(&batch[*n].heads[*h], head));
        rest = others;
        let chosen: Vec<usize> = alike.iter().map(|(n, _)| *n).collect();
        let logits = head.run(&hidden, &sequences, &chosen)?;
        alike.into_iter().zip(logits).for_each(|((n, h), logits)| outputs[n].logits[h] = logits);
    }
    Ok((hidden, outputs))
}
