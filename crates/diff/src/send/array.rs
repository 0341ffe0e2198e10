//! A kept array: its values as they were sent last, and the chunks with their bytes.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{Flat, Untold};
use castile_value::{Changes, Column, DType, Stamp};

use super::align::edits;
use super::chunk::Chunk;
use super::compare::{BLOCK, refresh};
use super::costs::Choice;
use super::layout::{Layout, Shape};
use super::options::Options;
use super::patch::Memory;
use super::pieces::{Chunks, Piece};
use super::report::Report;

/// One array of numbers or of flat records.
#[derive(Debug)]
pub(crate) struct Array {
    shape: Shape,
    /// The values sent last, packed row after row.
    shadow: Vec<u8>,
    rows: usize,
    chunks: Vec<Chunk>,
    /// The chunks as they were handed out last, until one of them changes.
    handed: Option<Arc<Chunks>>,
    /// When the owner of each column was asked last what changed.
    seen: Vec<Option<Stamp>>,
    memory: Memory,
}

impl Array {
    /// Writes an array that nothing is known of.
    pub(crate) fn new(flat: &Flat<'_>, options: &Options, report: &mut Report) -> Array {
        let writer = flat.writer().clone();
        // Peers may read a padded boolean wrongly, numbers they read.
        let pads = writer.dtypes().iter().map(|d| options.pad && *d != DType::Bool);
        let pads = pads.collect();
        let mut array = Array {
            memory: Memory::new(writer.dtypes().len()),
            shape: Shape::new(writer, pads),
            shadow: Vec::new(),
            rows: 0,
            chunks: Vec::new(),
            handed: None,
            seen: stamps(flat),
        };
        array.replace(0..0, flat, 0..flat.len(), options, report);
        array
    }

    /// Whether `flat` is written as this array was.
    pub(crate) fn fits(&self, flat: &Flat<'_>) -> bool {
        self.shape.writer == *flat.writer()
    }

    /// Rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Makes the chunks say what `flat` holds.
    ///
    /// # Errors
    /// [`Options::verify`] is on, and a value changed without a mark. Values and bytes still agree.
    pub(crate) fn update(
        &mut self,
        flat: &Flat<'_>,
        options: &Options,
        report: &mut Report,
    ) -> Result<(), Untold> {
        if flat.len() != self.rows {
            let alike = |old, new, most| self.alike(flat, old, new, most);
            for (old, new) in edits(self.rows, flat.len(), alike).into_iter().rev() {
                self.replace(old, flat, new, options, report);
            }
            self.join_small(options);
            // What was marked has moved.
            self.seen.fill(None);
        }
        if options.verify {
            self.verify(flat)?;
        }
        let now = stamps(flat);
        if now.iter().any(Option::is_none) || now != self.seen {
            self.refresh(flat, options, report);
            self.seen = now;
        }
        Ok(())
    }

    /// Compares chunk by chunk.
    fn refresh(&mut self, flat: &Flat<'_>, options: &Options, report: &mut Report) {
        let (mut row, mut i) = (0, 0);
        while i < self.chunks.len() {
            let rows = row..row + self.chunks[i].rows;
            row = rows.end;
            self.refresh_chunk(i, rows, flat, options, report);
            i += 1;
            if self.chunks[i - 1].bytes.len() > options.split_bytes && self.chunks[i - 1].rows > 1 {
                let half = self.chunks[i - 1].rows / 2;
                let tail = self.halve(i - 1, half, options);
                self.chunks.insert(i, tail);
                report.chunks_split += 1;
                i += 1;
            }
        }
    }

