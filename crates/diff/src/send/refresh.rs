//! Comparing a whole array with the values sent last and writing what changed, on one processor or on several.

use std::ops::Range;

use castile_codec::Flat;
use castile_value::{Column, Stamp};

use super::chunk::Chunk;
use super::compare::{BLOCK, compare, compare_rows, take_all, take_over};
use super::costs::{Choice, Way};
use super::layout::Layout;
use super::patch::Memory;
use super::report::Report;

/// What is to be sent of an array whose chunks have what was sent.
pub(crate) struct Refresh<'r> {
    pub(crate) layout: Layout<'r>,
    pub(crate) flat: &'r Flat<'r>,
    /// When the owner of each column was asked last what changed.
    pub(crate) seen: &'r [Option<Stamp>],
}

/// Bytes for which another processor is worth waking.
const LARGE: usize = 1 << 20;

/// How many processors share an array.
fn shares(layout: &Layout<'_>, rows: usize) -> usize {
    let large = rows * layout.shape.writer.row_bytes_likely() / LARGE;
    layout.options.threads.min(large).max(1)
}

/// Writes rows of columns into chunks.
pub(crate) fn write_chunks(layout: &Layout<'_>, columns: &[Column<'_>], rows: Range<usize>) -> Vec<Chunk> {
    let shares = shares(layout, rows.len());
    let write = |mut rows: Range<usize>| {
        let mut written = Vec::new();
        while !rows.is_empty() {
            let mut chunk = Chunk::default();
            chunk.fill(layout, columns, rows.clone(), layout.options.chunk_bytes());
            rows.start += chunk.rows;
            written.push(chunk);
        }
        written
    };
    if shares == 1 {
        return write(rows);
    }
    let share = rows.len().div_ceil(shares);
    let parts = rows.clone().step_by(share);
    let parts: Vec<_> = parts.map(|start| start..rows.end.min(start + share)).collect();
    std::thread::scope(|scope| {
        let write = &write;
        let others: Vec<_> = parts[1..]
            .iter()
            .map(|part| (part, scope.spawn(move || write(part.clone()))))
            .collect();
        let mut written = write(parts[0].clone());
        for (part, other) in others {
            // Whoever could not do its part leaves it to us.
            written.extend(other.join().unwrap_or_else(|_| write(part.clone())));
        }
        written
    })
}

