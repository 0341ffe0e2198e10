//! The large parts of messages, kept from one to the next: [`Parts`], and the [`Keeper`] that finds them.

use castile_codec::{Apart, Error, Flat, Keep, Long, Untold, glance};

use super::array::Array;
use super::list::List;
use super::options::Options;
use super::pieces::Run;
use super::report::Report;
use super::text::Text;
use super::worth::{Worth, glanced, words};

/// Arrays and texts: those of the last message in order, then others.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    all: Vec<Part>,
    /// Counts changes of any of them.
    changes: u64,
    /// Whether it pays to keep what comes first, second, … in a message.
    worths: Vec<Worth>,
}

/// A large part of a message.
#[derive(Debug)]
struct Part {
    value: Value,
    /// How many came before it in the message that had it last, kept or not.
    place: usize,
    /// Which change gave it what it has.
    state: u64,
    /// The message that had it last.
    used: u64,
    /// Lengths that it had before, the oldest replaced first.
    before: [Option<usize>; BEFORE],
    changes: usize,
}

#[derive(Debug)]
enum Value {
    Array(Box<Array>),
    List(List),
    Text(Text),
}

/// Lengths that are remembered of a part.
const BEFORE: usize = 8;

/// Parts that are looked through for one that fits.
const REACH: usize = 64;

/// Places of a message that are judged; what comes behind them is always kept.
const PLACES: usize = 1024;

impl Parts {
    /// The lengths of the first parts: rows of arrays, bytes of texts.
    pub(crate) fn lengths(&self, count: usize) -> impl Iterator<Item = usize> {
        self.all.iter().take(count).map(|part| part.value.len())
    }

    /// What the first parts have: two numbers that are equal mean the same bytes.
    pub(crate) fn states(&self, count: usize) -> impl Iterator<Item = u64> {
        self.all.iter().take(count).map(|part| part.state)
    }

    /// The pieces that the parts are.
    pub(crate) fn runs(&mut self) -> impl Iterator<Item = Run> {
        self.all.iter_mut().map(|part| match &mut part.value {
            Value::Array(array) => Run::Many(array.chunks()),
            Value::List(list) => Run::Many(list.chunks()),
            Value::Text(text) => Run::One(text.piece()),
        })
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        let memory = |part: &Part| match &part.value {
            Value::Array(array) => array.memory(),
            Value::List(list) => list.memory(),
            Value::Text(text) => text.memory(),
        };
        self.all.iter().map(memory).sum()
    }

    /// Drops those that are kept no more.
    pub(crate) fn drop_paused(&mut self) {
        let worths = &self.worths;
        self.all
            .retain(|part| !worths.get(part.place).is_some_and(Worth::is_paused));
    }

    /// Drops those beyond the first that were not used for longest, until so many are left.
    fn trim(&mut self, first: usize, spare: usize) {
        while self.all.len() > first + spare
            && let Some(oldest) = (first..self.all.len()).min_by_key(|&i| self.all[i].used)
        {
            self.all.swap_remove(oldest);
        }
    }
}

impl Value {
    fn len(&self) -> usize {
        match self {
            Value::Array(array) => array.len(),
            Value::List(list) => list.len(),
            Value::Text(text) => text.len(),
        }
    }
}

impl Part {
    fn new(value: Value) -> Part {
        Part {
            value,
            place: 0,
            state: 0,
            used: 0,
            before: [None; BEFORE],
            changes: 0,
        }
    }

    /// Remembers the length that it had.
    fn note(&mut self, length: usize) {
        self.before[self.changes % BEFORE] = Some(length);
        self.changes += 1;
    }
}

/// Takes the large parts of a message over, one after the other.
pub(crate) struct Keeper<'t> {
    parts: &'t mut Parts,
    options: &'t Options,
    now: u64,
    places: Vec<usize>,
    /// How many parts came so far, kept or not.
    came: usize,
    /// Which of them were lists that could not be kept.
    unfit: Vec<usize>,
    report: Report,
    /// Whether a part is new, or of another length than it was.
    moved: bool,
}

