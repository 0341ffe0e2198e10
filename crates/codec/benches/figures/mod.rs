//! What `castile generate rust` writes for messages of many shapes, and such messages.

use castile_testkit::Rng;
use castile_value::typed::Maybe;
use castile_value::{DateTime, Decimal};

pub(crate) const TYPES: &str = "
Void = @none:int
Category = fullViewableName:string, specialEncoding:string
Result = summary:string, URL:string, snippet:string, title:string, cachedSize:string, relatedInformationPresent:boolean, hostName:string, directoryCategory:Category, directoryTitle:string
Search = documentFiltering:boolean, searchComments:string, estimatedTotalResultsCount:int, estimateIsExact:boolean, searchQuery:string, startIndex:int, endIndex:int, searchTips:string, searchTime:double, directoryCategories:Category*, resultElements:Result*
Network = IPFilter:boolean?, ZeroConfiguration:boolean?, IPVersion6:boolean?, DynDNS:boolean?, Version:int?
System = DiscoveryResolve:boolean, FirmwareUpgrade:boolean, SupportedVersions:Version*, Extra:string?
Version = Major:int, Minor:int
Device = XAddr:string, Network:Network?, System:System?, Model:string?
Media = XAddr:string, RTPMulticast:boolean?, RTP_TCP:boolean?
Capabilities = Device:Device?, Media:Media?, Events:Media?, Imaging:Media?
Line = sku:string, count:int, price:double
Order = @id:long!, @state:string, customer:string?, comment:string?, paid:boolean?, weight:double?, line:Line*
Orders = order:Order*
Reading = seq:int, low:double?, high:double?, note:string?
Readings = reading:Reading*
Square = a:double, b:double
Figure = name:string, (radius:double | square:Square | label:string)
Figures = figure:Figure*
Row = value:double*
Matrix = row:Row*
Entry = when:dateTime, kind:{open/closed/lost}, amount:decimal, count:int~
Entries = entry:Entry*
Animal! = name:string
Cat(Animal) = lives:int
Dog(Animal) = weight:double
Animals = animal:Animal*
Span = from:Version, to:Version, note:string
Spans = span:Span*
";

macro_rules! shape {
    ($name:ident { $($field:ident: $type:ty),* $(,)? } $($record:tt)*) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }
        castile_value::record!($name, $($record)*);
    };
}

