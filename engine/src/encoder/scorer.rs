//! A backbone behind a queue, which batches sequences of many requests and many heads.

use std::sync::Arc;

use domain::EngineError;

use super::{
    backbone::Backbone,
    batcher::{Batcher, Job, Order, QueueError, QueueLimits},
    head::Head,
    sequence::Sequence,
    token_embeddings::TokenEmbeddings,
};

/// A backbone with its queue.
#[derive(Debug)]
pub struct Scorer {
    backbone: Arc<Backbone>,
    batcher: Batcher<Work, Vec<f32>>,
}

/// A sequence and the head that scores it.
struct Work {
    head: Arc<Head>,
    sequence: Sequence,
}

impl Scorer {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(backbone: Backbone, limits: QueueLimits) -> Result<Self, EngineError> {
        let backbone = Arc::new(backbone);
        let of_threads = Arc::clone(&backbone);
        let batcher = Batcher::start("gavel-encoder", limits, move |batch| score(&of_threads, batch))?;
        Ok(Self { backbone, batcher })
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        self.backbone.embeddings()
    }

    /// Computes a logit for each marker of each sequence.
    ///
    /// # Errors
    /// [`QueueError::Busy`], or the failure.
    pub async fn score(
        &self,
        order: Order,
        head: &Arc<Head>,
        sequences: Vec<Sequence>,
    ) -> Result<Vec<Vec<f32>>, QueueError> {
        let job = |sequence: Sequence| Job {
            shape: sequence.padded_len(),
            tokens: sequence.padded_len(),
            work: Work { head: Arc::clone(head), sequence },
        };
        self.batcher.run(order, sequences.into_iter().map(job).collect()).await
    }
}

/// Runs the backbone once, and each head once.
fn score(backbone: &Backbone, batch: &[Work]) -> Result<Vec<Vec<f32>>, EngineError> {
    let sequences: Vec<&Sequence> = batch.iter().map(|work| &work.sequence).collect();
    let hidden = backbone.run(&sequences)?;
    let mut logits = vec![Vec::new(); batch.len()];
    let mut rest: Vec<usize> = (0..batch.len()).collect();
    while let Some(&first) = rest.first() {
        let head = &batch[first].head;
        let (chosen, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|n| Arc::ptr_eq(&batch[*n].head, head));
        rest = others;
        let scores = head.run(&hidden, &sequences, &chosen)?;
        chosen.into_iter().zip(scores).for_each(|(n, scores)| logits[n] = scores);
    }
    Ok(logits)
}