    /// Looks for a value that changed although its owner says that it did not.
    fn verify(&self, flat: &Flat<'_>) -> Result<(), Untold> {
        let places = flat.columns().iter().zip(&self.shape.offsets).zip(&self.seen);
        for ((column, &offset), seen) in places {
            let (Some(changes), Some(seen)) = (column.changes(), *seen) else {
                continue;
            };
            let size = column.dtype().size();
            let differs = |&row: &usize| {
                let (old, new) = (row * self.shape.stride + offset, row * column.stride());
                self.shadow[old..old + size] != column.data()[new..new + size]
                    && !changes.has_changed(seen, row..row + 1)
            };
            if let Some(row) = (0..self.rows).find(differs) {
                return Err(Untold { row });
            }
        }
        Ok(())
    }

    fn halve(&mut self, i: usize, row: usize, options: &Options) -> Chunk {
        self.handed = None;
        let shape = &self.shape;
        let layout = Layout { shape, options };
        self.chunks[i].split_off(&layout, row)
    }

    /// Compares a chunk's values with their shadow and writes those that changed.
    fn refresh_chunk(
        &mut self,
        i: usize,
        rows: Range<usize>,
        flat: &Flat<'_>,
        options: &Options,
        report: &mut Report,
    ) {
        if let Some(next) = self.chunks.get(i + 1) {
            next.fetch();
        }
        let mut count = 0;
        let places = flat.columns().iter().zip(&self.shape.offsets).zip(&self.seen);
        for (((column, offset), seen), masks) in places.zip(&mut self.memory.masks) {
            masks.clear();
            masks.resize(rows.len().div_ceil(BLOCK), 0);
            if let (Some(changes), Some(seen)) = (column.changes(), *seen)
                && !changes.has_changed(seen, rows.clone())
            {
                continue;
            }
            let shadow =
                &mut self.shadow[rows.start * self.shape.stride + offset..rows.end * self.shape.stride];
            count += refresh(column, rows.clone(), shadow, self.shape.stride, masks);
            report.values_compared += rows.len() as u64;
        }
        if count == 0 {
            return;
        }
        self.handed = None;
        let values = rows.len() * self.shape.offsets.len();
        let shape = &self.shape;
        let layout = Layout { shape, options };
        let chunk = &mut self.chunks[i];
        let anew = match options.rewrite_above {
            Some(part) => count as f32 > values as f32 * part,
            None => {
                let costs = options.costs.unwrap_or_default();
                costs.prefer_anew(&Choice {
                    dtypes: shape.writer.dtypes(),
                    rows: chunk.rows,
                    changed: count,
                    copied: if chunk.is_lent() { chunk.bytes.len() } else { 0 },
                    exact: !shape.pads.contains(&true),
                })
            }
        };
        if anew {
            let columns = shape.columns(&self.shadow, self.rows);
            chunk.fill(&layout, &columns, rows, usize::MAX);
            report.values_written += values as u64;
            report.bytes_rewritten += chunk.bytes.len() as u64;
        } else {
            chunk.patch(&layout, &self.shadow, rows.start, &mut self.memory, report);
        }
    }

    /// How many rows from one old and one new row on are equal, up to `most`.
    fn alike(&self, flat: &Flat<'_>, old: usize, new: usize, most: usize) -> usize {
        let most = most.min(self.rows - old).min(flat.len() - new);
        let mut rows = 0;
        if let [column] = flat.columns()
            && column.stride() == self.shape.stride
        {
            let bytes = most * self.shape.stride;
            let (old, new) = (
                &self.shadow[old * self.shape.stride..][..bytes],
                &column.data()[new * self.shape.stride..],
            );
            let blocks = old
                .chunks_exact(BLOCK * self.shape.stride)
                .zip(new.chunks_exact(BLOCK * self.shape.stride));
            rows = BLOCK * blocks.take_while(|(old, new)| old == new).count();
        }
        rows + (rows..most)
            .take_while(|i| self.is_row(flat, old + i, new + i))
            .count()
    }

