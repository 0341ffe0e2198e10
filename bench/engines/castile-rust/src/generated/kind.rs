//! What each kind of trace is in generated code.

use castile::Source;
use castile::typed::{Binary, Fields};

use super::{bench, files, nested};
use crate::Outcome;
use crate::trace::{field, from_hex, to_hex};

/// One kind: its values, and the messages that carry them.
pub(super) trait Kind {
    const SEND: &'static str;
    const ECHO: &'static str;
    type Values: Clone + Default + 'static;
    type Send: Source + 'static;
    type SendResponse: Fields + Default;
    type Echo: Source + 'static;
    type EchoResponse: Fields + Default;

    fn send(values: Self::Values) -> Self::Send;
    fn echo(values: Self::Values) -> Self::Echo;
    fn counted(response: &Self::SendResponse) -> i32;
    fn returned(response: Self::EchoResponse) -> Self::Values;
}

/// Values from and to the text of a trace file.
pub(super) trait Trace: Kind {
    fn parse(lines: &[&str]) -> Outcome<Self::Values>;
    fn print(values: &Self::Values) -> String;
    fn count(values: &Self::Values) -> usize;
}

/// One item of an array, from and to the fields of a line.
pub(super) trait Line: Sized {
    fn read(fields: &[&str]) -> Outcome<Self>;
    fn write(&self) -> Vec<String>;
}

macro_rules! kind {
    ($kind:ident, $module:ident, $values:ty, $send:ident $response:ident $sending:literal,
     $echo:ident $back:ident $echoing:literal) => {
        pub(super) struct $kind;

        impl Kind for $kind {
            const SEND: &'static str = $sending;
            const ECHO: &'static str = $echoing;
            type Values = $values;
            type Send = $module::$send;
            type SendResponse = $module::$response;
            type Echo = $module::$echo;
            type EchoResponse = $module::$back;

            fn send(values: $values) -> Self::Send {
                $module::$send { values }
            }

            fn echo(values: $values) -> Self::Echo {
                $module::$echo { values }
            }

            fn counted(response: &Self::SendResponse) -> i32 {
                response.count
            }

            fn returned(response: Self::EchoResponse) -> $values {
                response.r#return
            }
        }
    };
}

macro_rules! array {
    ($kind:ident, $module:ident :: $array:ident) => {
        impl Trace for $kind {
            fn parse(lines: &[&str]) -> Outcome<Self::Values> {
                Ok($module::$array { item: read(lines)? })
            }

            fn print(values: &Self::Values) -> String {
                print(&values.item)
            }

            fn count(values: &Self::Values) -> usize {
                values.item.len()
            }
        }
    };
}

kind!(Doubles, bench, bench::ArrayOfDouble, SendDoubles SendDoublesResponse "sendDoubles", EchoDoubles EchoDoublesResponse "echoDoubles");
kind!(Ints, bench, bench::ArrayOfInt, SendInts SendIntsResponse "sendInts", EchoInts EchoIntsResponse "echoInts");
kind!(Strings, bench, bench::ArrayOfString, SendStrings SendStringsResponse "sendStrings", EchoStrings EchoStringsResponse "echoStrings");
kind!(Bytes, bench, Binary, SendBytes SendBytesResponse "sendBytes", EchoBytes EchoBytesResponse "echoBytes");
kind!(Packed, bench, Binary, SendPacked SendPackedResponse "sendPacked", EchoPacked EchoPackedResponse "echoPacked");
kind!(Mios, bench, bench::ArrayOfMio, SendMios SendMiosResponse "sendMios", EchoMios EchoMiosResponse "echoMios");
kind!(Events, bench, bench::ArrayOfEvent, SendEvents SendEventsResponse "sendEvents", EchoEvents EchoEventsResponse "echoEvents");
kind!(Attributes, bench, bench::ArrayOfAttribute, SendAttributes SendAttributesResponse "sendAttributes", EchoAttributes EchoAttributesResponse "echoAttributes");
kind!(ClassAds, bench, bench::ArrayOfClassAd, SendClassAds SendClassAdsResponse "sendClassAds", EchoClassAds EchoClassAdsResponse "echoClassAds");
kind!(Nested, nested, nested::Level, SendNested SendNestedResponse "sendNested", EchoNested EchoNestedResponse "echoNested");
kind!(Files, files, files::ArrayOfFile, SendFiles SendFilesResponse "sendFiles", EchoFiles EchoFilesResponse "echoFiles");

