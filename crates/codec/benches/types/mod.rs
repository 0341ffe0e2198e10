//! What `castile generate rust` writes for such a schema.

pub(crate) const TYPES: &str = "
Doubles = item:double*
Ints = item:int*
Strings = item:string*
Mio = x:int, y:int, value:double
Mios = item:Mio*
Event = seq:int, time:double, text:string
Events = item:Event*
";

macro_rules! list {
    ($name:ident, $label:literal, $item:ty) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct $name {
            pub(crate) item: Vec<$item>,
        }
        castile_value::record!($name, $label, { 0: item });
    };
}

list!(Doubles, "{urn:t}Doubles", f64);
list!(Ints, "{urn:t}Ints", i32);
list!(Strings, "{urn:t}Strings", String);
list!(Mios, "{urn:t}Mios", Mio);
list!(Events, "{urn:t}Events", Event);

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mio {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) value: f64,
}
castile_value::record!(Mio, "{urn:t}Mio", { 0: x, 1: y, 2: value }, required [0, 1, 2], flat [x, y, value]);

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) seq: i32,
    pub(crate) time: f64,
    pub(crate) text: String,
}
castile_value::record!(
    Event, "{urn:t}Event", { 0: seq, 1: time, 2: text }, required [0, 1, 2], flat [seq, time, text]
);
