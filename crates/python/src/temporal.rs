//! Dates, times and durations: Python's own classes where they can hold the value, ours where
//! they cannot (years outside 1 to 9999, the g-types, fractions finer than a microsecond, dates
//! with a zone, months in a duration).

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash};

use castile_value::{DateTime, DateTimeKind, Duration};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyTime, PyTimeAccess, PyTzInfo};

const ATTO_PER_MICRO: u64 = 1_000_000_000_000;
const DAY_SECONDS: u64 = 86_400;

const KINDS: [(&str, DateTimeKind); 8] = [
    ("dateTime", DateTimeKind::DateTime),
    ("date", DateTimeKind::Date),
    ("time", DateTimeKind::Time),
    ("gYearMonth", DateTimeKind::GYearMonth),
    ("gYear", DateTimeKind::GYear),
    ("gMonthDay", DateTimeKind::GMonthDay),
    ("gDay", DateTimeKind::GDay),
    ("gMonth", DateTimeKind::GMonth),
];

/// A date or time that Python's `datetime` cannot hold: a year outside 1 to 9999, a fraction finer
/// than a microsecond, a date with a time zone, or one of the types of parts of a date.
///
/// `kind` is `dateTime`, `date`, `time`, `gYearMonth`, `gYear`, `gMonthDay`, `gDay` or `gMonth`, and
/// `text` the value as XML Schema writes it. Parts that a kind does not have are `None`.
///
/// >>> from castile import DateTime
/// >>> year = DateTime("gYear", "-0044")
/// >>> year.year, year.month, str(year)
/// (-44, None, '-0044')
/// >>> DateTime("dateTime", "2020-01-01T00:00:00.000000001Z").attoseconds
/// 1000000000
///
/// Values of one kind compare by when they are. One with and one without a time zone are in no order
/// when they are less than 14 hours apart: they are not equal, and neither is less.
///
/// >>> DateTime("gYear", "2020") < DateTime("gYear", "12020")
/// True
/// >>> DateTime("date", "2020-01-02+12:00") == DateTime("date", "2020-01-01-12:00")
/// True
#[pyclass(name = "DateTime", module = "castile", frozen)]
#[derive(Clone)]
pub(crate) struct Moment(pub(crate) DateTime);

