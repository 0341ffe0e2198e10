//! What other libraries have in Arrow's form, as Python values that can be sent: [`ArrowReader`].

use std::ffi::{CStr, c_char};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict, PyList, PyTuple};

use super::{ArrowArray, ArrowArrayStream, ArrowSchema};

/// The batches of a stream, or the one array of an object: for each a NumPy array, a list, or a dict of
/// these, one a column.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct ArrowReader(Mutex<Reading>);

struct Reading {
    schema: ArrowSchema,
    /// `None` at the end, and where an array was given.
    stream: Option<ArrowArrayStream>,
    /// The array that is still to be given.
    array: Option<ArrowArray>,
}

#[pymethods]
impl ArrowReader {
    /// Reads an object with `__arrow_c_stream__` or `__arrow_c_array__`.
    #[new]
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reading = if object.hasattr("__arrow_c_stream__")? {
            let capsule = object.call_method0("__arrow_c_stream__")?;
            let mut stream: ArrowArrayStream =
                take(&capsule, c"arrow_array_stream", ArrowArrayStream::empty())?;
            Reading {
                schema: stream.schema()?,
                stream: Some(stream),
                array: None,
            }
        } else {
            let pair = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            Reading {
                schema: take(&pair.get_item(0)?, c"arrow_schema", ArrowSchema::empty())?,
                array: Some(take(&pair.get_item(1)?, c"arrow_array", ArrowArray::empty())?),
                stream: None,
            }
        };
        Ok(ArrowReader(Mutex::new(reading)))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = match &mut reading.stream {
            // A stream may be one of Python, on another thread.
            Some(stream) => py.detach(|| stream.next())?,
            None => reading.array.take(),
        };
        match next {
            None => {
                reading.stream = None;
                Ok(None)
            }
            Some(array) => values(py, &reading.schema, &array, 0, array.length).map(Some),
        }
    }
}

/// Moves a struct out of its capsule.
fn take<T>(capsule: &Bound<'_, PyAny>, name: &CStr, empty: T) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let found = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: by its name the capsule has such a struct, and the specification lets a consumer move it out when
    // it leaves a released one.
    Ok(unsafe { found.replace(empty) })
}

impl ArrowArrayStream {
    fn schema(&mut self) -> PyResult<ArrowSchema> {
        let mut schema = ArrowSchema::empty();
        let Some(get) = self.get_schema.filter(|_| self.release.is_some()) else {
            return Err(PyValueError::new_err("the Arrow stream was read already"));
        };
        // SAFETY: the stream is not released, and `schema` is room for the result.
        match unsafe { get(self, &mut schema) } {
            0 => Ok(schema),
            code => Err(self.failure(code)),
        }
    }

    /// The next array; `None` at the end.
    fn next(&mut self) -> PyResult<Option<ArrowArray>> {
        let mut array = ArrowArray::empty();
        let Some(get) = self.get_next else {
            return Ok(None);
        };
        // SAFETY: as for the schema.
        match unsafe { get(self, &mut array) } {
            0 => Ok(array.release.is_some().then_some(array)),
            code => Err(self.failure(code)),
        }
    }

    fn failure(&mut self, code: i32) -> PyErr {
        let told = self.get_last_error.and_then(|get| {
            // SAFETY: the stream is not released; what comes is null or a text that is valid until the next call.
            text(unsafe { get(self) })
        });
        PyValueError::new_err(told.unwrap_or_else(|| format!("the Arrow stream failed with code {code}")))
    }
}

/// A text that ends in a zero; `None` for null.
fn text(at: *const c_char) -> Option<String> {
    // SAFETY: the texts of the interface are null or end in a zero.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// `count` values from `start` on: a NumPy array, a list where some are null or texts, or a dict of columns.
fn values<'py>(
    py: Python<'py>,
    schema: &ArrowSchema,
    array: &ArrowArray,
    start: i64,
    count: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let format = text(schema.format).unwrap_or_default();
    let part = Part::new(array, start, count)?;
    if !schema.dictionary.is_null() {
        return Err(unknown("a dictionary"));
    }
    if format == "+s" {
        let dict = PyDict::new(py);
        for i in 0..usize::try_from(schema.n_children.min(array.n_children)).unwrap_or(0) {
            // SAFETY: a struct has as many children as it says, of its type and of its array.
            let (schema, array) = unsafe { (&**schema.children.add(i), &**array.children.add(i)) };
            let column = values(py, schema, array, part.start as i64, count)?;
            dict.set_item(text(schema.name).unwrap_or_default(), column)?;
        }
        return Ok(dict.into_any());
    }
    macro_rules! numbers {
        ($type:ty) => {
            part.with_nulls(
                py,
                numpy::PyArray1::from_slice(py, part.slice::<$type>(1, 0)).into_any(),
            )
        };
    }
    match &*format {
        "c" => numbers!(i8),
        "C" => numbers!(u8),
        "s" => numbers!(i16),
        "S" => numbers!(u16),
        "i" => numbers!(i32),
        "I" => numbers!(u32),
        "l" => numbers!(i64),
        "L" => numbers!(u64),
        "f" => numbers!(f32),
        "g" => numbers!(f64),
        "b" => {
            let bits = (0..part.count).map(|i| part.bit(1, i)).collect();
            part.with_nulls(py, numpy::PyArray1::from_vec(py, bits).into_any())
        }
        "u" => texts(
            py,
            &part,
            part.slice::<i32>(1, 1).iter().map(|at| i64::from(*at)).collect(),
        ),
        "U" => texts(py, &part, part.slice::<i64>(1, 1).to_vec()),
        other => Err(unknown(&format!("{other:?}"))),
    }
}

