//! Arrays of which nobody holds the whole: [`Batches`], and [`Streamed`], which puts one into a record.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;

use crate::{Item, Shape, Source, Value};

/// Why the next batch cannot be had.
pub type BatchError = Box<dyn Error + Send + Sync>;

/// The values of one repeated field, batch by batch; how many there are shows at the end. An encoder
/// asks for the next batch when the last is written, so only one is ever held.
pub trait Batches {
    /// Starts at the first batch, before [`next`](Batches::next). A message that is sent a second time,
    /// after a redirect or a challenge to authenticate, starts once more.
    ///
    /// # Errors
    /// It was started before and cannot start again.
    fn start(&self) -> Result<(), BatchError>;

    /// Hands the next batch to `take`: a column, a table, a list of values, or one single value. `false`
    /// at the end, with nothing handed over.
    ///
    /// # Errors
    /// Whatever keeps the batch from being made. The message is broken off then.
    fn next(&self, take: &mut dyn FnMut(Item<'_>)) -> Result<bool, BatchError>;
}

/// An iterator of values as [`Batches`]. Its values can be had once.
pub struct Stream<I> {
    values: RefCell<I>,
    started: Cell<bool>,
}

impl<I, V, E> Stream<I>
where
    I: Iterator<Item = Result<V, E>>,
    V: Into<Value>,
    E: Into<BatchError>,
{
    /// Batches of an iterator that may fail.
    pub fn fallible(batches: I) -> Self {
        Stream {
            values: RefCell::new(batches),
            started: Cell::new(false),
        }
    }
}

/// Why an iterator does not start again.
pub const ONCE: &str = "an iterator can be sent once only, and was: a redirect or a challenge to authenticate asks for \
                        the message once more; send a small request first, or give what can be read again";

impl Stream<()> {
    /// Batches of an iterator.
    ///
    /// ```
    /// use castile_value::{Stream, Streamed};
    ///
    /// let blocks = Stream::of((0..1000).map(|block| vec![f64::from(block); 4096]));
    /// let arguments = Streamed::new(&(), "values", &blocks);
    /// # let _ = arguments;
    /// ```
    pub fn of<V: Into<Value>>(
        batches: impl IntoIterator<Item = V>,
    ) -> Stream<impl Iterator<Item = Result<V, BatchError>>> {
        Stream::fallible(batches.into_iter().map(Ok))
    }
}

impl<I, V, E> Batches for Stream<I>
where
    I: Iterator<Item = Result<V, E>>,
    V: Into<Value>,
    E: Into<BatchError>,
{
    fn start(&self) -> Result<(), BatchError> {
        match self.started.replace(true) {
            true => Err(ONCE.into()),
            false => Ok(()),
        }
    }

    fn next(&self, take: &mut dyn FnMut(Item<'_>)) -> Result<bool, BatchError> {
        // Whoever takes a batch does not ask for the next one meanwhile; if he did, he gets an error.
        let next = self.values.try_borrow_mut()?.next();
        match next {
            None => Ok(false),
            Some(batch) => {
                let batch: Value = batch.map_err(Into::into)?.into();
                take(batch.item());
                Ok(true)
            }
        }
    }
}

impl<I> fmt::Debug for Stream<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

/// A record one of whose fields is streamed.
pub struct Streamed<'a> {
    rest: &'a dyn Source,
    name: &'a str,
    batches: &'a dyn Batches,
}

impl<'a> Streamed<'a> {
    /// The fields of `rest` (`&()` for none), and one called `name` whose values are `batches`.
    pub fn new(rest: &'a dyn Source, name: &'a str, batches: &'a dyn Batches) -> Self {
        Streamed { rest, name, batches }
    }
}

impl Source for Streamed<'_> {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        if name == self.name {
            return Item::Stream(self.batches);
        }
        self.rest.field(index, name)
    }

    fn type_name(&self) -> Option<&str> {
        self.rest.type_name()
    }

    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        match shape.index(self.name) {
            None => Some(self.name.to_owned()),
            Some(_) => self.rest.unknown_name(shape),
        }
    }
}

/// A record without fields.
impl Source for () {
    fn field(&self, _index: usize, _name: &str) -> Item<'_> {
        Item::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_end_and_fail_as_their_iterator_does() {
        let fails = [Ok(vec![1.0]), Err("no more".to_owned())];
        let stream = Stream::fallible(fails.into_iter());
        let mut seen = 0;
        let mut take = |item: Item<'_>| {
            if let Item::Column(column) = item {
                seen += column.len();
            }
        };
        assert!(stream.next(&mut take).unwrap());
        assert_eq!(stream.next(&mut take).unwrap_err().to_string(), "no more");
        assert!(!stream.next(&mut take).unwrap());
        assert_eq!(seen, 1);
    }

    #[test]
    fn an_iterator_starts_once() {
        let stream = Stream::of([1.5]);
        assert!(stream.start().is_ok());
        assert_eq!(stream.start().unwrap_err().to_string(), ONCE);
    }

    #[test]
    fn a_streamed_field_must_be_one_of_the_type() {
        let stream = Stream::of([1.5]);
        let shape = Shape::new("t", vec!["values".into()]);
        assert_eq!(Streamed::new(&(), "values", &stream).unknown_name(&shape), None);
        let misspelt = Streamed::new(&(), "valus", &stream);
        assert_eq!(misspelt.unknown_name(&shape).as_deref(), Some("valus"));
    }
}
