//! [`Changes`]: which items of an array differ from the last message's.

/// The items that were read, by blocks: an array that still holds the last message's values is changed there only.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Numbers of blocks, ascending.
    blocks: Vec<u32>,
    /// Items came, went or moved.
    all: bool,
}

/// Items of a block: some that are copied in as little time as one.
const BLOCK: usize = 16;

impl Changes {
    /// Nothing changed yet.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.all = false;
    }

    /// Notes that an item differs; they come in order.
    #[inline(always)]
    pub(super) fn add(&mut self, item: usize) {
        let block = (item / BLOCK) as u32;
        if self.blocks.last() != Some(&block) {
            self.blocks.push(block);
        }
    }

    /// Notes that items do not lie where they did.
    pub(super) fn add_all(&mut self) {
        self.all = true;
    }

    /// Items of this many bytes each that changed, as the first byte and the bytes of each block; `None`: any may have.
    pub(super) fn of<'v>(
        &'v self,
        values: &'v [u8],
        stride: usize,
    ) -> Option<impl Iterator<Item = (usize, &'v [u8])>> {
        let block = move |&block: &u32| {
            let from = block as usize * BLOCK * stride;
            let to = (from + BLOCK * stride).min(values.len());
            Some((from, values.get(from..to)?))
        };
        (!self.all).then(|| self.blocks.iter().filter_map(block))
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    #[test]
    fn items_are_copied_with_their_neighbours() {
        let values: Vec<u8> = (0..80).collect();
        let mut changes = Changes::default();
        [3, 5, 39].into_iter().for_each(|item| changes.add(item));
        let of = |changes: &Changes| {
            let blocks = changes.of(&values, 2)?;
            Some(
                blocks
                    .map(|(from, block)| (from, block.len()))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&changes), Some(vec![(0, 32), (64, 16)]));
        changes.add_all();
        assert_eq!(of(&changes), None);
        changes.clear();
        assert_eq!(of(&changes), Some(vec![]));
    }
}
