//! A kept list: its items as they were sent last, and the blocks with their bytes.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{Batch, ListWriter};

use super::align::edits;
use super::block::{Block, Scratch};
use super::options::Options;
use super::pieces::Chunks;
use super::report::Report;

/// One list of texts or of records. Items that changed are written anew; the others are copied, or stay where they are.
#[derive(Debug)]
pub(crate) struct List {
    writer: ListWriter,
    blocks: Vec<Block>,
    items: usize,
    /// The blocks as they were handed out last, until one of them changes.
    handed: Option<Arc<Chunks>>,
}

/// Blocks are so many times as small as the chunks of an array: what changes its width in one has all of it written
/// once more.
const PARTS: usize = 2;

/// Items of the first block that is written: how large they are is not known yet.
const FIRST: usize = 64;
/// The most items of a block.
const MOST: usize = 1024;

impl List {
    /// Writes a list that nothing is known of; `None` when it cannot be kept.
    pub(crate) fn new(
        list: &castile_codec::List<'_>,
        options: &Options,
        report: &mut Report,
    ) -> Option<List> {
        let mut made = List {
            writer: list.writer().clone(),
            blocks: Vec::new(),
            items: 0,
            handed: None,
        };
        let written = made.replace(0..0, list, 0..list.len(), options, report);
        written.then_some(made)
    }

    /// Whether `list` is written as this one was.
    pub(crate) fn fits(&self, list: &castile_codec::List<'_>) -> bool {
        self.writer == *list.writer()
    }

    /// Items.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    /// Makes the blocks say what `list` holds; `false` when it cannot be kept, and then this is of no use any more.
    pub(crate) fn update(
        &mut self,
        list: &castile_codec::List<'_>,
        options: &Options,
        report: &mut Report,
    ) -> bool {
        let before = report.bytes_rewritten;
        let good =
            (list.len() == self.items || self.realign(list, options, report)) && self.refresh(list, report);
        if good && report.bytes_rewritten != before {
            self.split_large(options, report);
        }
        good
    }

    /// Compares block by block, and writes what changed.
    fn refresh(&mut self, list: &castile_codec::List<'_>, report: &mut Report) -> bool {
        let (mut batch, mut scratch) = (list.batch(), Scratch::default());
        let mut at = 0;
        for block in &mut self.blocks {
            let items = at..at + block.len();
            at = items.end;
            if !list.take(items, &mut batch) {
                return false;
            }
            if block.find_changed(list, &batch, &mut scratch, report) {
                // What nobody else holds is changed in place.
                self.handed = None;
                if !block.update(list, &mut batch, &mut scratch, report) {
                    return false;
                }
            }
        }
        true
    }

    /// Takes out and puts in items, so that there are as many as `list` has.
    fn realign(&mut self, list: &castile_codec::List<'_>, options: &Options, report: &mut Report) -> bool {
        let mut all = list.batch();
        if !list.take(0..list.len(), &mut all) {
            return false;
        }
        let edits = self.edits(list, &all);
        let mut edits = edits.into_iter().rev();
        let good = edits.all(|(old, new)| self.replace(old, list, new, options, report));
        self.join_small(options);
        good
    }

    fn edits(&self, list: &castile_codec::List<'_>, all: &Batch<'_>) -> Vec<(Range<usize>, Range<usize>)> {
        let mut starts = vec![0];
        for block in &self.blocks {
            starts.push(starts[starts.len() - 1] + block.len());
        }
        let is_item = |old: usize, new: usize| {
            let at = starts.partition_point(|&start| start <= old) - 1;
            self.blocks[at].is_item(old - starts[at], list, all, new)
        };
        edits(self.items, all.len(), |old, new, most| {
            let most = most.min(self.items - old).min(all.len() - new);
            (0..most).take_while(|i| is_item(old + i, new + i)).count()
        })
    }

    /// Replaces the items `old` by the items `new` of `list`.
    fn replace(
        &mut self,
        old: Range<usize>,
        list: &castile_codec::List<'_>,
        new: Range<usize>,
        options: &Options,
        report: &mut Report,
    ) -> bool {
        self.handed = None;
        let (start, end) = (self.cut(old.start), self.cut(old.end));
        let mut written = Vec::new();
        let mut batch = list.batch();
        let (mut at, mut items) = (new.start, FIRST);
        while at < new.end {
            let some = at..new.end.min(at + items);
            at = some.end;
            let taken = list.take(some, &mut batch);
            let Some(block) = taken.then(|| Block::write(list, &mut batch)).flatten() else {
                return false;
            };
            items = (options.chunk_bytes / PARTS * block.len() / block.bytes().max(1)).clamp(1, MOST);
            report.values_written += (block.len() * list.fields()) as u64;
            report.bytes_rewritten += block.bytes() as u64;
            written.push(block);
        }
        self.items = self.items - old.len() + new.len();
        self.blocks.splice(start..end, written);
        self.split_large(options, report);
        true
    }

    /// Makes a block begin at an item; gives its number.
    fn cut(&mut self, item: usize) -> usize {
        let mut start = 0;
        for i in 0..self.blocks.len() {
            if start == item {
                return i;
            }
            let end = start + self.blocks[i].len();
            if item < end {
                let tail = self.blocks[i].split_off(item - start);
                self.blocks.insert(i + 1, tail);
                return i + 1;
            }
            start = end;
        }
        self.blocks.len()
    }

    fn split_large(&mut self, options: &Options, report: &mut Report) {
        let mut i = 0;
        while let Some(block) = self.blocks.get_mut(i) {
            if PARTS * block.bytes() > options.split_bytes && block.len() > 1 {
                let tail = block.split_off(block.len() / 2);
                self.blocks.insert(i + 1, tail);
                report.chunks_split += 1;
            } else {
                i += 1;
            }
        }
    }

    /// Joins neighbours that fit into one block: cutting leaves small ones behind.
    fn join_small(&mut self, options: &Options) {
        let mut joined: Vec<Block> = Vec::with_capacity(self.blocks.len());
        for block in self.blocks.drain(..) {
            match joined.last_mut() {
                Some(last) if PARTS * (last.bytes() + block.bytes()) <= options.chunk_bytes => {
                    last.append(&block);
                }
                _ => joined.push(block),
            }
        }
        self.blocks = joined;
    }

    /// The pieces of the message that this list is.
    pub(crate) fn chunks(&mut self) -> Arc<Chunks> {
        let (blocks, writer) = (&self.blocks, &self.writer);
        let handed = self.handed.get_or_insert_with(|| {
            let blocks = blocks.iter().map(Block::shared);
            Arc::new(Chunks::new(writer.first(), blocks, writer.opening()))
        });
        Arc::clone(handed)
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.blocks.iter().map(Block::memory).sum()
    }
}
