//! The orders in which options are shown, and the groups that many options are split into.

use ports::decision::{Choice, QuestionKind};

/// The options of a question in an order of their own, so that no answer depends on the client's: indices into its
/// options. Levels keep their order.
pub(super) fn canonical(kind: &QuestionKind, options: &[Choice]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..options.len()).collect();
    if matches!(kind, QuestionKind::Choice(_)) {
        indices.sort_by(|a, b| options[*a].value.cmp(&options[*b].value));
    }
    indices
}

/// The orders to show `options` in: at most `rotations`. Levels are shown upwards and downwards, other options turned.
pub(super) fn orders(kind: &QuestionKind, options: &[usize], rotations: usize) -> Vec<Vec<usize>> {
    if matches!(kind, QuestionKind::Score(_)) {
        let down = options.iter().rev().copied().collect();
        return [options.to_vec(), down].into_iter().take(rotations.max(1)).collect();
    }
    let turns = rotations.clamp(1, options.len().max(1));
    (0..turns)
        .map(|turn| {
            let mut order = options.to_vec();
            order.rotate_left(turn * options.len() / turns);
            order
        })
        .collect()
}

/// Splits options into as few groups as possible, of at most `most` and of almost equal size.
pub(super) fn groups(options: &[usize], most: usize) -> Vec<Vec<usize>> {
    let count = options.len().div_ceil(most.max(2)).max(1);
    let size = options.len() / count;
    let larger = options.len() % count;
    let mut groups = Vec::with_capacity(count);
    let mut rest = options;
    for group in 0..count {
        let (taken, left) = rest.split_at(size + usize::from(group < larger));
        groups.push(taken.to_vec());
        rest = left;
    }
    groups
}

/// How many requests a question takes at most.
pub(super) fn requests(options: usize, most: usize, rotations: usize) -> usize {
    let mut left = options;
    let mut groups = 0;
    loop {
        let now = left.div_ceil(most.max(2)).max(1);
        groups += now;
        if now == 1 {
            return groups * rotations;
        }
        left = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(names: &[&str]) -> QuestionKind {
        let options = names.iter().map(|name| Choice { value: (*name).to_owned(), description: None });
        QuestionKind::Choice(options.collect())
    }

    /// The names of the options in the order in which they are shown first, and second.
    fn shown(names: &[&str]) -> Vec<Vec<String>> {
        let kind = choice(names);
        let options = kind.options();
        let orders = orders(&kind, &canonical(&kind, &options), 2);
        orders.iter().map(|order| order.iter().map(|i| options[*i].value.clone()).collect()).collect()
    }

    #[test]
    fn the_orders_do_not_depend_on_the_clients_order() {
        assert_eq!(shown(&["c", "a", "b"]), shown(&["b", "c", "a"]));
        assert_eq!(shown(&["b", "a"]), [["a", "b"], ["b", "a"]]);
    }

    #[test]
    fn each_option_is_in_one_group_and_at_each_place_once() {
        for count in 1..=255 {
            let options: Vec<usize> = (0..count).collect();
            for most in [2, 5, 20] {
                let groups = groups(&options, most);
                assert!(groups.iter().all(|group| group.len() <= most && !group.is_empty()));
                assert_eq!(groups.concat(), options);
            }
        }
        let kind = choice(&["a", "b", "c"]);
        let orders = orders(&kind, &[0, 1, 2], 3);
        for place in 0..3 {
            let mut at: Vec<usize> = orders.iter().map(|order| order[place]).collect();
            at.sort_unstable();
            assert_eq!(at, [0, 1, 2]);
        }
        assert_eq!((requests(3, 20, 2), requests(255, 20, 2), requests(255, 5, 1)), (2, 28, 51 + 11 + 3 + 1));
    }
}
