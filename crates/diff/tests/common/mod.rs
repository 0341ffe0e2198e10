//! A sender of one message again and again through one template.
#![allow(dead_code, reason = "each test and benchmark uses its own part")]

use castile_codec::{Drain, EncodeOptions, Error, Stopped};
use castile_diff::{Options, Pieces, Template};
use castile_plan::Plan;
use castile_testkit::Table;
use castile_testkit::plainly::draft;
use castile_value::Source;

pub(crate) struct Sender {
    pub(crate) table: Table,
    pub(crate) plan: Plan,
    pub(crate) template: Template,
}

impl Sender {
    /// For messages whose body is the element `name` of a table of types.
    pub(crate) fn new(types: &str, name: &str, options: Options) -> Sender {
        let table = Table::parse(types);
        Sender {
            plan: table.plan(name),
            template: Template::new(options),
            table,
        }
    }

    /// The next message.
    pub(crate) fn send(&mut self, body: &dyn Source) -> Result<Pieces, Error> {
        let options = EncodeOptions::default();
        let draft = draft(&self.table.types, &self.plan, body, &options);
        self.template.patch(&draft)
    }

    /// The same message written anew.
    pub(crate) fn fresh(&self, body: &dyn Source) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.fresh_into(body, &mut out)?;
        Ok(out)
    }

    /// The same, appended to `out`.
    pub(crate) fn fresh_into(&self, body: &dyn Source, out: &mut Vec<u8>) -> Result<(), Error> {
        let options = EncodeOptions::default();
        draft(&self.table.types, &self.plan, body, &options).encode(out)
    }

    /// The same message handed over in portions, through one buffer; gives its bytes.
    pub(crate) fn drained(&self, body: &dyn Source, portion_bytes: usize, take: impl FnMut(&[u8])) -> usize {
        let options = EncodeOptions::default();
        let mut portions = Portions {
            portion_bytes,
            take,
            bytes: 0,
        };
        let draft = draft(&self.table.types, &self.plan, body, &options);
        draft.encode_drained(&mut portions).expect("good values");
        portions.bytes
    }
}

struct Portions<F> {
    portion_bytes: usize,
    take: F,
    bytes: usize,
}

impl<F: FnMut(&[u8])> Drain for Portions<F> {
    fn portion_bytes(&self) -> usize {
        self.portion_bytes
    }

    fn drain(&mut self, out: &mut Vec<u8>) -> Result<(), Stopped> {
        (self.take)(out);
        self.bytes += out.len();
        out.clear();
        Ok(())
    }
}