array!(Doubles, bench::ArrayOfDouble);
array!(Ints, bench::ArrayOfInt);
array!(Strings, bench::ArrayOfString);
array!(Mios, bench::ArrayOfMio);
array!(Events, bench::ArrayOfEvent);
array!(Attributes, bench::ArrayOfAttribute);
array!(ClassAds, bench::ArrayOfClassAd);
array!(Files, files::ArrayOfFile);

impl Trace for Bytes {
    fn parse(lines: &[&str]) -> Outcome<Binary> {
        Ok(from_hex(lines.first().unwrap_or(&""))?.into())
    }

    fn print(values: &Binary) -> String {
        to_hex(values) + "\n"
    }

    fn count(values: &Binary) -> usize {
        values.len()
    }
}

impl Trace for Packed {
    fn parse(lines: &[&str]) -> Outcome<Binary> {
        let numbers = read::<f64>(lines)?;
        Ok(numbers
            .into_iter()
            .flat_map(f64::to_le_bytes)
            .collect::<Vec<u8>>()
            .into())
    }

    fn print(values: &Binary) -> String {
        let (numbers, _) = values.as_chunks::<8>();
        print(
            &numbers
                .iter()
                .map(|bytes| f64::from_le_bytes(*bytes))
                .collect::<Vec<_>>(),
        )
    }

    fn count(values: &Binary) -> usize {
        values.len() / 8
    }
}

impl Trace for Nested {
    /// The levels from the innermost outwards.
    fn parse(lines: &[&str]) -> Outcome<nested::Level> {
        let mut inner = None;
        for line in lines.iter().rev() {
            let f: Vec<&str> = line.split('\t').collect();
            let text = |index| field(&f, index).map(str::to_owned);
            inner = Some(Box::new(nested::Level {
                id: text(0)?,
                id_attribute: text(1)?,
                kind: text(2)?,
                kind_attribute: text(3)?,
                name: text(4)?,
                name_2: text(5)?,
                level: inner,
            }));
        }
        Ok(*inner.ok_or("there is no level")?)
    }

    fn print(values: &nested::Level) -> String {
        let lines = levels(values).map(|l| {
            [
                &l.id,
                &l.id_attribute,
                &l.kind,
                &l.kind_attribute,
                &l.name,
                &l.name_2,
            ]
            .map(String::as_str)
            .join("\t")
        });
        lines.map(|line| line + "\n").collect()
    }

    fn count(values: &nested::Level) -> usize {
        levels(values).count()
    }
}

fn levels(first: &nested::Level) -> impl Iterator<Item = &nested::Level> {
    std::iter::successors(Some(first), |level| level.level.as_deref())
}

/// The items of the lines.
pub(super) fn read<T: Line>(lines: &[&str]) -> Outcome<Vec<T>> {
    lines
        .iter()
        .map(|line| T::read(&line.split('\t').collect::<Vec<_>>()))
        .collect()
}

/// The lines of the items.
pub(super) fn print<T: Line>(items: &[T]) -> String {
    items.iter().map(|item| item.write().join("\t") + "\n").collect()
}

impl Line for f64 {
    fn read(fields: &[&str]) -> Outcome<Self> {
        Ok(field(fields, 0)?.parse()?)
    }

    fn write(&self) -> Vec<String> {
        vec![format!("{self:e}")]
    }
}

