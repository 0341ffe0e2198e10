//! A kept array: its values as they were sent last, and the chunks with their bytes.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{Flat, Untold};
use castile_value::{Changes, Column, Stamp};

use super::align::edits;
use super::chunk::Chunk;
use super::layout::{Layout, Pad, Shape};
use super::options::{Options, Stuffing};
use super::patch::Memory;
use super::pieces::Chunks;
use super::pool::{Held, Pool, Snapshot};
use super::refresh::{Refresh, write_chunks};
use super::report::Report;
use super::spares;
use super::typical::widths;

/// One array of numbers or of flat records.
#[derive(Debug)]
pub(crate) struct Array {
    shape: Arc<Shape>,
    /// The values sent last, packed row after row.
    shadow: Arc<Vec<u8>>,
    rows: usize,
    chunks: Vec<Chunk>,
    /// The width that is typical of each value of a row, where it is asked for.
    typical: Vec<u8>,
    /// When the owner of each column was asked last what changed.
    seen: Vec<Option<Stamp>>,
    memory: Memory,
    /// What others may take over. Once somebody did, values and chunks are left there between messages.
    published: Option<Arc<Snapshot>>,
    /// See [`Options::spare_bytes`].
    spare_bytes: usize,
}

impl Array {
    /// Writes an array that nothing is known of.
    pub(crate) fn new(flat: &Flat<'_>, options: &Options, report: &mut Report) -> Array {
        let writer = flat.writer().clone();
        let pads = (0..writer.dtypes().len()).map(|field| Pad::of(&writer, field, options));
        let pads = pads.collect();
        let mut array = Array {
            memory: Memory::new(writer.dtypes().len()),
            shape: Arc::new(Shape::new(writer, pads)),
            shadow: Arc::default(),
            rows: 0,
            chunks: Vec::new(),
            typical: Vec::new(),
            seen: stamps(flat),
            published: None,
            spare_bytes: options.spare_bytes,
        };
        if !array.adopt(flat, options, report) {
            array.replace(0..0, flat, 0..flat.len(), options, report);
            array.learn_widths(options);
            array.publish(options);
        }
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
        self.memory.rows_changed = 0;
        let now = stamps(flat);
        self.resume();
        if flat.len() == self.rows {
            if options.verify {
                self.verify(flat)?;
            }
            if now.iter().all(Option::is_some) && now == self.seen {
                return Ok(());
            }
        }
        if !self.is_published_as(flat, report) && !self.adopt(flat, options, report) {
            self.go_on(options, report);
            if flat.len() != self.rows {
                self.realign(flat, options, report);
            }
            self.refresh(flat, options, report);
            self.learn_widths(options);
            self.publish(options);
        }
        self.seen = now;
        Ok(())
    }

    /// Has what was left where others may take it over at hand again, unless somebody went on from it.
    fn resume(&mut self) {
        let Some(published) = self.published.as_ref().filter(|_| self.is_left()) else {
            return;
        };
        if let Some(held) = published.pick_up() {
            return self.hold(held);
        }
        self.published = None;
        // All values are to be looked at, whatever their owners say.
        self.seen.fill(None);
    }

    /// Lets go of what others may have, to change it. Where another was first, it starts from what that made of it.
    fn go_on(&mut self, options: &Options, report: &mut Report) {
        if let Some(published) = self.published.take() {
            published.go_on();
        }
        if !self.is_left() {
            return;
        }
        let last = |pool: &Pool| pool.last(&self.shape, options.stuffing, self.rows);
        match options.pool.as_ref().and_then(last) {
            Some(held) => {
                self.hold(held);
                report.values_shared += self.values() as u64;
            }
            None => self.rows = 0,
        }
    }

    fn hold(&mut self, held: Held) {
        (self.shadow, self.chunks, self.memory.handed) = (held.shadow, held.chunks, held.handed);
    }

    /// Whether values and chunks are left where others may take them over.
    fn is_left(&self) -> bool {
        self.chunks.is_empty() && self.rows > 0
    }

    /// Whether nothing changed of what others may hold: then it is not touched.
    fn is_published_as(&self, flat: &Flat<'_>, report: &mut Report) -> bool {
        let same = self.published.is_some() && self.shape.has(&self.shadow, self.rows, flat);
        report.values_compared += if same { self.values() as u64 } else { 0 };
        same
    }

    /// Takes over what another message wrote of the same values.
    fn adopt(&mut self, flat: &Flat<'_>, options: &Options, report: &mut Report) -> bool {
        let find = |pool: &Pool| pool.find(&self.shape, options.stuffing, flat);
        let Some((found, held)) = options.pool.as_ref().and_then(find) else {
            return false;
        };
        self.hold(held);
        self.rows = flat.len();
        found.take();
        self.published = Some(found);
        report.values_shared += self.values() as u64;
        true
    }

    /// Rows of which the last update changed a value or more.
    pub(crate) fn rows_changed(&self) -> usize {
        self.memory.rows_changed
    }

    /// Whether another message took over what this one published last.
    pub(crate) fn was_taken(&self) -> bool {
        self.published.as_ref().is_some_and(|one| one.was_taken())
    }

    fn learn_widths(&mut self, options: &Options) {
        if options.stuffing == Stuffing::Typical {
            self.typical = widths(&self.chunks, &self.shape);
        }
    }

