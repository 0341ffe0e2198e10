//! Handlers for dynamic values, one function an operation.

use std::collections::BTreeMap;

use castile_codec::{Code, Fault};
use castile_contract::Operation;
use castile_value::{Graph, Item, Record, Source, Value, ValueSink};

use super::arguments::ArgumentStream;
use super::call::{Answer, Call, Handler, Replier, Trouble};
use crate::adapt::Nothing;
use crate::batched::StreamOptions;

/// Takes the arguments and the headers, gives the results and the headers of the reply.
type Function = Box<dyn Fn(Graph<Record>, Record) -> Result<(Graph, Value), Fault> + Send + Sync>;

/// One function an operation: takes the arguments as a record, gives the result, or all results
/// as a map or record.
///
/// ```
/// use castile_endpoint::Handlers;
/// use castile_value::Value;
///
/// let handlers = Handlers::new().on("add", |args| {
///     let (Some(Value::Int(a)), Some(Value::Int(b))) = (args.get("a"), args.get("b")) else {
///         unreachable!("the contract says that both are integers");
///     };
///     Ok((a + b).into())
/// });
/// # let _ = handlers;
/// ```
#[derive(Default)]
pub struct Handlers {
    functions: BTreeMap<String, Function>,
    streams: BTreeMap<String, (StreamOptions, StreamFunction)>,
}

/// Takes the arguments while they come, gives the result.
type StreamFunction = Box<dyn Fn(&mut ArgumentStream) -> Result<Value, Trouble> + Send + Sync>;

impl Handlers {
    /// No functions: every call is answered with a fault.
    pub fn new() -> Self {
        Handlers::default()
    }

    /// Adds the function for an operation. What it keeps and answers again, or a part of it, need not be copied: an
    /// `Arc` of it is a value, too ([`Value::Shared`]).
    #[must_use]
    pub fn on(
        self,
        operation: &str,
        function: impl Fn(Record) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        self.on_headers(operation, move |args, _| Ok((function(args)?, Value::Absent)))
    }

    /// Adds the function for an operation that has headers: takes the arguments and the header
    /// blocks of the contract, gives the result and the reply's header blocks as a map or record.
    #[must_use]
    pub fn on_headers(
        self,
        operation: &str,
        function: impl Fn(Record, Record) -> Result<(Value, Value), Fault> + Send + Sync + 'static,
    ) -> Self {
        self.add(operation, move |args, header| {
            let (root, header) = function(unshared(args)?, header)?;
            Ok((root.into(), header))
        })
    }

    /// Adds the function for an operation of SOAP encoding whose objects may be shared: they keep
    /// their identity in the arguments and in the result. Functions added otherwise are given a copy
    /// of a shared object in each of its places.
    #[must_use]
    pub fn on_graph(
        self,
        operation: &str,
        function: impl Fn(Graph<Record>) -> Result<Graph, Fault> + Send + Sync + 'static,
    ) -> Self {
        self.add(operation, move |args, _| Ok((function(args)?, Value::Absent)))
    }

    /// Adds the function for an operation whose array is read while it comes, in constant memory: an
    /// iterator of batches, and beside it the arguments that stand before the array.
    ///
    /// ```
    /// use castile_endpoint::{Handlers, StreamOptions};
    ///
    /// let handlers = Handlers::new().on_stream("store", StreamOptions::default(), |values| {
    ///     let mut sum = 0.0;
    ///     for batch in values {
    ///         sum += batch?.as_f64s().unwrap_or_default().iter().sum::<f64>();
    ///     }
    ///     Ok(sum.into())
    /// });
    /// # let _ = handlers;
    /// ```
    #[must_use]
    pub fn on_stream(
        mut self,
        operation: &str,
        options: StreamOptions,
        function: impl Fn(&mut ArgumentStream) -> Result<Value, Trouble> + Send + Sync + 'static,
    ) -> Self {
        let function: StreamFunction = Box::new(function);
        self.streams.insert(operation.to_owned(), (options, function));
        self
    }

