//! [`Trie`]: names found byte by byte.

use std::collections::HashMap;

/// Names and the numbers of the leaves that are called so. Nodes are in one list; each has a range of bytes, and for
/// each byte of that the node behind it.
#[derive(Clone, Debug)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// The byte that the first of `next` is for.
    first: u8,
    /// The nodes behind the bytes from there on; the root's number, where none is.
    next: Vec<u32>,
    leaves: Vec<u32>,
}

impl Trie {
    pub(crate) fn new(names: &HashMap<Box<str>, Vec<u32>>) -> Trie {
        let mut trie = Trie {
            nodes: vec![Node::default()],
        };
        for (name, leaves) in names {
            let mut at = 0;
            for &byte in name.as_bytes() {
                at = trie.make(at, byte);
            }
            trie.nodes[at].leaves.clone_from(leaves);
        }
        trie
    }

    /// The leaves that are called so.
    pub(crate) fn find(&self, name: &str) -> &[u32] {
        let mut node = &self.nodes[0];
        for &byte in name.as_bytes() {
            let next = node.next.get(usize::from(byte.wrapping_sub(node.first)));
            match next {
                Some(&next) if next > 0 => node = &self.nodes[next as usize],
                _ => return &[],
            }
        }
        &node.leaves
    }

    /// The node behind a byte, a new one if need be.
    fn make(&mut self, at: usize, byte: u8) -> usize {
        let new = self.nodes.len() as u32;
        let node = &mut self.nodes[at];
        if node.next.is_empty() {
            node.first = byte;
        }
        if byte < node.first {
            let before = usize::from(node.first - byte);
            node.next.splice(0..0, std::iter::repeat_n(0, before));
            node.first = byte;
        }
        let place = usize::from(byte - node.first);
        if node.next.len() <= place {
            node.next.resize(place + 1, 0);
        }
        if node.next[place] == 0 {
            node.next[place] = new;
            self.nodes.push(Node::default());
            return new as usize;
        }
        node.next[place] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_others_are_not() {
        let names = ["x", "y", "value", "val", "a", "zeta", "", "Ärger"];
        let all = names
            .iter()
            .zip(0u32..)
            .map(|(name, n)| ((*name).into(), vec![n]));
        let trie = Trie::new(&all.collect());
        for (n, name) in (0u32..).zip(names) {
            assert_eq!(trie.find(name), [n], "{name}");
        }
        for other in ["v", "valu", "values", "b", "xx", "\u{0}", "Ä"] {
            assert_eq!(trie.find(other), [0u32; 0], "{other}");
        }
    }
}
