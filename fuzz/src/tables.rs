//! The types of the messages: [`with_plan`] chooses by two bytes.

use std::cell::RefCell;
use std::collections::HashMap;

use castile_codec::{EncodeOptions, Error};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, plainly, random_table};
use castile_value::Record;

/// Those that have fast ways, and those that mix them.
const FIXED: &str = "
Mio = x:int, y:int, value:double
Event = seq:int, time:double, text:string
Loose = a:int?, b:string~, c:{x/y}?
Base = a:int
Derived(Base) = b:int
All = n:double*, f:float*, i:int*, l:long*, b:boolean~*, s:string*, q:QName*, mio:Mio*, e:Event*, o:Loose*
Step = number:int, note:string?, blob:base64Binary?, a:double*, flag:boolean*, mesh:Mio*, c:double*, wide:long*
Mixed = @id:string!, (a:int | b:Loose*)?, p:Base*, d:dateTime*, t:token=x, l:[int], u:<int/token>, any:Event~
";

/// Types and the plans of their messages.
pub(crate) struct Kind {
    pub(crate) table: Table,
    pub(crate) plans: Vec<Plan>,
}

thread_local! {
    static KINDS: RefCell<HashMap<u8, &'static Kind>> = RefCell::default();
}

/// The types and the plan that two bytes choose: small numbers are the fixed table.
pub(crate) fn choose(table: u8, plan: u8) -> (&'static Table, &'static Plan) {
    let kind = KINDS.with(|kinds| {
        *kinds
            .borrow_mut()
            .entry(table)
            .or_insert_with(|| Box::leak(kind(table)))
    });
    let plan = &kind.plans[usize::from(plan) % kind.plans.len()];
    (&kind.table, plan)
}

fn kind(number: u8) -> Box<Kind> {
    let table = match number {
        0..8 => Table::parse(FIXED),
        seed => random_table(seed.into()),
    };
    let types = table.types.complex.iter().filter(|c| !c.is_abstract);
    let names = types.filter_map(|c| Some(c.name.as_ref()?.local.to_string()));
    let plans = names.map(|name| table.plan(&name)).collect();
    Box::new(Kind { table, plans })
}

/// Random values for a plan.
pub(crate) fn sample(table: &Table, plan: &Plan, seed: u64) -> Record {
    let effort = if seed.is_multiple_of(2) {
        Effort::Random
    } else {
        Effort::Most
    };
    Sampler::new(&table.types, Rng::new(seed / 2))
        .effort(effort)
        .record(plan.body)
}

/// The message of a body without headers.
pub(crate) fn written(table: &Table, plan: &Plan, body: &Record) -> String {
    plainly::write(&table.types, plan, body, &EncodeOptions::default()).expect("a sample is good")
}

/// The body of a message, read plainly.
pub(crate) fn read(table: &Table, plan: &Plan, text: &str, strict: bool) -> Result<Record, Error> {
    plainly::read(&table.types, plan, text, strict).map(|(_, body)| body)
}