#[pymethods]
impl Moment {
    #[new]
    fn new(kind: &str, text: &str) -> PyResult<Self> {
        let kind = KINDS
            .iter()
            .find(|(name, _)| *name == kind)
            .map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| {
            let names = KINDS.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("the kind must be one of {names}"))
        })?;
        let value = DateTime::parse(kind, text.as_bytes());
        value
            .map(Moment)
            .map_err(|e| PyValueError::new_err(e.to_string()))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self.0.kind)
            .map_or("dateTime", |(name, _)| name)
    }

    #[getter]
    fn year(&self) -> Option<i64> {
        self.0.kind.has_year().then_some(self.0.year)
    }

    #[getter]
    fn month(&self) -> Option<u8> {
        self.0.kind.has_month().then_some(self.0.month)
    }

    #[getter]
    fn day(&self) -> Option<u8> {
        self.0.kind.has_day().then_some(self.0.day)
    }

    #[getter]
    fn hour(&self) -> Option<u8> {
        self.0.kind.has_time().then_some(self.0.hour)
    }

    #[getter]
    fn minute(&self) -> Option<u8> {
        self.0.kind.has_time().then_some(self.0.minute)
    }

    #[getter]
    fn second(&self) -> Option<u8> {
        self.0.kind.has_time().then_some(self.0.second)
    }

    #[getter]
    fn attoseconds(&self) -> u64 {
        self.0.attoseconds
    }

    #[getter]
    fn zone_minutes(&self) -> Option<i16> {
        self.0.zone_minutes
    }

    fn __richcmp__(&self, other: &Moment, operator: CompareOp) -> bool {
        ordered(self.0.compare(&other.0), operator)
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.0.kind, self.0.zone_minutes.is_some(), self.0.instant()))
    }

    fn __str__(&self) -> String {
        let mut out = Vec::new();
        self.0.format(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn __repr__(&self) -> String {
        format!("castile.DateTime({:?}, {:?})", self.kind(), self.__str__())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (&'static str, String)) {
        (slf.get_type().into_any(), (slf.get().kind(), slf.get().__str__()))
    }
}

/// A duration that `timedelta` cannot hold: with months, very long, or finer than a microsecond.
///
/// >>> from castile import Duration
/// >>> lease = Duration("P1Y2M3D")
/// >>> lease.months, lease.seconds, str(lease)
/// (14, 259200, 'P1Y2M3D')
///
/// Durations whose order depends on which months they are have none.
///
/// >>> Duration("P1M") < Duration("P32D"), Duration("P1M") < Duration("P30D")
/// (True, False)
#[pyclass(name = "Duration", module = "castile", frozen)]
#[derive(Clone)]
pub(crate) struct Span(pub(crate) Duration);

#[pymethods]
impl Span {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let value = Duration::parse(text.as_bytes());
        value.map(Span).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    #[getter]
    fn negative(&self) -> bool {
        self.0.negative
    }

    #[getter]
    fn months(&self) -> u64 {
        self.0.months
    }

    #[getter]
    fn seconds(&self) -> u64 {
        self.0.seconds
    }

    #[getter]
    fn attoseconds(&self) -> u64 {
        self.0.attoseconds
    }

    fn __richcmp__(&self, other: &Span, operator: CompareOp) -> bool {
        ordered(self.0.compare(&other.0), operator)
    }

    fn __hash__(&self) -> u64 {
        hash(&self.0)
    }

    fn __str__(&self) -> String {
        let mut out = Vec::new();
        self.0.format(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn __repr__(&self) -> String {
        format!("castile.Duration({:?})", self.__str__())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().__str__(),))
    }
}

/// What Python asks of two values that may be in no order.
fn ordered(order: Option<Ordering>, operator: CompareOp) -> bool {
    match order {
        Some(order) => operator.matches(order),
        None => matches!(operator, CompareOp::Ne),
    }
}

fn hash(value: &impl Hash) -> u64 {
    foldhash::fast::FixedState::default().hash_one(value)
}

/// A date or time as Python's own class, or as [`Moment`].
pub(crate) fn moment_to_python<'py>(py: Python<'py>, v: &DateTime) -> PyResult<Bound<'py, PyAny>> {
    match native_moment(py, v)? {
        Some(native) => Ok(native),
        None => Ok(Bound::new(py, Moment(*v))?.into_any()),
    }
}

fn native_moment<'py>(py: Python<'py>, v: &DateTime) -> PyResult<Option<Bound<'py, PyAny>>> {
    let has_year = (1..=9999).contains(&v.year);
    if !v.attoseconds.is_multiple_of(ATTO_PER_MICRO) || (v.kind.has_year() && !has_year) {
        return Ok(None);
    }
    let micro = (v.attoseconds / ATTO_PER_MICRO) as u32;
    // The end of a day is the start of the next.
    let hour = v.hour % 24;
    match v.kind {
        DateTimeKind::Date if v.zone_minutes.is_none() => {
            Ok(Some(PyDate::new(py, v.year as i32, v.month, v.day)?.into_any()))
        }
        DateTimeKind::Time => {
            let zone = zone(py, v.zone_minutes)?;
            Ok(Some(
                PyTime::new(py, hour, v.minute, v.second, micro, zone.as_ref())?.into_any(),
            ))
        }
        DateTimeKind::DateTime => {
            let zone = zone(py, v.zone_minutes)?;
            let (year, month, day) = (v.year as i32, v.month, v.day);
            let start = PyDateTime::new(
                py,
                year,
                month,
                day,
                hour,
                v.minute,
                v.second,
                micro,
                zone.as_ref(),
            )?;
            if v.hour != 24 {
                return Ok(Some(start.into_any()));
            }
            match start.add(PyDelta::new(py, 1, 0, 0, false)?) {
                Ok(next) => Ok(Some(next)),
                Err(e) if e.is_instance_of::<PyOverflowError>(py) => Ok(None),
                Err(e) => Err(e),
            }
        }
        _ => Ok(None),
    }
}

fn zone<'py>(py: Python<'py>, minutes: Option<i16>) -> PyResult<Option<Bound<'py, PyTzInfo>>> {
    match minutes {
        None => Ok(None),
        Some(0) => Ok(Some(PyTzInfo::utc(py)?.to_owned())),
        Some(minutes) => {
            let offset = PyDelta::new(py, 0, i32::from(minutes) * 60, 0, true)?;
            PyTzInfo::fixed_offset(py, offset).map(Some)
        }
    }
}