impl Line for i32 {
    fn read(fields: &[&str]) -> Outcome<Self> {
        Ok(field(fields, 0)?.parse()?)
    }

    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

impl Line for String {
    fn read(fields: &[&str]) -> Outcome<Self> {
        Ok(field(fields, 0)?.to_owned())
    }

    fn write(&self) -> Vec<String> {
        vec![self.clone()]
    }
}

impl Line for bench::Mio {
    fn read(f: &[&str]) -> Outcome<Self> {
        Ok(bench::Mio {
            x: field(f, 0)?.parse()?,
            y: field(f, 1)?.parse()?,
            value: field(f, 2)?.parse()?,
        })
    }

    fn write(&self) -> Vec<String> {
        vec![
            self.x.to_string(),
            self.y.to_string(),
            format!("{:e}", self.value),
        ]
    }
}

impl Line for bench::Event {
    fn read(f: &[&str]) -> Outcome<Self> {
        Ok(bench::Event {
            sequence: field(f, 0)?.parse()?,
            time: field(f, 1)?.parse()?,
            message: field(f, 2)?.to_owned(),
        })
    }

    fn write(&self) -> Vec<String> {
        vec![
            self.sequence.to_string(),
            format!("{:e}", self.time),
            self.message.clone(),
        ]
    }
}

impl Line for bench::Attribute {
    fn read(f: &[&str]) -> Outcome<Self> {
        Ok(bench::Attribute {
            name: field(f, 0)?.to_owned(),
            r#type: field(f, 1)?.to_owned(),
            value: field(f, 2)?.to_owned(),
        })
    }

    fn write(&self) -> Vec<String> {
        vec![self.name.clone(), self.r#type.clone(), self.value.clone()]
    }
}

impl Line for bench::ClassAd {
    fn read(fields: &[&str]) -> Outcome<Self> {
        let attributes = fields.chunks(3).map(|f| {
            Ok(bench::ClassAdAttribute {
                name: field(f, 0)?.to_owned(),
                r#type: field(f, 1)?.to_owned(),
                value: field(f, 2)?.to_owned(),
            })
        });
        Ok(bench::ClassAd {
            attributes: bench::ArrayOfClassAdAttribute {
                item: attributes.collect::<Outcome<_>>()?,
            },
        })
    }

    fn write(&self) -> Vec<String> {
        let attributes = self.attributes.item.iter();
        attributes
            .flat_map(|a| [a.name.clone(), a.r#type.clone(), a.value.clone()])
            .collect()
    }
}

impl Line for bench::ResultElement {
    fn read(f: &[&str]) -> Outcome<Self> {
        let text = |index| field(f, index).map(str::to_owned);
        Ok(bench::ResultElement {
            summary: text(0)?,
            url: text(1)?,
            snippet: text(2)?,
            title: text(3)?,
            cached_size: text(4)?,
            related_information_present: field(f, 5)? == "true",
            host_name: text(6)?,
            directory_category: bench::DirectoryCategory {
                full_viewable_name: text(7)?,
                special_encoding: text(8)?,
            },
            directory_title: text(9)?,
        })
    }

    fn write(&self) -> Vec<String> {
        vec![
            self.summary.clone(),
            self.url.clone(),
            self.snippet.clone(),
            self.title.clone(),
            self.cached_size.clone(),
            self.related_information_present.to_string(),
            self.host_name.clone(),
            self.directory_category.full_viewable_name.clone(),
            self.directory_category.special_encoding.clone(),
            self.directory_title.clone(),
        ]
    }
}

impl Line for files::File {
    fn read(f: &[&str]) -> Outcome<Self> {
        Ok(files::File {
            name: field(f, 0)?.to_owned(),
            data: from_hex(field(f, 1)?)?.into(),
        })
    }

    fn write(&self) -> Vec<String> {
        vec![self.name.clone(), to_hex(&self.data)]
    }
}
