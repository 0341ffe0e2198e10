//! The constant bytes between values.

use castile_plan::Tags;
use castile_xml::Constant;

/// The constant bytes around the values of a repeated element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glue {
    /// Before the very first value.
    pub(super) first: Vec<u8>,
    /// After value k of a row; after the last value, through the start of the next row.
    pub(super) between: Vec<Constant>,
    /// Bytes of the next row's start in the last `between`, to take back at the end.
    pub(super) opening: usize,
}

impl Glue {
    /// `around`: the repeated element's tags; then, for a record, those of its fields, which say
    /// their types if `typed`.
    pub(super) fn new(around: &[&Tags], typed: bool) -> Glue {
        let outer = around[0];
        let fields = &around[1..];
        let open = |tags: &Tags| {
            let start = if typed && !std::ptr::eq(tags, outer) {
                &tags.typed
            } else {
                &tags.open
            };
            [start, b">".as_slice()].concat()
        };
        let Some((last, before)) = fields.split_last() else {
            let first = open(outer);
            let between = [&outer.close, &first[..]].concat();
            return Glue {
                opening: first.len(),
                first,
                between: vec![Constant::new(&between)],
            };
        };
        let first = [open(outer), open(fields[0])].concat();
        let mut between: Vec<Constant> = before
            .iter()
            .zip(&fields[1..])
            .map(|(a, b)| Constant::new(&[&a.close, &open(b)[..]].concat()))
            .collect();
        between.push(Constant::new(&[&last.close, &outer.close, &first[..]].concat()));
        Glue {
            opening: first.len(),
            first,
            between,
        }
    }
}

impl Glue {
    /// The lengths of what comes between values.
    pub(super) fn gaps(&self) -> Vec<u32> {
        self.between
            .iter()
            .map(|constant| u32::try_from(constant.len()).unwrap_or(u32::MAX))
            .collect()
    }
}