    fn is_row(&self, flat: &Flat<'_>, old: usize, new: usize) -> bool {
        let row = &self.shadow[old * self.shape.stride..(old + 1) * self.shape.stride];
        let places = flat.columns().iter().zip(&self.shape.offsets);
        places.into_iter().all(|(column, &offset)| {
            let size = column.dtype().size();
            let at = new * column.stride();
            column.data()[at..at + size] == row[offset..offset + size]
        })
    }

    /// Replaces the rows `old` by the rows `new` of `flat`.
    fn replace(
        &mut self,
        old: Range<usize>,
        flat: &Flat<'_>,
        new: Range<usize>,
        options: &Options,
        report: &mut Report,
    ) {
        self.handed = None;
        let start = self.cut(old.start, options);
        let end = self.cut(old.end, options);
        let mut fresh = Vec::with_capacity(new.len() * self.shape.stride);
        self.shape.pack(flat, new.clone(), &mut fresh);
        self.shadow
            .splice(old.start * self.shape.stride..old.end * self.shape.stride, fresh);
        self.rows = self.rows - old.len() + new.len();
        let columns = self.shape.columns(&self.shadow, self.rows);
        let shape = &self.shape;
        let layout = Layout { shape, options };
        let mut written = Vec::new();
        let mut rows = old.start..old.start + new.len();
        while !rows.is_empty() {
            let mut chunk = Chunk::default();
            chunk.fill(&layout, &columns, rows.clone(), options.chunk_bytes);
            rows.start += chunk.rows;
            report.values_written += (chunk.rows * self.shape.offsets.len()) as u64;
            report.bytes_rewritten += chunk.bytes.len() as u64;
            written.push(chunk);
        }
        self.chunks.splice(start..end, written);
    }

    /// Joins neighbours that fit into one chunk: cutting leaves small ones behind.
    fn join_small(&mut self, options: &Options) {
        self.handed = None;
        let mut joined: Vec<Chunk> = Vec::with_capacity(self.chunks.len());
        for chunk in self.chunks.drain(..) {
            match joined.last_mut() {
                Some(last) if last.bytes.len() + chunk.bytes.len() <= options.chunk_bytes => {
                    last.append(&chunk)
                }
                _ => joined.push(chunk),
            }
        }
        self.chunks = joined;
    }

    /// Makes a chunk begin at `row`; gives its number.
    fn cut(&mut self, row: usize, options: &Options) -> usize {
        let mut start = 0;
        for i in 0..self.chunks.len() {
            if start == row {
                return i;
            }
            let end = start + self.chunks[i].rows;
            if row < end {
                let tail = self.halve(i, row - start, options);
                self.chunks.insert(i + 1, tail);
                return i + 1;
            }
            start = end;
        }
        self.chunks.len()
    }

    /// The pieces of the message that this array is.
    pub(crate) fn chunks(&mut self) -> Arc<Chunks> {
        if let Some(handed) = &self.handed {
            return Arc::clone(handed);
        }
        let mut pieces = Vec::with_capacity(self.chunks.len() + 1);
        pieces.push(Piece::whole(Arc::new(self.shape.writer.first().to_vec())));
        let whole = |chunk: &Chunk| Piece::whole(Arc::clone(&chunk.bytes));
        pieces.extend(self.chunks.iter().map(whole));
        if let Some(last) = pieces.last_mut() {
            last.shorten(self.shape.writer.opening());
        }
        let len = pieces.iter().map(|piece| piece.len()).sum();
        let chunks = Arc::new(Chunks { pieces, len });
        self.handed = Some(Arc::clone(&chunks));
        chunks
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        let chunks = self.chunks.iter().map(Chunk::memory).sum::<usize>();
        self.shadow.capacity() + chunks + self.memory.bytes()
    }
}

/// This moment in the life of each column, where its owner counts.
fn stamps(flat: &Flat<'_>) -> Vec<Option<Stamp>> {
    let stamp = |column: &Column<'_>| column.changes().map(Changes::stamp);
    flat.columns().iter().map(stamp).collect()
}
