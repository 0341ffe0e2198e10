//! The macros that generated code is made of.

/// Makes a struct a record of the contract: `record!(Type, "label", { index: field, ... })`.
///
/// The label is that of the type in the plan, the indexes are those of its fields there. A field
/// that holds a choice stands for each of the choice's fields, `index: field[alternative]`. After
/// the fields may come `required [index, ...]`, for reading laxly, and `flat [field, ...]` for a type
/// of single numbers and texts only, all of its fields in their order: it writes and reads its arrays itself.
#[macro_export]
macro_rules! record {
    (
        $type:ident, $label:literal,
        { $($index:literal: $field:ident $([$k:literal])?),* $(,)? }
        $(, required [$($required:literal),* $(,)?])?
        $(, flat [$($cell:ident),* $(,)?])?
        $(,)?
    ) => {
        impl $crate::typed::Fields for $type {
            fn label(&self) -> &'static str {
                $label
            }

            fn get(&self, index: usize) -> $crate::Item<'_> {
                match index {
                    $($index => $crate::record!(@get self.$field $([$k])?),)*
                    _ => $crate::Item::Absent,
                }
            }

            fn at(&mut self, index: usize) -> ::std::option::Option<&mut dyn $crate::typed::Place> {
                match index {
                    $($index => $crate::record!(@at self.$field $([$k])?),)*
                    _ => ::std::option::Option::None,
                }
            }

            fn start(_label: &str) -> ::std::option::Option<Self> {
                ::std::option::Option::Some(<Self as ::std::default::Default>::default())
            }

            $(fn required(&self) -> &'static [u32] {
                &[$($required),*]
            })?

            $($crate::record!(@flat $type $($cell)*);)?
        }
    };
    (@get $self:ident.$field:ident) => { $crate::typed::Place::item(&$self.$field) };
    (@get $self:ident.$field:ident [$k:literal]) => { $crate::typed::Alternatives::get(&$self.$field, $k) };
    (@at $self:ident.$field:ident) => { ::std::option::Option::Some(&mut $self.$field) };
    (@at $self:ident.$field:ident [$k:literal]) => { $crate::typed::Alternatives::at(&mut $self.$field, $k) };
    (@flat $type:ident $first:ident $($cell:ident)*) => {
        const CELLS: &'static [::std::option::Option<$crate::DType>] = &[
            $crate::typed::dtype_of(|own: &Self| &own.$first),
            $($crate::typed::dtype_of(|own: &Self| &own.$cell)),*
        ];

        fn write_row<'s>(&'s self, row: &mut [u8], texts: &mut ::std::vec::Vec<&'s str>) {
            let _at = $crate::typed::Cell::write(&self.$first, row, 0, texts);
            $(let _at = $crate::typed::Cell::write(&self.$cell, row, _at, texts);)*
        }

        fn read_row(mut row: &[u8], mut texts: &[&str]) -> ::std::option::Option<Self> {
            ::std::option::Option::Some($type {
                $first: $crate::typed::Cell::read(&mut row, &mut texts)?,
                $($cell: $crate::typed::Cell::read(&mut row, &mut texts)?,)*
            })
        }

        fn line_bytes(&self) -> usize {
            $crate::typed::Cell::bytes(&self.$first) $(+ $crate::typed::Cell::bytes(&self.$cell))*
        }

        fn put_line(&self, cells: &[$crate::typed::CellOut<'_>], out: &mut [u8]) -> ::std::option::Option<usize> {
            let mut cells = cells.iter();
            let at = $crate::typed::Cell::put(&self.$first, cells.next()?, out, 0)?;
            $(let at = $crate::typed::Cell::put(&self.$cell, cells.next()?, out, at)?;)*
            ::std::option::Option::Some(at)
        }

        fn append_line(&self, cells: &[$crate::typed::CellOut<'_>], out: &mut ::std::vec::Vec<u8>) -> bool {
            let mut cells = cells.iter();
            cells.next().is_some_and(|cell| $crate::typed::Cell::append(&self.$first, cell, out))
                $(&& cells.next().is_some_and(|cell| $crate::typed::Cell::append(&self.$cell, cell, out)))*
        }

        fn get_line(
            text: &str,
            at: usize,
            cells: &[$crate::typed::CellIn<'_>],
        ) -> ::std::option::Option<(Self, usize)> {
            let mut cells = cells.iter();
            let ($first, at) = $crate::typed::Cell::get(text, at, cells.next()?)?;
            $(let ($cell, at) = $crate::typed::next_cell(text, at, cells.next()?)?;)*
            ::std::option::Option::Some(($type { $first, $($cell),* }, at))
        }
    };
}

/// Makes an enum a choice of the contract: `choice!(Type, { number: Variant, ... })`, each variant
/// with one value. With a label, `choice!(Type, "label", { ... })`, the enum is also a record whose
/// fields are the alternatives: one pass through a repeated choice.
#[macro_export]
macro_rules! choice {
    ($type:ident, $label:literal, { $first:literal: $one:ident $(, $k:literal: $variant:ident)* $(,)? }) => {
        $crate::choice!($type, { $first: $one $(, $k: $variant)* });

        impl $crate::typed::Fields for $type {
            fn label(&self) -> &'static str {
                $label
            }

            fn get(&self, index: usize) -> $crate::Item<'_> {
                $crate::typed::Alternatives::get(self, index)
            }

            fn at(&mut self, index: usize) -> ::std::option::Option<&mut dyn $crate::typed::Place> {
                $crate::typed::Alternatives::at(self, index)
            }

            fn start(_label: &str) -> ::std::option::Option<Self> {
                ::std::option::Option::Some(<Self as ::std::default::Default>::default())
            }
        }
    };
    ($type:ident, { $first:literal: $one:ident $(, $k:literal: $variant:ident)* $(,)? }) => {
        impl ::std::default::Default for $type {
            fn default() -> Self {
                $type::$one(::std::default::Default::default())
            }
        }

        impl $crate::typed::Alternatives for $type {
            fn get(&self, k: usize) -> $crate::Item<'_> {
                match self {
                    $type::$one(value) if k == $first => $crate::typed::chosen(value),
                    $($type::$variant(value) if k == $k => $crate::typed::chosen(value),)*
                    _ => $crate::Item::Absent,
                }
            }

            fn at(&mut self, k: usize) -> ::std::option::Option<&mut dyn $crate::typed::Place> {
                let right = match self {
                    $type::$one(_) => k == $first,
                    $($type::$variant(_) => k == $k,)*
                };
                if !right {
                    *self = <Self as $crate::typed::Alternatives>::start(k)?;
                }
                ::std::option::Option::Some(match self {
                    $type::$one(value) => value,
                    $($type::$variant(value) => value,)*
                })
            }

            fn start(k: usize) -> ::std::option::Option<Self> {
                ::std::option::Option::Some(match k {
                    $first => $type::$one(::std::default::Default::default()),
                    $($k => $type::$variant(::std::default::Default::default()),)*
                    _ => return ::std::option::Option::None,
                })
            }
        }
    };
}

