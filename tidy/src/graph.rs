//! A directed graph of names, with the line on which each edge was first seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Default)]
pub struct Graph {
    edges: BTreeMap<String, BTreeMap<String, usize>>,
}

/// An edge that lies on a cycle.
pub struct CycleEdge<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub line: usize,
    /// The shortest way from `to` back to `from`, both included.
    pub way_back: Vec<&'a str>,
}

impl Graph {
    pub fn add(&mut self, from: &str, to: &str, line: usize) {
        if from != to {
            self.edges.entry(from.to_owned()).or_default().entry(to.to_owned()).or_insert(line);
        }
    }

    /// Each edge as (from, to, line).
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        self.edges.iter().flat_map(|(from, targets)| {
            targets.iter().map(move |(to, line)| (from.as_str(), to.as_str(), *line))
        })
    }

    /// Each node that has edges, with where they lead.
    pub fn targets(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.edges.iter().map(|(from, targets)| (from.as_str(), targets.keys().map(String::as_str).collect()))
    }

    /// This graph with each node replaced by `group(node)`; edges inside a group go.
    pub fn grouped(&self, group: impl Fn(&str) -> String) -> Self {
        let mut grouped = Self::default();
        for (from, to, line) in self.edges() {
            grouped.add(&group(from), &group(to), line);
        }
        grouped
    }

    /// The shortest way from one node to another, both included.
    fn way<'a>(&'a self, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
        let mut seen = BTreeSet::from([from]);
        let mut queue = VecDeque::from([vec![from]]);
        while let Some(way) = queue.pop_front() {
            let last = *way.last()?;
            if last == to {
                return Some(way);
            }
            for next in self.edges.get(last).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next) {
                    let mut longer = way.clone();
                    longer.push(next);
                    queue.push_back(longer);
                }
            }
        }
        None
    }

    pub fn cycle_edges(&self) -> Vec<CycleEdge<'_>> {
        let on_cycle = self.edges().filter_map(|(from, to, line)| {
            let way_back = self.way(to, from)?;
            Some(CycleEdge { from, to, line, way_back })
        });
        on_cycle.collect()
    }

    /// The sets of nodes that can all reach each other, those of one node left out.
    pub fn components(&self) -> Vec<BTreeSet<&str>> {
        let mut components: Vec<BTreeSet<&str>> = Vec::new();
        for edge in self.cycle_edges() {
            let mut component: BTreeSet<&str> = edge.way_back.into_iter().collect();
            // Cycles that share a node belong together.
            let touched = components.extract_if(.., |other| !other.is_disjoint(&component));
            let merged: Vec<&str> = touched.flatten().collect();
            component.extend(merged);
            components.push(component);
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::default();
        for (line, (from, to)) in edges.iter().enumerate() {
            graph.add(from, to, line);
        }
        graph
    }

    #[test]
    fn edges_on_a_cycle_are_found_with_the_way_back() {
        let graph = graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]);
        let edges = graph.cycle_edges();
        assert_eq!(edges.len(), 3);
        assert_eq!(edges[0].way_back, ["b", "c", "a"]);
        assert!(edges.iter().all(|edge| edge.to != "d"));
    }

    #[test]
    fn cycles_that_share_a_node_are_one_component() {
        let graph =
            graph(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("x", "y"), ("y", "x"), ("a", "x")]);
        let components = graph.components();
        assert_eq!(components, [BTreeSet::from(["a", "b", "c"]), BTreeSet::from(["x", "y"])]);
    }

    #[test]
    fn a_grouped_graph_has_no_edges_inside_a_group() {
        let grouped = graph(&[("a/1", "a/2"), ("a/2", "b/1")]).grouped(|node| node[..1].to_owned());
        assert_eq!(grouped.edges().collect::<Vec<_>>(), [("a", "b", 1)]);
    }
}