impl Refresh<'_> {
    /// Compares values with `shadow`, which is told, and writes those that changed into `chunks`.
    pub(crate) fn run(
        &self,
        chunks: &mut [Chunk],
        shadow: &mut [u8],
        memory: &mut Memory,
        report: &mut Report,
    ) {
        let rows = self.flat.len();
        let shares = shares(&self.layout, rows);
        if shares > 1 {
            // Nobody knows yet who is first to change something.
            memory.handed = None;
        }
        let share = rows.div_ceil(shares);
        self.run_from(0, share, chunks, shadow, memory, report);
    }

    /// The same from row `first` on: the first share here, and meanwhile what lies behind it elsewhere.
    fn run_from(
        &self,
        first: usize,
        share: usize,
        chunks: &mut [Chunk],
        shadow: &mut [u8],
        memory: &mut Memory,
        report: &mut Report,
    ) {
        let (mut here, mut count) = (0, 0);
        while let Some(chunk) = chunks.get(count).filter(|_| here < share) {
            here += chunk.rows;
            count += 1;
        }
        let (mine, others) = chunks.split_at_mut(count);
        if others.is_empty() {
            return self.run_here(first, mine, shadow, memory, report);
        }
        let (shadow, rest) = shadow.split_at_mut(here * self.layout.shape.stride);
        std::thread::scope(|scope| {
            let elsewhere = scope.spawn(move || {
                let (mut memory, mut report) = (Memory::new(self.seen.len()), Report::default());
                self.run_from(first + here, share, others, rest, &mut memory, &mut report);
                (report, memory.rows_changed)
            });
            self.run_here(first, mine, shadow, memory, report);
            match elsewhere.join() {
                Ok((other, rows_changed)) => {
                    report.add(&other);
                    memory.rows_changed += rows_changed;
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
    }

    /// The same here. The slots of a chunk come near while the next is compared, and are written then.
    fn run_here(
        &self,
        first: usize,
        chunks: &mut [Chunk],
        shadow: &mut [u8],
        memory: &mut Memory,
        report: &mut Report,
    ) {
        let mut row = 0;
        let mut prepared = None;
        for i in 0..chunks.len() {
            if let Some(next) = chunks.get(i + 1) {
                next.fetch();
            }
            let rows = row..row + chunks[i].rows;
            row = rows.end;
            if !self.refresh_chunk(&mut chunks[i], first, rows.clone(), shadow, memory, report) {
                continue;
            }
            if let Some(before) = prepared.replace(i) {
                chunks[before].put_prepared(&self.layout, memory, report);
            }
            chunks[i].prepare(&self.layout, shadow, rows.start, memory);
            memory.turn();
        }
        if let Some(last) = prepared {
            chunks[last].put_prepared(&self.layout, memory, report);
        }
        memory.rebuilt.give_back(self.layout.options);
    }

    /// Compares a chunk's values with their shadow, which begins at row `first`, and writes those that changed, or, if
    /// `true`, has prepared what is still to be put into their slots.
    fn refresh_chunk(
        &self,
        chunk: &mut Chunk,
        first: usize,
        rows: Range<usize>,
        shadow: &mut [u8],
        memory: &mut Memory,
        report: &mut Report,
    ) -> bool {
        let shape = self.layout.shape;
        let count = self.compare_chunk(first, rows.clone(), shadow, memory, report);
        if count == 0 {
            return false;
        }
        memory.rows_changed += rows_changed(&memory.masks, count);
        memory.handed = None;
        let way = self.way(chunk, count);
        self.take_over(way, first, rows.clone(), shadow, memory);
        match way {
            Way::Patch => chunk.fetch_slots(shape.fields(), memory),
            Way::Rebuild => chunk.rebuild(&self.layout, shadow, rows.start, memory, report),
            Way::Anew => {
                let columns = shape.columns(shadow, rows.end);
                report.values_written += (rows.len() * shape.fields()) as u64;
                chunk.fill(&self.layout, &columns, rows, usize::MAX);
                report.bytes_rewritten += chunk.bytes.len() as u64;
            }
        }
        way == Way::Patch
    }

    /// How a chunk of which so many values changed is brought up to date.
    fn way(&self, chunk: &Chunk, changed: usize) -> Way {
        let Layout { shape, options, .. } = self.layout;
        if let Some(part) = options.rewrite_above {
            let most = (chunk.rows * shape.fields()) as f32 * part;
            return if changed as f32 > most {
                Way::Anew
            } else {
                Way::Patch
            };
        }
        options.costs.unwrap_or_default().way(&Choice {
            dtypes: shape.writer.dtypes(),
            rows: chunk.rows,
            changed,
            copied: if chunk.is_lent() { chunk.bytes.len() } else { 0 },
            exact: shape.is_exact(),
            rebuilds: options.rebuild,
        })
    }

    /// Takes the values of a chunk over that changed. What is written is made from them: whoever changes the others
    /// meanwhile changes nothing of it.
    fn take_over(&self, way: Way, first: usize, rows: Range<usize>, shadow: &mut [u8], memory: &mut Memory) {
        let (shape, first) = (self.layout.shape, first + rows.start);
        let shadow = &mut shadow[rows.start * shape.stride..rows.end * shape.stride];
        let columns = self.flat.columns().iter().zip(&shape.offsets).enumerate();
        let columns = columns.map(|(field, (column, offset))| (field, column, *offset));
        if way == Way::Anew {
            return columns.for_each(|(_, column, offset)| {
                take_all(
                    column,
                    first..first + rows.len(),
                    &mut shadow[offset..],
                    shape.stride,
                );
            });
        }
        memory.list_rows();
        columns.for_each(|(field, column, offset)| {
            let rows = &memory.changed.rows[memory.changed.of(field)];
            take_over(column, first, rows, &mut shadow[offset..], shape.stride);
        });
    }

    /// Compares the values of a chunk with their shadow; those that changed are noted in the masks. Gives their number.
    fn compare_chunk(
        &self,
        first: usize,
        rows: Range<usize>,
        shadow: &[u8],
        memory: &mut Memory,
        report: &mut Report,
    ) -> usize {
        let (shape, columns) = (self.layout.shape, self.flat.columns());
        let now = first + rows.start..first + rows.end;
        let shadow = &shadow[rows.start * shape.stride..];
        for masks in &mut memory.masks {
            masks.fill(0);
            if masks.len() < rows.len().div_ceil(BLOCK) {
                masks.resize(rows.len().div_ceil(BLOCK), 0);
            }
        }
        if columns.len() > 1
            && columns.iter().all(|column| column.changes().is_none())
            && let Some(packed) = shape.packed(self.flat, now.clone())
        {
            report.values_compared += (rows.len() * columns.len()) as u64;
            return compare_rows(columns, now, packed, shadow, shape, &mut memory.masks);
        }
        // Where values change their slots are asked for in between.
        let (mut count, ahead) = (0, memory.rows_changed > 0);
        let places = columns.iter().zip(&shape.offsets).zip(self.seen);
        for (((column, offset), seen), masks) in places.zip(&mut memory.masks) {
            if let (Some(changes), Some(seen)) = (column.changes(), *seen)
                && !changes.has_changed(seen, now.clone())
            {
                continue;
            }
            let shadow = &shadow[*offset..];
            count += compare(column, now.clone(), shadow, shape.stride, masks, ahead);
            report.values_compared += rows.len() as u64;
        }
        count
    }
}

/// Rows of which a value or more changed, by the masks of each value; `changed` values did.
fn rows_changed(masks: &[Vec<u64>], changed: usize) -> usize {
    let [first, others @ ..] = masks else {
        return 0;
    };
    if others.is_empty() {
        return changed;
    }
    let any = |(i, mask): (usize, &u64)| others.iter().fold(*mask, |any, other| any | other[i]);
    first
        .iter()
        .enumerate()
        .map(|block| any(block).count_ones() as usize)
        .sum()
}
