//! The sums of many windows of one message. Its character n-grams, which are most of the features, are hashed and
//! looked up only once, however many windows contain them.

use std::ops::Range;

use super::{
    features::{char_grams, counts, push_form, push_words, word_hashes},
    linear::{HEADS, LinearModel, term_weight},
    words::Normalized,
};

/// A message whose windows are summed.
pub struct WindowSums<'a> {
    linear: &'a LinearModel,
    text: &'a Normalized,
    hashes: Vec<u64>,
    words: Vec<WordGrams>,
    /// The n-grams that occur more than once in the message, word by word.
    repeated: Vec<RepeatedGram>,
    /// The buckets of a view of the current window; empty between views.
    buckets: Vec<u32>,
    /// How often the current window has the bucket of each number; all 0 between windows.
    times: Vec<u32>,
}

/// An n-gram that occurs more than once in the message.
struct RepeatedGram {
    /// The number of its bucket among the repeated ones.
    number: u32,
    bucket: u32,
}

/// What a word's n-grams add to the sum of a window.
struct WordGrams {
    /// The sum of their weights, in the steps of the model's heads.
    steps: [i64; HEADS],
    grams: usize,
    /// The end of its part of [`WindowSums::repeated`].
    repeated_to: usize,
}

impl<'a> WindowSums<'a> {
    /// Reads a message.
    pub fn new(linear: &'a LinearModel, text: &'a Normalized) -> Self {
        let mut buckets = Vec::with_capacity(text.text.len() * 5);
        let mut ends = Vec::with_capacity(text.words.len());
        for word in &text.words {
            char_grams(text.word(word), |bucket| buckets.push(bucket));
            ends.push(buckets.len());
        }
        let (repeats, numbers) = repeats(&buckets);
        let mut sums = Self {
            linear,
            text,
            hashes: word_hashes(text),
            words: Vec::with_capacity(ends.len()),
            repeated: Vec::new(),
            buckets: Vec::new(),
            times: vec![0; repeats],
        };
        let mut from = 0;
        for to in ends {
            let mut steps = [0i64; HEADS];
            for (bucket, number) in buckets[from..to].iter().zip(&numbers[from..to]) {
                steps.iter_mut().zip(linear.steps(*bucket)).for_each(|(sum, steps)| *sum += i64::from(steps));
                sums.repeated.extend(number.map(|number| RepeatedGram { number, bucket: *bucket }));
            }
            sums.words.push(WordGrams { steps, grams: to - from, repeated_to: sums.repeated.len() });
            from = to;
        }
        sums
    }

    /// The sum of each head for a window of words: the same as [`LinearModel::sums`] of its features.
    pub fn of(&mut self, window: Range<usize>) -> [f32; HEADS] {
        let mut steps = self.grams(window.clone());
        for push in [push_words, push_form] {
            push(self.text, &self.hashes, window.clone(), &mut self.buckets);
            self.linear.add_view(&mut steps, counts(&mut self.buckets));
            self.buckets.clear();
        }
        self.linear.sums_of(steps)
    }

    /// The steps of the n-grams of a window, scaled to unit length. First each n-gram counts as if it occurred once;
    /// then the difference of the repeated ones is added.
    fn grams(&mut self, window: Range<usize>) -> [f32; HEADS] {
        let mut once = [0; HEADS];
        let mut grams = 0;
        for word in &self.words[window.clone()] {
            once.iter_mut().zip(word.steps).for_each(|(sum, steps)| *sum += steps);
            grams += word.grams;
        }
        let mut steps = once.map(|steps| steps as f32);
        let mut square = grams as f32;
        let repeated =
            &self.repeated[repeated_in(&self.words, window.start)..repeated_in(&self.words, window.end)];
        for RepeatedGram { number, .. } in repeated {
            self.times[*number as usize] += 1;
        }
        for RepeatedGram { number, bucket } in repeated {
            let times = std::mem::take(&mut self.times[*number as usize]);
            if times > 1 {
                let value = term_weight(times);
                let less = value - times as f32;
                steps
                    .iter_mut()
                    .zip(self.linear.steps(*bucket))
                    .for_each(|(sum, steps)| *sum += less * steps as f32);
                square += value.powi(2) - times as f32;
            }
        }
        let scale = 1.0 / square.sqrt().max(1e-6);
        steps.map(|steps| steps * scale)
    }
}

/// The number of repeated n-grams in the first `count` words.
fn repeated_in(words: &[WordGrams], count: usize) -> usize {
    count.checked_sub(1).map_or(0, |last| words[last].repeated_to)
}

/// Numbers the buckets that occur more than once, from 0 on. Returns how many there are, and each occurrence's number.
fn repeats(buckets: &[u32]) -> (usize, Vec<Option<u32>>) {
    // A bucket is a hash, so its low bits are its place in an open-addressing table of the first occurrences.
    let mask = (buckets.len() * 2).next_power_of_two() - 1;
    let mut first = vec![u32::MAX; mask + 1];
    let mut found = 0;
    let mut numbers = vec![None; buckets.len()];
    for (at, bucket) in buckets.iter().enumerate() {
        let mut place = *bucket as usize & mask;
        while first[place] != u32::MAX && buckets[first[place] as usize] != *bucket {
            place = (place + 1) & mask;
        }
        if first[place] == u32::MAX {
            first[place] = at as u32;
            continue;
        }
        let number = numbers[first[place] as usize].get_or_insert_with(|| {
            found += 1;
            found - 1
        });
        let number = *number;
        numbers[at] = Some(number);
    }
    (found as usize, numbers)
}

#[cfg(test)]
mod tests {
    use ports::text::links;
    use proptest::prelude::*;

    use super::*;
    use crate::text::{features::Features, normalize::normalize, weights};

    proptest! {
        #[test]
        fn a_window_has_the_sums_of_its_features(
            content in "([a-d ]{0,40}|[A-ZÀ-ö .!]{0,40}|https://a[.]example/x ){0,6}",
            from in 0usize..20,
            length in 0usize..20,
        ) {
            let linear = weights::text().expect("weights").linear;
            let text = normalize(&content, &links::find(&content));
            let from = from.min(text.words.len());
            let window = from..(from + length).min(text.words.len());
            let mut sums = WindowSums::new(&linear, &text);
            // Twice, since no state of one window may affect the next.
            sums.of(0..text.words.len());
            let expected = linear.sums(&Features::read(&text, window.clone()));
            for (sum, expected) in sums.of(window).into_iter().zip(expected) {
                prop_assert!((sum - expected).abs() < 1e-3 * expected.abs().max(1.0), "{sum} {expected}");
            }
        }
    }
}
