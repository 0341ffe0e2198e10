//! A message both ways, from and into dynamic values and generated types.

use castile_codec::{DecodeOptions, Draft, EncodeOptions, Envelope, Limits, Version};
use castile_plan::Plan;
use castile_testkit::{Body, Table};
use castile_value::typed::{Builder, EMPTY, Empty, Fields};
use castile_value::{Record, Sink, Source, ValueSink};

/// The types of the messages.
pub(crate) struct Ways(pub(crate) Table);

impl Ways {
    pub(crate) fn write(&self, plan: &Plan, body: &dyn Source, out: &mut Vec<u8>) {
        out.clear();
        let draft = Draft {
            types: &self.0.types,
            plan,
            version: Version::Soap11,
            header: &EMPTY,
            body,
            options: &EncodeOptions::default(),
        };
        draft.encode(out).expect("good values");
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