/// A duration as `timedelta`, or as [`Span`].
pub(crate) fn span_to_python<'py>(py: Python<'py>, v: &Duration) -> PyResult<Bound<'py, PyAny>> {
    let days = v.seconds / DAY_SECONDS;
    // A timedelta holds less than 10^9 days either way.
    if v.months == 0 && v.attoseconds.is_multiple_of(ATTO_PER_MICRO) && days < 999_999_999 {
        let sign = if v.negative { -1 } else { 1 };
        let seconds = (v.seconds % DAY_SECONDS) as i32;
        let micros = (v.attoseconds / ATTO_PER_MICRO) as i32;
        return Ok(PyDelta::new(py, sign * days as i32, sign * seconds, sign * micros, true)?.into_any());
    }
    Ok(Bound::new(py, Span(*v))?.into_any())
}

/// A `datetime`.
pub(crate) fn datetime_from_python(v: &Bound<'_, PyDateTime>) -> PyResult<DateTime> {
    refuse_nanoseconds(v.as_any(), "nanosecond")?;
    Ok(DateTime {
        kind: DateTimeKind::DateTime,
        year: v.get_year().into(),
        month: v.get_month(),
        day: v.get_day(),
        hour: v.get_hour(),
        minute: v.get_minute(),
        second: v.get_second(),
        attoseconds: u64::from(v.get_microsecond()) * ATTO_PER_MICRO,
        zone_minutes: offset(v.as_any())?,
    })
}

/// A `date`.
pub(crate) fn date_from_python(v: &Bound<'_, PyDate>) -> DateTime {
    DateTime {
        year: v.get_year().into(),
        month: v.get_month(),
        day: v.get_day(),
        ..nothing(DateTimeKind::Date)
    }
}

/// A `time`.
pub(crate) fn time_from_python(v: &Bound<'_, PyTime>) -> PyResult<DateTime> {
    Ok(DateTime {
        hour: v.get_hour(),
        minute: v.get_minute(),
        second: v.get_second(),
        attoseconds: u64::from(v.get_microsecond()) * ATTO_PER_MICRO,
        zone_minutes: offset(v.as_any())?,
        ..nothing(DateTimeKind::Time)
    })
}

/// A `timedelta`.
pub(crate) fn delta_from_python(v: &Bound<'_, PyDelta>) -> PyResult<Duration> {
    refuse_nanoseconds(v.as_any(), "nanoseconds")?;
    let seconds = i64::from(v.get_days()) * DAY_SECONDS as i64 + i64::from(v.get_seconds());
    let micros = i128::from(seconds) * 1_000_000 + i128::from(v.get_microseconds());
    let size = micros.unsigned_abs();
    Ok(Duration {
        negative: micros < 0,
        months: 0,
        seconds: (size / 1_000_000) as u64,
        attoseconds: (size % 1_000_000) as u64 * ATTO_PER_MICRO,
    })
}

fn nothing(kind: DateTimeKind) -> DateTime {
    DateTime {
        kind,
        year: 0,
        month: 0,
        day: 0,
        hour: 0,
        minute: 0,
        second: 0,
        attoseconds: 0,
        zone_minutes: None,
    }
}

/// Minutes ahead of UTC; the wire has no place for the seconds of a zone.
fn offset(v: &Bound<'_, PyAny>) -> PyResult<Option<i16>> {
    let delta = v.call_method0(intern!(v.py(), "utcoffset"))?;
    if delta.is_none() {
        return Ok(None);
    }
    let delta = delta.cast::<PyDelta>()?;
    let seconds = i64::from(delta.get_days()) * DAY_SECONDS as i64 + i64::from(delta.get_seconds());
    if seconds % 60 != 0 || delta.get_microseconds() != 0 {
        return Err(PyValueError::new_err(
            "the time zone is not a whole number of minutes from UTC",
        ));
    }
    Ok(Some((seconds / 60) as i16))
}

/// Pandas' subclasses carry nanoseconds that their base class does not show.
fn refuse_nanoseconds(v: &Bound<'_, PyAny>, attribute: &str) -> PyResult<()> {
    if v.is_exact_instance_of::<PyDateTime>() || v.is_exact_instance_of::<PyDelta>() {
        return Ok(());
    }
    match v.getattr(attribute) {
        Ok(nanos) if nanos.is_truthy()? => Err(PyValueError::new_err(
            "the value has nanoseconds; give a castile.DateTime or castile.Duration",
        )),
        _ => Ok(()),
    }
}