/// Makes an enum a type with the types derived from it: `hierarchy!(Type, { Variant: "label", ... })`,
/// each variant with a box of the struct of that label. The first variant is the default.
#[macro_export]
macro_rules! hierarchy {
    ($type:ident, { $one:ident: $first:literal $(, $variant:ident: $label:literal)* $(,)? }) => {
        impl ::std::default::Default for $type {
            fn default() -> Self {
                $type::$one(::std::default::Default::default())
            }
        }

        impl $crate::typed::Fields for $type {
            fn label(&self) -> &'static str {
                match self {
                    $type::$one(_) => $first,
                    $($type::$variant(_) => $label,)*
                }
            }

            fn get(&self, index: usize) -> $crate::Item<'_> {
                match self {
                    $type::$one(own) => $crate::typed::Fields::get(&**own, index),
                    $($type::$variant(own) => $crate::typed::Fields::get(&**own, index),)*
                }
            }

            fn at(&mut self, index: usize) -> ::std::option::Option<&mut dyn $crate::typed::Place> {
                match self {
                    $type::$one(own) => $crate::typed::Fields::at(&mut **own, index),
                    $($type::$variant(own) => $crate::typed::Fields::at(&mut **own, index),)*
                }
            }

            fn start(label: &str) -> ::std::option::Option<Self> {
                ::std::option::Option::Some(match label {
                    $first => $type::$one(::std::default::Default::default()),
                    $($label => $type::$variant(::std::default::Default::default()),)*
                    _ => return ::std::option::Option::None,
                })
            }

            fn required(&self) -> &'static [u32] {
                match self {
                    $type::$one(own) => $crate::typed::Fields::required(&**own),
                    $($type::$variant(own) => $crate::typed::Fields::required(&**own),)*
                }
            }
        }

        impl ::std::convert::From<$one> for $type {
            fn from(own: $one) -> Self {
                $type::$one(::std::boxed::Box::new(own))
            }
        }

        $(impl ::std::convert::From<$variant> for $type {
            fn from(own: $variant) -> Self {
                $type::$variant(::std::boxed::Box::new(own))
            }
        })*
    };
}

