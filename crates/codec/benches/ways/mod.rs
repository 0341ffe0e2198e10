//! A message both ways, from and into dynamic values and generated types.

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits};
use castile_plan::Plan;
use castile_testkit::plainly::draft;
use castile_testkit::{Body, Table};
use castile_value::typed::{Builder, Empty, Fields};
use castile_value::{Record, Sink, Source, ValueSink};

/// The types of the messages.
pub(crate) struct Ways(pub(crate) Table);

impl Ways {
    pub(crate) fn write(&self, plan: &Plan, body: &dyn Source, out: &mut Vec<u8>) {
        out.clear();
        let options = EncodeOptions::default();
        draft(&self.0.types, plan, body, &options)
            .encode(out)
            .expect("good values");
    }

    pub(crate) fn read_typed<T: Fields + Default>(&self, plan: &Plan, text: &str) -> Body<T> {
        let mut body = Builder::<Body<T>>::new();
        self.read(plan, text, &mut body);
        body.finish().expect("the same types")
    }

    pub(crate) fn read_dynamic(&self, plan: &Plan, text: &str) -> Record {
        let mut body = ValueSink::new(self.0.types.shape(plan.body).clone());
        self.read(plan, text, &mut body);
        body.finish()
    }

    fn read(&self, plan: &Plan, text: &str, body: &mut dyn Sink) {
        let envelope = Envelope::open(text, &Limits::default()).expect("a good message");
        let mut header = Builder::<Empty>::new();
        let options = DecodeOptions::default();
        envelope
            .decode(&self.0.types, plan, &options, &mut header, body)
            .expect("a good message");
    }
}
