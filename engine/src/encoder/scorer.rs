//! A trunk behind a queue: sequences of many requests and crowns in, a logit for each of their marks out.

use std::sync::Arc;

use domain::EngineError;

use super::{
    batcher::{Batcher, Job, Limits, Unserved},
    crown::Crown,
    sequence::Sequence,
    trunk::Trunk,
    words::Words,
};

/// A trunk and the threads that run it.
#[derive(Debug)]
pub struct Scorer {
    trunk: Arc<Trunk>,
    batcher: Batcher<Work, Vec<f32>>,
}

/// A sequence, and the crown that is to read it.
struct Work {
    crown: Arc<Crown>,
    sequence: Sequence,
}

impl Scorer {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn start(trunk: Trunk, limits: Limits) -> Result<Self, EngineError> {
        let trunk = Arc::new(trunk);
        let of_threads = Arc::clone(&trunk);
        let batcher = Batcher::start("gavel-encoder", limits, move |batch| score(&of_threads, batch))?;
        Ok(Self { trunk, batcher })
    }

    /// What reads its words.
    pub fn words(&self) -> &Words {
        self.trunk.words()
    }

    /// A logit for each mark of each sequence.
    ///
    /// # Errors
    /// [`Unserved::Busy`], or what failed.
    pub async fn score(
        &self,
        crown: &Arc<Crown>,
        sequences: Vec<Sequence>,
    ) -> Result<Vec<Vec<f32>>, Unserved> {
        let job = |sequence: Sequence| Job {
            shape: sequence.filled(),
            tokens: sequence.filled(),
            work: Work { crown: Arc::clone(crown), sequence },
        };
        self.batcher.run(sequences.into_iter().map(job).collect()).await
    }
}

/// One run of the trunk, and one of each crown.
fn score(trunk: &Trunk, batch: &[Work]) -> Result<Vec<Vec<f32>>, EngineError> {
    let sequences: Vec<&Sequence> = batch.iter().map(|work| &work.sequence).collect();
    let hidden = trunk.run(&sequences)?;
    let mut logits = vec![Vec::new(); batch.len()];
    let mut rest: Vec<usize> = (0..batch.len()).collect();
    while let Some(&first) = rest.first() {
        let crown = &batch[first].crown;
        let (chosen, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|n| Arc::ptr_eq(&batch[*n].crown, crown));
        rest = others;
        let scores = crown.run(&hidden, &sequences, &chosen)?;
        chosen.into_iter().zip(scores).for_each(|(n, scores)| logits[n] = scores);
    }
    Ok(logits)
}