impl<'t> Keeper<'t> {
    pub(crate) fn new(parts: &'t mut Parts, options: &'t Options, now: u64) -> Keeper<'t> {
        Keeper {
            parts,
            options,
            now,
            places: Vec::new(),
            came: 0,
            unfit: Vec::new(),
            report: Report::default(),
            moved: false,
        }
    }

    /// Where the parts lie, whether any moved, and what it took.
    pub(crate) fn finish(self) -> (Vec<usize>, bool, Report) {
        let spare = SPARE.max(self.options.structures_max);
        self.parts.trim(self.places.len(), spare);
        // Only now: a message that cannot be written says nothing of its lists.
        for place in self.unfit {
            if let Some(worth) = self.parts.worths.get_mut(place) {
                worth.leave_alone();
            }
        }
        (self.places, self.moved, self.report)
    }

    /// The part that the next value is made from, at its place: one of the same length if there is any, else
    /// the one that stood there, or the spare one that is nearest in length. `None` when there is none, or
    /// when the length was here before: it will come again, so it is worth a part of its own.
    fn known(&mut self, length: usize, fits: impl Fn(&Value) -> bool) -> Option<&mut Part> {
        let (parts, next) = (&mut self.parts.all, self.places.len());
        let end = parts.len().min(next + REACH);
        let mut fitting = (next..end).filter(|&i| fits(&parts[i].value));
        let first = fitting.next()?;
        let mut others = [first].into_iter().chain(fitting.clone());
        let found = match others.find(|&i| parts[i].value.len() == length) {
            Some(same) => same,
            None => {
                // What the last message had after this one may be needed for what comes after this one.
                let free = |&i: &usize| i == first || parts[i].used + 1 < self.now;
                let candidates = [first].into_iter().chain(fitting).filter(free);
                let comes_back = |i: usize| parts[i].before.contains(&Some(length));
                if candidates.clone().count() < self.options.structures_max
                    && candidates.clone().any(comes_back)
                {
                    return None;
                }
                candidates.min_by_key(|&i| parts[i].value.len().abs_diff(length))?
            }
        };
        parts.swap(next, found);
        parts.get_mut(next)
    }

    /// Puts a new part at the next place; what stood there is spare.
    fn insert(&mut self, value: Value) {
        let (parts, next) = (&mut self.parts.all, self.places.len());
        let last = parts.len();
        parts.push(Part::new(value));
        parts.swap(next, last);
        self.moved = true;
    }

    /// Drops the part at the next place.
    fn forget(&mut self) {
        let next = self.places.len();
        if next < self.parts.all.len() {
            self.parts.all.swap_remove(next);
        }
    }

    /// Says that the part at the next place lies at byte `at`, that this took what `report` says beyond what is
    /// known, and that it had a length of `before`. `stayed`: some of what it had is of use; unknown where it had
    /// nothing.
    fn place(&mut self, at: usize, report: Report, before: Option<usize>, stayed: Option<bool>) {
        if let (Some(worth), Some(stayed)) = (self.worth(), stayed) {
            worth.note(stayed);
        }
        let written = |r: &Report| r.values_rewritten + r.values_written + r.values_shared;
        let changed = written(&report) != written(&self.report);
        self.report = report;
        if let Some(part) = self.parts.all.get_mut(self.places.len()) {
            part.used = self.now;
            part.place = self.came;
            if changed || before != Some(part.value.len()) {
                self.parts.changes += 1;
                part.state = self.parts.changes;
            }
            if let Some(before) = before.filter(|&before| before != part.value.len()) {
                part.note(before);
                self.moved = true;
            }
        }
        self.places.push(at);
        self.came += 1;
    }

    /// The judgement on what comes next.
    fn worth(&mut self) -> Option<&mut Worth> {
        let (worths, at) = (&mut self.parts.worths, self.came);
        if !self.options.pauses || at >= PLACES {
            return None;
        }
        if worths.len() <= at {
            worths.resize_with(at + 1, Worth::default);
        }
        worths.get_mut(at)
    }

    /// Whether it is not tried to keep the list that comes next, since it could not be kept before; then it has come.
    fn leaves_alone(&mut self) -> bool {
        let left = self.worth().is_some_and(Worth::is_left_alone);
        self.came += usize::from(left);
        left
    }

    /// The list that comes next cannot be kept; what is in it may be.
    fn leave(&mut self) -> bool {
        self.unfit.push(self.came);
        self.came += 1;
        false
    }

    /// Whether what comes next, so long, is not kept now; then it has come.
    fn pauses(&mut self, length: usize, glance: impl FnOnce() -> Vec<u64>) -> bool {
        let paused = self.worth().is_some_and(|worth| worth.goes_on(length, glance));
        self.came += usize::from(paused);
        self.report.paused += u64::from(paused);
        paused
    }
}

