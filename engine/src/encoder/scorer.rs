//! A backbone behind a queue, which batches sequences of many requests and many heads.

use std::sync::Arc;

use ports::EngineError;

use super::{
    backbone::{Backbone, Hidden},
    batcher::{Batcher, Job, Order, QueueError, QueueLimits},
    head::Head,
    sequence::Sequence,
    token_embeddings::TokenEmbeddings,
};

/// A backbone with its queue.
#[derive(Debug)]
pub struct Scorer {
    backbone: Arc<Backbone>,
    batcher: Batcher<Read, Reading>,
}

/// A sequence and what is to be read of it.
#[derive(Clone, Debug)]
pub struct Read {
    pub sequence: Sequence,
    /// The heads that score its markers.
    pub heads: Vec<Arc<Head>>,
    /// Whether its [features](Hidden::features) are needed.
    pub features: bool,
}

/// What was read of a sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
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

    /// Reads sequences, in order.
    ///
    /// # Errors
    /// [`QueueError::Busy`], or the failure.
    pub async fn score(&self, order: Order, reads: Vec<Read>) -> Result<Vec<Reading>, QueueError> {
        let job = |work: Read| {
            let tokens = work.sequence.padded_len();
            Job { shape: tokens, tokens, work }
        };
        self.batcher.run(order, reads.into_iter().map(job).collect()).await
    }

    /// Reads a sequence on the calling thread, past the queue.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub fn read_now(&self, read: Read) -> Result<(Hidden, Reading), EngineError> {
        let (hidden, readings) = score(&self.backbone, &[read])?;
        Ok((hidden, readings.into_iter().next().unwrap_or_default()))
    }
}

/// Runs the backbone once, and each head once.
fn score(backbone: &Backbone, batch: &[Read]) -> Result<(Hidden, Vec<Reading>), EngineError> {
    let sequences: Vec<&Sequence> = batch.iter().map(|read| &read.sequence).collect();
    let hidden = backbone.run(&sequences)?;
    let mut readings: Vec<Reading> = batch
        .iter()
        .enumerate()
        .map(|(n, read)| Reading {
            logits: vec![Vec::new(); read.heads.len()],
            features: if read.features { hidden.features(n).to_vec() } else { Vec::new() },
        })
        .collect();
    let pairs = batch.iter().enumerate().flat_map(|(n, read)| (0..read.heads.len()).map(move |h| (n, h)));
    let mut rest: Vec<(usize, usize)> = pairs.collect();
    while let Some(&(n, h)) = rest.first() {
        let head = &batch[n].heads[h];
        let (alike, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(n, h)| Arc::ptr_eq(&batch[*n].heads[*h], head));
        rest = others;
        let chosen: Vec<usize> = alike.iter().map(|(n, _)| *n).collect();
        let logits = head.run(&hidden, &sequences, &chosen)?;
        alike.into_iter().zip(logits).for_each(|((n, h), logits)| readings[n].logits[h] = logits);
    }
    Ok((hidden, readings))
}