    /// The operations that have a function.
    pub fn operations(&self) -> impl Iterator<Item = &str> {
        let all = self.functions.keys().chain(self.streams.keys());
        all.map(String::as_str)
    }

    fn add(
        mut self,
        operation: &str,
        function: impl Fn(Graph<Record>, Record) -> Result<(Graph, Value), Fault> + Send + Sync + 'static,
    ) -> Self {
        self.functions.insert(operation.to_owned(), Box::new(function));
        self
    }
}

impl Handler for Handlers {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let name = &call.operation().name;
        if let Some((_, function)) = self.streams.get(name)
            && call.is_stream()
        {
            let (mut values, replier) = call.stream()?;
            let root = function(&mut values)?;
            return reply(&replier, root.into(), &Value::Absent);
        }
        let Some(function) = self.functions.get(name) else {
            let text = format!("operation {name} is not implemented");
            return Err(Fault::new(Code::Receiver, text).into());
        };
        answer(call, function)
    }

    fn streams(&self, operation: &Operation) -> Option<StreamOptions> {
        self.streams
            .get(&operation.name)
            .map(|(options, _)| options.clone())
    }
}

/// Answers a call by a function of its arguments, as a record, and its headers; it gives the result and the
/// reply's headers.
pub(crate) fn dynamic(
    call: Call<'_>,
    function: impl Fn(Record, Record) -> Result<(Value, Value), Fault>,
) -> Result<Answer, Trouble> {
    answer(call, |args, header| {
        let (root, header) = function(unshared(args)?, header)?;
        Ok((root.into(), header))
    })
}

fn answer(
    call: Call<'_>,
    function: impl Fn(Graph<Record>, Record) -> Result<(Graph, Value), Fault>,
) -> Result<Answer, Trouble> {
    let types = call.service().types().clone();
    let Some((header, args)) = call.arguments() else {
        return Ok(Answer::default());
    };
    let mut header = ValueSink::new(types.shape(header).clone());
    let mut args = ValueSink::new(types.shape(args).clone());
    let replier = call.decode(&mut header, &mut args)?;
    let (value, header) = function(args.finish_graph(), header.finish())?;
    reply(&replier, value, &header)
}

/// Answers with a result and the reply's headers.
fn reply(replier: &Replier<'_>, value: Graph, header: &Value) -> Result<Answer, Trouble> {
    let Some((_, result)) = replier.result() else {
        return Ok(Answer::default());
    };
    let result = Results {
        value: value.root,
        objects: value.objects,
        single: replier.types().complex(result).fields.len() == 1,
    };
    let header: &dyn Source = match header.held() {
        Value::Map(map) => map,
        Value::Record(record) => record,
        _ => &Nothing,
    };
    Ok(replier.reply(header, &result)?)
}

/// The arguments with a copy of each shared object in each of its places.
fn unshared(args: Graph<Record>) -> Result<Record, Fault> {
    args.into_tree(COPIES_MAX).map_err(|_| {
        let text = "the objects of the request refer to one another in a circle, or to too many others";
        Fault::new(Code::Sender, text)
    })
}

/// Values that copies of shared objects may hold together.
const COPIES_MAX: usize = 1 << 20;

/// A result as the record of all results.
struct Results {
    value: Value,
    objects: Vec<Value>,
    /// Whether there is one result, which the value then is, unless it names it.
    single: bool,
}

impl Source for Results {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        match self.value.held() {
            Value::Map(map) if !self.single || map.iter().any(|(n, _)| n == name) => map.field(index, name),
            Value::Record(record) if !self.single || record.get(name).is_some() => record.field(index, name),
            value if self.single => value.item(),
            _ => Item::Absent,
        }
    }

    fn object(&self, number: u32) -> Item<'_> {
        self.objects
            .get(number as usize)
            .map_or(Item::Absent, Value::item)
    }

    fn unknown_name(&self, shape: &castile_value::Shape) -> Option<String> {
        match self.value.held() {
            Value::Map(map) if !self.single => map.unknown_name(shape),
            Value::Record(record) if !self.single => record.unknown_name(shape),
            _ => None,
        }
    }
}