fn unknown(what: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "a column of Arrow's type {what} cannot be sent; cast it to numbers, booleans or texts first"
    ))
}

fn texts<'py>(py: Python<'py>, part: &Part<'_>, ends: Vec<i64>) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    let size = ends.last().copied().unwrap_or(0);
    let bytes: &[u8] = part.bytes(2, usize::try_from(size).unwrap_or(0));
    for (i, pair) in ends.windows(2).enumerate() {
        let range = pair[0] as usize..pair[1] as usize;
        if part.is_null(i) {
            list.append(py.None())?;
        } else {
            let text = bytes.get(range).and_then(|bytes| std::str::from_utf8(bytes).ok());
            list.append(text.ok_or_else(|| PyValueError::new_err("a text of an Arrow array is no UTF-8"))?)?;
        }
    }
    Ok(list.into_any())
}

/// Some values of an array.
struct Part<'a> {
    array: &'a ArrowArray,
    /// The first, counted from the start of the buffers.
    start: usize,
    count: usize,
}

impl<'a> Part<'a> {
    fn new(array: &'a ArrowArray, start: i64, count: i64) -> PyResult<Self> {
        let first = usize::try_from(start.saturating_add(array.offset));
        match (first, usize::try_from(count)) {
            (Ok(first), Ok(size)) if start.saturating_add(count) <= array.length => Ok(Part {
                array,
                start: first,
                count: size,
            }),
            _ => Err(PyValueError::new_err("an Arrow array has a length that is none")),
        }
    }

    fn buffer(&self, number: usize) -> *const u8 {
        if (number as i64) < self.array.n_buffers {
            // SAFETY: an array has as many buffers as it says.
            unsafe { *self.array.buffers.add(number) }.cast()
        } else {
            std::ptr::null()
        }
    }

    /// The values of a buffer of fixed width, and so many `more`.
    fn slice<T>(&self, number: usize, more: usize) -> &'a [T] {
        let data = self.buffer(number).cast::<T>();
        if data.is_null() || !data.is_aligned() || self.count == 0 {
            return &[];
        }
        // SAFETY: the specification has `offset + length` values in a buffer (one more of offsets), and
        // `new` has compared with the length; the array is kept while the slice is used.
        unsafe { std::slice::from_raw_parts(data.add(self.start), self.count + more) }
    }

    /// The first bytes of a buffer.
    fn bytes(&self, number: usize, size: usize) -> &'a [u8] {
        let data = self.buffer(number);
        if data.is_null() || size == 0 {
            return &[];
        }
        // SAFETY: the last of the offsets is the size of the bytes, by the specification.
        unsafe { std::slice::from_raw_parts(data, size) }
    }

    fn bit(&self, number: usize, i: usize) -> bool {
        let (data, at) = (self.buffer(number), self.start + i);
        // SAFETY: a bitmap has a bit for each of `offset + length` values.
        !data.is_null() && unsafe { *data.add(at / 8) } >> (at % 8) & 1 == 1
    }

    fn is_null(&self, i: usize) -> bool {
        self.array.null_count != 0 && !self.buffer(0).is_null() && !self.bit(0, i)
    }

    /// The array itself, or a list with `None` where nothing stands.
    fn with_nulls<'py>(&self, py: Python<'py>, array: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if array.len()? != self.count {
            return Err(PyValueError::new_err("an Arrow array lacks its values"));
        }
        let nulls: Vec<usize> = (0..self.count).filter(|i| self.is_null(*i)).collect();
        if nulls.is_empty() {
            return Ok(array);
        }
        let list = array.call_method0("tolist")?;
        for i in nulls {
            list.set_item(i, py.None())?;
        }
        Ok(list)
    }
}