/// Makes an enum an enumeration of the contract: `enumeration!(Type, { Variant: "text", ... })`. It
/// has one more variant, `Other(String)`, for texts that the contract does not list: a lax reader
/// keeps them, a strict writer refuses them. The first variant is the default.
#[macro_export]
macro_rules! enumeration {
    ($type:ident, { $one:ident: $first:literal $(, $variant:ident: $text:literal)* $(,)? }) => {
        impl $type {
            /// The text on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $type::$one => $first,
                    $($type::$variant => $text,)*
                    $type::Other(text) => text,
                }
            }
        }

        impl ::std::default::Default for $type {
            fn default() -> Self {
                $type::$one
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::std::convert::From<&str> for $type {
            fn from(text: &str) -> Self {
                match text {
                    $first => $type::$one,
                    $($text => $type::$variant,)*
                    other => $type::Other(other.into()),
                }
            }
        }

        impl $crate::typed::Single for $type {
            fn item(&self) -> $crate::Item<'_> {
                $crate::Item::Scalar(self.as_str().into())
            }

            fn take(
                input: $crate::typed::Input<'_, '_>,
            ) -> ::std::result::Result<Self, $crate::typed::Mismatch> {
                $crate::typed::take_text(input, |text| $type::from(text))
            }

            fn exact(input: $crate::typed::Input<'_, '_>) -> ::std::option::Option<Self> {
                match Self::take(input) {
                    ::std::result::Result::Ok($type::Other(_)) => ::std::option::Option::None,
                    other => other.ok(),
                }
            }
        }
    };
}

/// Makes an enum a union of the contract: `union!(Type, { Variant: Member, ... })`, each variant with
/// a value of one member type. What comes is of the first member that it fits; the first variant is
/// the default.
#[macro_export]
macro_rules! union {
    ($type:ident, { $one:ident: $first:ty $(, $variant:ident: $member:ty)* $(,)? }) => {
        impl ::std::default::Default for $type {
            fn default() -> Self {
                $type::$one(::std::default::Default::default())
            }
        }

        impl $crate::typed::Single for $type {
            fn item(&self) -> $crate::Item<'_> {
                match self {
                    $type::$one(value) => $crate::typed::Single::item(value),
                    $($type::$variant(value) => $crate::typed::Single::item(value),)*
                }
            }

            fn take(
                input: $crate::typed::Input<'_, '_>,
            ) -> ::std::result::Result<Self, $crate::typed::Mismatch> {
                let scalar = $crate::typed::scalar_of(input)?;
                if let ::std::option::Option::Some(value) = $crate::typed::member::<$first>(&scalar) {
                    return ::std::result::Result::Ok($type::$one(value));
                }
                $(if let ::std::option::Option::Some(value) = $crate::typed::member::<$member>(&scalar) {
                    return ::std::result::Result::Ok($type::$variant(value));
                })*
                ::std::result::Result::Err($crate::typed::Mismatch::new("a value of no member of the union"))
            }
        }
    };
}