shape! { Void {} "{urn:t}Void", {} }
shape! {
    Category { full_viewable_name: String, special_encoding: String }
    "{urn:t}Category", { 0: full_viewable_name, 1: special_encoding }, required [0, 1],
    flat [full_viewable_name, special_encoding]
}
shape! {
    Hit {
        summary: String, url: String, snippet: String, title: String, cached_size: String,
        related_information_present: bool, host_name: String, directory_category: Category,
        directory_title: String,
    }
    "{urn:t}Result",
    {
        0: summary, 1: url, 2: snippet, 3: title, 4: cached_size, 5: related_information_present,
        6: host_name, 7: directory_category, 8: directory_title,
    },
    required [0, 1, 2, 3, 4, 5, 6, 7, 8]
}
shape! {
    Search {
        document_filtering: bool, search_comments: String, estimated_total_results_count: i32,
        estimate_is_exact: bool, search_query: String, start_index: i32, end_index: i32,
        search_tips: String, search_time: f64, directory_categories: Vec<Category>,
        result_elements: Vec<Hit>,
    }
    "{urn:t}Search",
    {
        0: document_filtering, 1: search_comments, 2: estimated_total_results_count, 3: estimate_is_exact,
        4: search_query, 5: start_index, 6: end_index, 7: search_tips, 8: search_time,
        9: directory_categories, 10: result_elements,
    },
    required [0, 1, 2, 3, 4, 5, 6, 7, 8]
}
shape! {
    Network {
        ip_filter: Option<bool>, zero_configuration: Option<bool>, ip_version6: Option<bool>,
        dyn_dns: Option<bool>, version: Option<i32>,
    }
    "{urn:t}Network", { 0: ip_filter, 1: zero_configuration, 2: ip_version6, 3: dyn_dns, 4: version }
}
shape! {
    System {
        discovery_resolve: bool, firmware_upgrade: bool, supported_versions: Vec<Version>,
        extra: Option<String>,
    }
    "{urn:t}System", { 0: discovery_resolve, 1: firmware_upgrade, 2: supported_versions, 3: extra },
    required [0, 1]
}
shape! {
    Version { major: i32, minor: i32 }
    "{urn:t}Version", { 0: major, 1: minor }, required [0, 1], flat [major, minor]
}
shape! {
    Device { x_addr: String, network: Option<Network>, system: Option<System>, model: Option<String> }
    "{urn:t}Device", { 0: x_addr, 1: network, 2: system, 3: model }, required [0]
}
shape! {
    Media { x_addr: String, rtp_multicast: Option<bool>, rtp_tcp: Option<bool> }
    "{urn:t}Media", { 0: x_addr, 1: rtp_multicast, 2: rtp_tcp }, required [0]
}
shape! {
    Capabilities {
        device: Option<Device>, media: Option<Media>, events: Option<Media>, imaging: Option<Media>,
    }
    "{urn:t}Capabilities", { 0: device, 1: media, 2: events, 3: imaging }
}
shape! {
    Line { sku: String, count: i32, price: f64 }
    "{urn:t}Line", { 0: sku, 1: count, 2: price }, required [0, 1, 2], flat [sku, count, price]
}
shape! {
    Order {
        id: i64, state: Option<String>, customer: Option<String>, comment: Option<String>,
        paid: Option<bool>, weight: Option<f64>, line: Vec<Line>,
    }
    "{urn:t}Order", { 0: id, 1: state, 2: customer, 3: comment, 4: paid, 5: weight, 6: line }, required [0]
}
shape! { Orders { order: Vec<Order> } "{urn:t}Orders", { 0: order } }
shape! {
    Reading { seq: i32, low: Option<f64>, high: Option<f64>, note: Option<String> }
    "{urn:t}Reading", { 0: seq, 1: low, 2: high, 3: note }, required [0]
}
shape! { Readings { reading: Vec<Reading> } "{urn:t}Readings", { 0: reading } }
shape! {
    Square { a: f64, b: f64 }
    "{urn:t}Square", { 0: a, 1: b }, required [0, 1], flat [a, b]
}
shape! {
    Figure { name: String, choice: FigureChoice }
    "{urn:t}Figure", { 0: name, 1: choice[0], 2: choice[1], 3: choice[2] }, required [0]
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FigureChoice {
    Radius(f64),
    Square(Square),
    Label(String),
}
castile_value::choice!(FigureChoice, { 0: Radius, 1: Square, 2: Label });
shape! { Figures { figure: Vec<Figure> } "{urn:t}Figures", { 0: figure } }
shape! { Row { value: Vec<f64> } "{urn:t}Row", { 0: value } }
shape! { Matrix { row: Vec<Row> } "{urn:t}Matrix", { 0: row } }
shape! {
    Entry { when: DateTime, kind: Kind, amount: Decimal, count: Maybe<i32> }
    "{urn:t}Entry", { 0: when, 1: kind, 2: amount, 3: count }, required [0, 1, 2, 3]
}
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Open,
    Closed,
    Lost,
    Other(String),
}
castile_value::enumeration!(Kind, { Open: "open", Closed: "closed", Lost: "lost" });
shape! { Entries { entry: Vec<Entry> } "{urn:t}Entries", { 0: entry } }
shape! {
    Cat { name: String, lives: i32 }
    "{urn:t}Cat", { 0: name, 1: lives }, required [0, 1], flat [name, lives]
}
shape! {
    Dog { name: String, weight: f64 }
    "{urn:t}Dog", { 0: name, 1: weight }, required [0, 1], flat [name, weight]
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnyAnimal {
    Cat(Box<Cat>),
    Dog(Box<Dog>),
}
castile_value::hierarchy!(AnyAnimal, { Cat: "{urn:t}Cat", Dog: "{urn:t}Dog" });
shape! { Animals { animal: Vec<AnyAnimal> } "{urn:t}Animals", { 0: animal } }
shape! {
    Span { from: Version, to: Version, note: String }
    "{urn:t}Span", { 0: from, 1: to, 2: note }, required [0, 1, 2]
}
shape! { Spans { span: Vec<Span> } "{urn:t}Spans", { 0: span } }

fn words(rng: &mut Rng, count: usize) -> String {
    let word = |_| format!("{:x}", rng.bits() >> 40);
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn some<T>(rng: &mut Rng, value: T) -> Option<T> {
    (rng.below(3) > 0).then_some(value)
}

pub(crate) fn search(rng: &mut Rng) -> Search {
    let category = |rng: &mut Rng| Category {
        full_viewable_name: words(rng, 3),
        special_encoding: String::new(),
    };
    let hit = |rng: &mut Rng| Hit {
        summary: words(rng, 10),
        url: format!("http://example.org/{:x}", rng.bits()),
        snippet: words(rng, 20),
        title: words(rng, 6),
        cached_size: "12k".to_owned(),
        related_information_present: true,
        host_name: String::new(),
        directory_category: category(rng),
        directory_title: words(rng, 2),
    };
    Search {
        search_query: words(rng, 2),
        estimated_total_results_count: 24_900,
        start_index: 1,
        end_index: 10,
        search_time: rng.unit(),
        directory_categories: (0..2).map(|_| category(rng)).collect(),
        result_elements: (0..10).map(|_| hit(rng)).collect(),
        ..Search::default()
    }
}

pub(crate) fn capabilities() -> Capabilities {
    let media = |name: &str| {
        Some(Media {
            x_addr: format!("http://192.168.0.20/onvif/{name}"),
            rtp_multicast: Some(true),
            rtp_tcp: None,
        })
    };
    let network = Network {
        ip_filter: Some(false),
        zero_configuration: Some(true),
        ip_version6: Some(true),
        dyn_dns: None,
        version: Some(4),
    };
    let version = |minor| Version { major: 2, minor };
    let system = System {
        discovery_resolve: true,
        firmware_upgrade: true,
        supported_versions: [0, 20, 40].map(version).to_vec(),
        extra: None,
    };
    Capabilities {
        device: Some(Device {
            x_addr: "http://192.168.0.20/onvif/device_service".to_owned(),
            network: Some(network),
            system: Some(system),
            model: Some("camera".to_owned()),
        }),
        media: media("media"),
        events: media("events"),
        imaging: media("imaging"),
    }
}

pub(crate) fn orders(rng: &mut Rng) -> Orders {
    let line = |rng: &mut Rng| Line {
        sku: words(rng, 1),
        count: rng.below(100) as i32,
        price: rng.unit(),
    };
    let order = |id| Order {
        id,
        state: Some("open".to_owned()),
        customer: some(rng, "A customer".to_owned()),
        comment: some(rng, "as soon as possible".to_owned()),
        paid: some(rng, true),
        weight: some(rng, 1.5),
        line: (0..rng.below(5)).map(|_| line(rng)).collect(),
    };
    Orders {
        order: (0..500).map(order).collect(),
    }
}

pub(crate) fn readings(rng: &mut Rng) -> Readings {
    let reading = |seq| Reading {
        seq,
        low: some(rng, 0.25),
        high: some(rng, 12.5),
        note: some(rng, "a note".to_owned()),
    };
    Readings {
        reading: (0..5000).map(reading).collect(),
    }
}

pub(crate) fn figures(rng: &mut Rng) -> Figures {
    let choice = |rng: &mut Rng| match rng.below(3) {
        0 => FigureChoice::Radius(rng.unit()),
        1 => FigureChoice::Square(Square { a: 1.5, b: 2.5 }),
        _ => FigureChoice::Label("a label".to_owned()),
    };
    let figure = |n: i32| Figure {
        name: format!("figure {n}"),
        choice: choice(rng),
    };
    Figures {
        figure: (0..2000).map(figure).collect(),
    }
}

pub(crate) fn matrix(rng: &mut Rng) -> Matrix {
    let row = |_| Row {
        value: (0..8).map(|_| rng.unit()).collect(),
    };
    Matrix {
        row: (0..1000).map(row).collect(),
    }
}

pub(crate) fn entries(rng: &mut Rng) -> Entries {
    let when = |day: usize| {
        let text = format!("2026-11-{:02}T10:20:30Z", day + 1);
        DateTime::parse(castile_value::DateTimeKind::DateTime, text.as_bytes()).expect("a date")
    };
    let entry = |n: i64| Entry {
        when: when(rng.below(28)),
        kind: [Kind::Open, Kind::Closed, Kind::Lost][rng.below(3)].clone(),
        amount: n.into(),
        count: match rng.below(4) {
            0 => Maybe::Nil,
            n => Maybe::Value(n as i32),
        },
    };
    Entries {
        entry: (0..2000).map(entry).collect(),
    }
}

pub(crate) fn animals(rng: &mut Rng) -> Animals {
    let name = "an animal".to_owned();
    let animal = |n: i32| match rng.below(2) {
        0 => Cat {
            name: name.clone(),
            lives: n,
        }
        .into(),
        _ => Dog {
            name: name.clone(),
            weight: 7.5,
        }
        .into(),
    };
    Animals {
        animal: (0..2000).map(animal).collect(),
    }
}

pub(crate) fn spans() -> Spans {
    let span = |n: i32| Span {
        from: Version { major: n, minor: 0 },
        to: Version {
            major: n + 1,
            minor: 7,
        },
        note: "from one to another".to_owned(),
    };
    Spans {
        span: (0..2000).map(span).collect(),
    }
}
