//! What of differential sending a user can set.

use super::costs::Costs;
use super::pool::Pool;

/// Settings of differential sending. Every technique has its switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Keep messages at all. Off, every message is written anew. Default on.
    pub enabled: bool,
    /// Arrays of at least so many values are kept; shorter ones are written anew, which is cheaper
    /// than looking. Default 64.
    pub values_min: usize,
    /// Texts and binary values of at least so many bytes are kept. Default 4 KiB.
    pub text_bytes_min: usize,
    /// Bytes of a chunk of numbers when it is first written, at most 64 MiB; other items are in blocks of half of that.
    /// Default 32 KiB.
    pub chunk_bytes: usize,
    /// A chunk that grew beyond so many bytes is split in two, a block beyond half of that. Default 64 KiB.
    pub split_bytes: usize,
    /// Room at the end of a new chunk for values that grow. Default 256 bytes.
    pub reserve_bytes: usize,
    /// A value that became shorter keeps its width, filled with spaces, so that nothing behind it moves: numbers
    /// inside their element, others, which some peers cannot read so, between the elements. Off, widths are always
    /// exact. Default on.
    pub pad: bool,
    /// Numbers too have their spaces between the elements: their closing tag is moved, as in the paper. Default off.
    pub pad_between: bool,
    /// A number that grows takes the spaces of the nearest of so many numbers on either side before
    /// anything else is moved. Zero is off. Default 64.
    pub steal_reach: usize,
    /// Where a number found no spaces to take, all behind it in its chunk is moved, and every eighth number there
    /// gets so many, so that the next that grow find some nearby. Zero is off, and so it is without `pad` or
    /// `steal_reach`. Default 4.
    pub slack_bytes: usize,
    /// Width that every number is given from the start. Default [`Stuffing::None`].
    pub stuffing: Stuffing,
    /// Where widths are exact, a chunk of which much changed and much stayed is rebuilt: what stayed is copied, and what
    /// changed written between, one behind the other. Off, it is patched or written anew. Default on.
    pub rebuild: bool,
    /// A chunk of which more than this part changed is written anew, and else patched. Default
    /// `None`: as `costs` say.
    pub rewrite_above: Option<f32>,
    /// What patching, rebuilding and writing anew cost. Default `None`: clients and services measure it once,
    /// elsewhere it is the default of [`Costs`].
    pub costs: Option<Costs>,
    /// Stop keeping what changes nearly whole from message to message, until it begins to stay as it was. Off, it is
    /// compared and kept each time. Default on.
    pub pauses: bool,
    /// Make room for all values of a chunk in one pass, which moves each byte once at most. Off, what lies
    /// behind a value is moved once for every value that grows, as in the paper. Default on.
    pub one_pass: bool,
    /// Compare also what is tracked or hinted, and refuse a message of which a value changed without a
    /// mark: for tests. Default off.
    pub verify: bool,
    /// Bytes that the templates of one [`Templates`](crate::Templates) may keep; the least recently
    /// used go first. Default 256 MiB.
    pub budget_bytes: usize,
    /// Memory of chunks that are gone is kept for the next, up to so many bytes in the whole process. Zero is off.
    /// Default 8 MiB.
    pub spare_bytes: usize,
    /// An array that takes more bytes than this is not kept: a client or server sends it while it is
    /// written, through a few small buffers, in chunks of HTTP (chunk overlaying). Default 64 MiB.
    pub overlay_above: usize,
    /// Structures of messages of one operation that are told apart, each with arrays of its own where lengths
    /// come back. One keeps only the last message. Default 4.
    pub structures_max: usize,
    /// Arrays in common with all that have the same pool: one that several messages send is written once. Default
    /// `None`: every array is written for each template.
    pub pool: Option<Pool>,
    /// Processors that may share writing and comparing an array of a megabyte and more. Default 1.
    pub threads: usize,
    /// Copies of one operation's template for sends at the same time; a further one is written
    /// anew. Default 4.
    pub copies_max: usize,
}

/// How much room numbers get beyond what they need, so that later ones fit (paper 000, 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuffing {
    /// None: a message never sent before has no spaces.
    None,
    /// What the longest value of the type can take: 24 for doubles, 16 for floats, 11 for ints.
    Max,
    /// So many characters, at most 255.
    Width(u8),
    /// So many characters for each type.
    Types(Widths),
    /// What most values of an array took so far (99 in 100 of some thousand). The first chunk of an array that was
    /// never sent has none.
    Typical,
}

/// Characters for each type of number, at most 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// Of a double.
    pub doubles: u8,
    /// Of a float.
    pub floats: u8,
    /// Of an integer.
    pub integers: u8,
}

impl Options {
    /// As bSOAP does it in the measurements of paper 000: chunks of 32 KiB, nothing stuffed or stolen,
    /// every change patched, and everything behind a value moved as often as one grows. For
    /// comparison; it is slower.
    pub fn bsoap() -> Options {
        Options {
            chunk_bytes: 32 << 10,
            split_bytes: 64 << 10,
            pad_between: true,
            steal_reach: 0,
            rewrite_above: Some(f32::INFINITY),
            one_pass: false,
            pauses: false,
            ..Options::default()
        }
    }
}

impl Options {
    /// Bytes of a new chunk. Places in it are told in 32 bits, also when all its values have grown.
    pub(crate) fn chunk_bytes(&self) -> usize {
        self.chunk_bytes.min(64 << 20)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            enabled: true,
            values_min: 64,
            text_bytes_min: 4 << 10,
            chunk_bytes: 32 << 10,
            split_bytes: 64 << 10,
            reserve_bytes: 256,
            pad: true,
            pad_between: false,
            steal_reach: 64,
            slack_bytes: 4,
            stuffing: Stuffing::None,
            rebuild: true,
            rewrite_above: None,
            costs: None,
            one_pass: true,
            pauses: true,
            verify: false,
            budget_bytes: 256 << 20,
            spare_bytes: 8 << 20,
            overlay_above: 64 << 20,
            structures_max: 4,
            pool: None,
            threads: 1,
            copies_max: 4,
        }
    }
}
