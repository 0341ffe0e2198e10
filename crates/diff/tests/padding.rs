//! Where spaces stand, and how many.

mod common;

use castile_diff::{Match, Options, Stuffing, Widths};
use castile_value::Value;

use common::Sender;

const TYPES: &str = "add = n:double*, flag:boolean*, i:int*, f:float*";

/// Sends arrays of 64 equal values; gives the text of the array `name`, its first two elements.
fn send(sender: &mut Sender, name: &str, value: &Value) -> String {
    let body = vec![("add".to_owned(), Value::map([(name, value.clone())]))];
    let sent = sender.send(&body).expect("good values");
    let text = String::from_utf8(sent.to_vec()).expect("UTF-8");
    let start = text.find(&format!("<ns1:{name}>")).expect("the array");
    let mut ends = text
        .match_indices("<ns1:")
        .map(|(at, _)| at)
        .skip_while(|&at| at <= start);
    let end = ends.nth(1).expect("a third element");
    text[start..end].replace("ns1:", "")
}

fn doubles(value: f64) -> Value {
    vec![value; 64].into()
}

fn sender(options: Options) -> Sender {
    Sender::new(TYPES, "add", options)
}

fn between() -> Options {
    Options {
        pad_between: true,
        ..Options::default()
    }
}

#[test]
fn numbers_are_padded_inside_and_the_rest_between_elements() {
    let mut one = sender(Options {
        rewrite_above: Some(2.0),
        ..Options::default()
    });
    let mut send = |name, value: Value| send(&mut one, name, &value);
    assert_eq!(send("n", doubles(0.25)), "<n>0.25</n><n>0.25</n>");
    assert_eq!(send("n", doubles(1.0)), "<n>1   </n><n>1   </n>");
    let flags = |flag| Value::from(vec![flag; 64]);
    assert_eq!(send("flag", flags(false)), "<flag>false</flag><flag>false</flag>");
    assert_eq!(send("flag", flags(true)), "<flag>true</flag> <flag>true</flag> ");
    assert_eq!(send("flag", flags(false)), "<flag>false</flag><flag>false</flag>");
}

#[test]
fn closing_tags_move_where_that_is_asked_for() {
    let mut one = sender(Options {
        rewrite_above: Some(2.0),
        ..between()
    });
    let mut send = |value| send(&mut one, "n", &doubles(value));
    assert_eq!(send(0.25), "<n>0.25</n><n>0.25</n>");
    assert_eq!(send(1.0), "<n>1</n>   <n>1</n>   ");
    assert_eq!(send(1.5), "<n>1.5</n> <n>1.5</n> ");
    // It has to grow, and gets a space more.
    assert_eq!(send(0.125), "<n>0.125</n> <n>0.125</n> ");
}

#[test]
fn a_switch_turns_all_padding_off() {
    for pad_between in [false, true] {
        let mut one = sender(Options {
            pad: false,
            pad_between,
            stuffing: Stuffing::Max,
            rewrite_above: Some(2.0),
            ..Options::default()
        });
        for value in [0.25, 1.0, 0.125] {
            let expected = format!("<n>{value}</n><n>{value}</n>");
            assert_eq!(send(&mut one, "n", &doubles(value)), expected);
        }
        for flag in [false, true, false] {
            let expected = format!("<flag>{flag}</flag><flag>{flag}</flag>");
            assert_eq!(send(&mut one, "flag", &vec![flag; 64].into()), expected);
        }
    }
}

#[test]
fn each_type_has_the_width_it_is_given() {
    let widths = Widths {
        doubles: 6,
        floats: 4,
        integers: 3,
    };
    for (options, n, i, f) in [
        (Options::default(), "<n>0.5   </n>", "<i>7  </i>", "<f>0.5 </f>"),
        (between(), "<n>0.5</n>   ", "<i>7</i>  ", "<f>0.5</f> "),
    ] {
        let mut one = sender(Options {
            stuffing: Stuffing::Types(widths),
            ..options
        });
        assert_eq!(send(&mut one, "n", &doubles(0.5)), n.repeat(2));
        assert_eq!(send(&mut one, "i", &vec![7i32; 64].into()), i.repeat(2));
        assert_eq!(send(&mut one, "f", &vec![0.5f32; 64].into()), f.repeat(2));
        assert_eq!(
            send(&mut one, "flag", &vec![true; 64].into()),
            "<flag>true</flag>".repeat(2)
        );
    }
}

/// The first chunk says what is typical; an odd one that is longer does not.
#[test]
fn typical_widths_are_learned() {
    let mut one = sender(Options {
        stuffing: Stuffing::Typical,
        chunk_bytes: 2000,
        ..Options::default()
    });
    let mut values: Vec<f64> = (0..2000).map(|i| [0.5, 0.25, 0.125][i % 3]).collect();
    values[20] = 0.123456789;
    let body = |values: &[f64]| {
        let n = Value::from(values.to_vec());
        vec![("add".to_owned(), Value::map([("n", n)]))]
    };
    let text = String::from_utf8(one.send(&body(&values)).expect("good").to_vec()).expect("UTF-8");
    assert!(text.contains("<ns1:n>0.123456789</ns1:n>"));
    let stuffed = text.matches("<ns1:n>0.5  </ns1:n>").count();
    assert!(stuffed > 500, "{stuffed}");
    assert_eq!(text.matches("0.125 ").count(), 0);
    assert!(text.contains("<ns1:n>0.5</ns1:n>"), "the first chunk");
    // So nothing has to be moved behind the first chunk, up to the typical width.
    values[1000..]
        .iter_mut()
        .step_by(9)
        .for_each(|value| *value = 0.375);
    let report = one.send(&body(&values)).expect("good").report;
    assert_eq!((report.kind, report.bytes_shifted), (Match::PerfectStructural, 0));
}