impl Keep for Keeper<'_> {
    fn apart(&self) -> Apart {
        Apart {
            values: self.options.values_min,
            bytes: self.options.text_bytes_min,
        }
    }

    fn wants(&mut self, rows: usize, fields: usize, glance: &dyn Fn(&[usize]) -> Vec<u64>) -> bool {
        rows * fields >= self.options.values_min && !self.pauses(rows, || glance(&glanced(rows, fields)))
    }

    fn array(&mut self, at: usize, flat: &Flat<'_>) -> Result<bool, Untold> {
        let (rows, fields) = (flat.len(), flat.columns().len());
        if rows * fields < self.options.values_min
            || self.pauses(rows, || glance(flat.columns(), &glanced(rows, fields)))
        {
            return Ok(false);
        }
        let mut stayed = None;
        let (mut report, options, mut before) = (self.report, self.options, None);
        let fits = |value: &Value| matches!(value, Value::Array(array) if array.fits(flat));
        match self.known(flat.len(), fits).map(|part| &mut part.value) {
            Some(Value::Array(array)) => {
                before = Some(array.len());
                let (taken, written) = (array.was_taken(), report.values_new());
                array.update(flat, options, &mut report)?;
                let written = report.values_new() - written;
                // A row of which one value changed takes as long as one of which all did.
                let part = |changed: u64, all: usize| changed * 4 <= all as u64 * 3;
                let little = part(written, rows * fields) && part(array.rows_changed() as u64, rows);
                stayed = Some(taken || little);
            }
            _ => {
                let array = Array::new(flat, options, &mut report);
                self.insert(Value::Array(Box::new(array)));
            }
        }
        self.place(at, report, before, stayed);
        Ok(true)
    }

    fn list(&mut self, at: usize, given: &castile_codec::List<'_>) -> bool {
        let (items, fields) = (given.len(), given.fields());
        if items * fields < self.options.values_min
            || self.leaves_alone()
            || self.pauses(items, || given.glance(&glanced(items, fields)))
        {
            return false;
        }
        let (mut report, options, mut before, mut stayed) = (self.report, self.options, None, None);
        let fits = |value: &Value| matches!(value, Value::List(list) if list.fits(given));
        match self.known(items, fits).map(|part| &mut part.value) {
            Some(Value::List(list)) => {
                before = Some(list.len());
                let written = report.values_new();
                if !list.update(given, options, &mut report) {
                    self.forget();
                    return self.leave();
                }
                // Texts are written as fast as they are compared, flat records nearly, others are not.
                let share = match (given.is_flat(), fields) {
                    (true, 1) => 128,
                    (true, _) => 32,
                    (false, _) => 2,
                };
                let written = report.values_new() - written;
                stayed = Some(written * share <= (items * fields) as u64);
            }
            _ => match List::new(given, options, &mut report) {
                Some(list) => self.insert(Value::List(list)),
                None => return self.leave(),
            },
        }
        self.place(at, report, before, stayed);
        true
    }

    fn long(
        &mut self,
        at: usize,
        long: &Long<'_>,
        write: &dyn Fn(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if long.raw.len() < self.options.text_bytes_min || self.pauses(long.raw.len(), || words(long.raw)) {
            return Ok(false);
        }
        let (mut report, mut before, mut stayed) = (self.report, None, None);
        let fits = |value: &Value| matches!(value, Value::Text(text) if text.fits(long));
        match self.known(long.raw.len(), fits).map(|part| &mut part.value) {
            Some(Value::Text(text)) => {
                before = Some(text.len());
                let written = report.values_new();
                text.update(long, write, &mut report)?;
                stayed = Some(report.values_new() == written);
            }
            _ => {
                let text = Text::new(long, write, &mut report)?;
                self.insert(Value::Text(text));
            }
        }
        self.place(at, report, before, stayed);
        Ok(true)
    }
}

/// Parts that are kept although the last message had not so many.
const SPARE: usize = 8;
