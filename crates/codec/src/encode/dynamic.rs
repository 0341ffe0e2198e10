//! Single values, written where they are of the kind that their type suggests.

use castile_lexical as lexical;
use castile_value::{Scalar, Value};
use castile_xml::{Constant, NUMBER};

use super::items::Kernel;
use super::packed::append_text;

/// A value that is asked for what a [`Kernel`] writes; `None` when it is of another kind.
pub(super) trait Given {
    fn text(&self) -> Option<&str>;
    fn int(&self) -> Option<i64>;
    fn double(&self) -> Option<f64>;
    fn float(&self) -> Option<f32>;
    fn bool(&self) -> Option<bool>;
}

macro_rules! given {
    ($of:ty, $kind:ident, |$text:ident| $str:expr) => {
        impl Given for $of {
            #[inline(always)]
            fn text(&self) -> Option<&str> {
                match self {
                    $kind::Text($text) => Some($str),
                    _ => None,
                }
            }

            given!(int, i64, $kind::Int);
            given!(double, f64, $kind::Double);
            given!(float, f32, $kind::Float);
            given!(bool, bool, $kind::Bool);
        }
    };
    ($name:ident, $t:ty, $kind:ident::$variant:ident) => {
        #[inline(always)]
        fn $name(&self) -> Option<$t> {
            match self {
                $kind::$variant(v) => Some(*v),
                _ => None,
            }
        }
    };
}

given!(Value, Value, |text| text);
given!(Scalar<'_>, Scalar, |text| text);

/// Writes a value at `at` with what comes after it, and gives where that ends; `None` when it is of another kind,
/// or text that has to be looked at more closely.
#[inline(always)]
pub(super) fn put(
    kernel: Kernel,
    value: &impl Given,
    gap: &Constant,
    out: &mut [u8],
    at: usize,
) -> Option<usize> {
    Some(match kernel {
        Kernel::Text => gap.put_after_text(value.text()?, out, at)?,
        Kernel::Int { least, greatest } => {
            let v = value.int().filter(|v| (least..=greatest).contains(v))?;
            gap.put_after(out, at, |out| lexical::write_i64(v, out))
        }
        Kernel::Double => {
            let v = value.double()?;
            gap.put_after(out, at, |out| lexical::write_f64(v, out))
        }
        Kernel::Float => {
            let v = value.float()?;
            gap.put_after(out, at, |out| lexical::write_f32(v, out))
        }
        Kernel::Bool => {
            let v = value.bool()?;
            gap.put_after(out, at, |out| lexical::write_bool(v, out))
        }
    })
}

/// Appends a value, escaped, with what comes after it; `false` when it is of another kind, or XML cannot carry it.
pub(super) fn append(kernel: Kernel, value: &impl Given, gap: &Constant, out: &mut Vec<u8>) -> bool {
    if let (Kernel::Text, Some(text)) = (kernel, value.text()) {
        return append_text(text, gap, out);
    }
    let start = out.len();
    out.resize(start + NUMBER + gap.room(), 0);
    let end = put(kernel, value, gap, out, start);
    out.truncate(end.unwrap_or(start));
    end.is_some()
}