    fn publish(&mut self, options: &Options) {
        if let Some(pool) = &options.pool {
            let held = Held {
                shadow: Arc::clone(&self.shadow),
                chunks: self.chunks.clone(),
                handed: None,
            };
            let shape = Arc::clone(&self.shape);
            self.published = Some(pool.add(Snapshot::new(shape, options.stuffing, self.rows, held)));
        }
    }

    fn values(&self) -> usize {
        self.rows * self.shape.fields()
    }

    /// Takes out and puts in rows, so that there are as many as `flat` has.
    fn realign(&mut self, flat: &Flat<'_>, options: &Options, report: &mut Report) {
        let (shape, shadow, rows) = (&self.shape, &self.shadow, self.rows);
        let alike = |old, new, most| shape.alike((shadow, rows), flat, old, new, most);
        for (old, new) in edits(rows, flat.len(), alike).into_iter().rev() {
            self.replace(old, flat, new, options, report);
        }
        self.join_small(options);
        // What was marked has moved.
        self.seen.fill(None);
    }

    /// Compares chunk by chunk, writes what changed, and splits what grew too large.
    fn refresh(&mut self, flat: &Flat<'_>, options: &Options, report: &mut Report) {
        let before = report.bytes_rewritten;
        let job = Refresh {
            layout: Layout {
                shape: &self.shape,
                options,
                typical: &self.typical,
            },
            flat,
            seen: &self.seen,
        };
        let shadow = Arc::make_mut(&mut self.shadow);
        job.run(&mut self.chunks, shadow, &mut self.memory, report);
        if report.bytes_rewritten != before {
            self.split_large(options, report);
        }
    }

    fn split_large(&mut self, options: &Options, report: &mut Report) {
        let mut i = 0;
        while i < self.chunks.len() {
            let chunk = &self.chunks[i];
            if chunk.bytes.len() > options.split_bytes && chunk.rows > 1 {
                let tail = self.halve(i, chunk.rows / 2, options);
                self.chunks.insert(i + 1, tail);
                report.chunks_split += 1;
                i += 1;
            }
            i += 1;
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
        self.memory.handed = None;
        let layout = Layout {
            shape: &self.shape,
            options,
            typical: &self.typical,
        };
        self.chunks[i].split_off(&layout, row)
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
        self.memory.handed = None;
        self.memory.rows_changed += new.len();
        let start = self.cut(old.start, options);
        let end = self.cut(old.end, options);
        let stride = self.shape.stride;
        let mut fresh = Vec::with_capacity(new.len() * stride);
        self.shape.pack(flat, new.clone(), &mut fresh);
        if self.shadow.is_empty() {
            self.shadow = Arc::new(fresh);
        } else {
            Arc::make_mut(&mut self.shadow).splice(old.start * stride..old.end * stride, fresh);
        }
        self.rows = self.rows - old.len() + new.len();
        let columns = self.shape.columns(&self.shadow, self.rows);
        let mut rows = old.start..old.start + new.len();
        let mut layout = Layout {
            shape: &self.shape,
            options,
            typical: &self.typical,
        };
        let mut written = Vec::new();
        let typical;
        if options.stuffing == Stuffing::Typical && self.typical.is_empty() && !rows.is_empty() {
            // The first chunk tells what is typical of the others.
            let mut first = Chunk::default();
            first.fill(&layout, &columns, rows.clone(), options.chunk_bytes());
            rows.start += first.rows;
            written.push(first);
            typical = widths(&written, &self.shape);
            layout.typical = &typical;
        }
        written.extend(write_chunks(&layout, &columns, rows));
        for chunk in &written {
            report.values_written += (chunk.rows * self.shape.fields()) as u64;
            report.bytes_rewritten += chunk.bytes.len() as u64;
        }
        let gone = self.chunks.splice(start..end, written);
        spares::give(gone.filter_map(Chunk::into_buffer), options.spare_bytes);
    }

    /// Joins neighbours that fit into one chunk: cutting leaves small ones behind.
    fn join_small(&mut self, options: &Options) {
        self.memory.handed = None;
        let mut joined: Vec<Chunk> = Vec::with_capacity(self.chunks.len());
        for chunk in self.chunks.drain(..) {
            match joined.last_mut() {
                Some(last) if last.bytes.len() + chunk.bytes.len() <= options.chunk_bytes() => {
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
        let handed = match self.memory.handed.take() {
            Some(handed) => handed,
            None => {
                let writer = &self.shape.writer;
                let bytes = self.chunks.iter().map(|chunk| Arc::clone(&chunk.bytes));
                Arc::new(Chunks::new(writer.first(), bytes, writer.opening()))
            }
        };
        match &self.published {
            Some(published) if published.was_taken() && published.leave(&handed) => {
                (self.shadow, self.chunks) = Default::default();
            }
            _ => self.memory.handed = Some(Arc::clone(&handed)),
        }
        handed
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        let chunks = self.chunks.iter().map(Chunk::memory).sum::<usize>();
        let left = self.published.as_ref().filter(|_| self.is_left());
        let left = left.map_or(0, |published| published.memory());
        left + self.shadow.capacity() + chunks + self.memory.bytes()
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.resume();
        (self.memory.handed, self.published) = (None, None);
        spares::give(
            self.chunks.drain(..).filter_map(Chunk::into_buffer),
            self.spare_bytes,
        );
    }
}

/// This moment in the life of each column, where its owner counts.
fn stamps(flat: &Flat<'_>) -> Vec<Option<Stamp>> {
    let stamp = |column: &Column<'_>| column.changes().map(Changes::stamp);
    flat.columns().iter().map(stamp).collect()
}
