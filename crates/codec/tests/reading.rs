//! What single messages mean, and what is said of bad ones: kind, path, place and words.

mod support;

use castile_codec::{Guilty, Kind};
use castile_testkit::{Table, plain};
use support::{brief, decoded_by, message, read, sorted};

const TYPES: &str = "
Pair = a:int, b:int
Either = (a:int | b:string)
Orders = ((a:int, b:int) | (b:int, a:int))
Around = a:int, b:string, a:int
Many = a:int{2-3}, b:string?
All = (a:int & b:string? & c:boolean)
Nested = (a:int, (b:int | c:int)?, d:int?)?, e:int
Passes = (a:int, b:int?)*, c:int?
Options = (a:int | b:int)+
Inner = ((a:int, (b:int | c:int)*)+ | d:int)
Two = p:Pair, q:Pair?
Empty = @id:int
Attributes = @id:int!, @lang:language=en, x^@x:string, @color:{red/green}
Texted = @unit:string, #:decimal
Defaulted = a:int=5, b:string=none
Nils = a:int~, b:Pair~
Wild = a:int, *other*, b:int?
WildAny = a:int?, *any*
Open = @*, a:int
Simple = a:anySimpleType, u:<int/boolean>?, l:[int]?, names:[QName]?
Names = q:QName, r:QName?
Base! = a:int
More(Base) = b:int
Least(Base) = c:string?
Holder = x:Base*, any:any~?
Spaces = ^u:int, x^v:int
Header = token:string?, count:int?
";

fn table() -> Table {
    Table::parse(&TYPES.replace("x^@x:string", "@x^x:string"))
}

/// Type, what stands in its element, what the value has to say.
const GOOD: &[(&str, &str, &str)] = &[
    ("Pair", "<a>1</a><b>2</b>", "a=1 b=2"),
    (
        "Pair",
        " <!-- c --><a><![CDATA[ 1 ]]></a>\r\n<?p?><b>&#50;</b> ",
        "a=1 b=2",
    ),
    ("Pair", "<t:a>1</t:a><x:b xmlns:x='urn:t'>2</x:b>", "a=1 b=2"),
    ("Either", "<b>&lt;&#x1F600;</b>", "b=<\u{1F600}"),
    ("Orders", "<a>1</a><b>2</b>", "a=1 b=2"),
    ("Orders", "<b>2</b><a>1</a>", "a=1 b=2"),
    ("Around", "<a>1</a><b/><a>3</a>", "a=[1,3] b="),
    ("Many", "<a>1</a><a>2</a>", "a=[1,2]"),
    ("All", "<c>1</c><a>7</a>", "a=7 c=true"),
    ("All", "<a>7</a><b> x </b><c>false</c>", "a=7 b= x  c=false"),
    ("Nested", "<e>1</e>", "e=1"),
    ("Nested", "<a>1</a><d>2</d><e>3</e>", "a=1 d=2 e=3"),
    ("Nested", "<a>1</a><c>2</c><e>3</e>", "a=1 c=2 e=3"),
    ("Passes", "", ""),
    (
        "Passes",
        "<a>1</a><b>2</b><a>3</a><c>4</c>",
        "group=[a=1 b=2,a=3] c=4",
    ),
    ("Options", "<b>1</b><a>2</a><a>3</a>", "group=[b=1,a=2,a=3]"),
    (
        "Inner",
        "<a>1</a><b>2</b><c>3</c><a>4</a>",
        "group=[a=1 group=[b=2,c=3],a=4]",
    ),
    ("Inner", "<d>1</d>", "d=1"),
    ("Two", "<p><a>1</a><b>2</b></p>", "p=(a=1 b=2)"),
    ("Defaulted", "<a/><b></b>", "a=5 b=none"),
    ("Defaulted", "<a>1</a><b> </b>", "a=1 b= "),
    ("Nils", "<a xsi:nil='true'/><b xsi:nil=' 1 '> </b>", "a=nil b=nil"),
    (
        "Nils",
        "<a xsi:nil='false'>3</a><b xsi:nil='0'><a>1</a><b>2</b></b>",
        "a=3 b=(a=1 b=2)",
    ),
    (
        "Wild",
        "<a>1</a><w:x xmlns:w='urn:w'>t</w:x><b>2</b>",
        "a=1 any=[<x xmlns=\"urn:w\">t</x>] b=2",
    ),
    (
        "WildAny",
        "<b>1</b><a>2</a>",
        "any=[<b xmlns=\"urn:t\">1</b>,<a xmlns=\"urn:t\">2</a>]",
    ),
    (
        "WildAny",
        "<a>1</a><a>2</a>",
        "a=1 any=[<a xmlns=\"urn:t\">2</a>]",
    ),
    ("Simple", "<a xsi:type='xsd:int'>5</a>", "a=5"),
    ("Simple", "<a>5</a><u>5</u>", "a=5 u=5"),
    ("Simple", "<a/><u>true</u><l> 1\n2 </l>", "a= u=true l=[1,2]"),
    ("Simple", "<a/><u xsi:type='xsd:boolean'>1</u>", "a= u=true"),
    ("Simple", "<a/><l/>", "a= l=[]"),
    ("Names", "<q>t:x</q>", "q={urn:t}x"),
    ("Names", "<q xmlns:p='urn:p'>p:x</q><r xmlns='urn:d'>y</r>", ""),
    (
        "Names",
        "<q xmlns:p='urn:p'>p:x</q><r>y</r>",
        "q={urn:p}x r={urn:t}y",
    ),
    (
        "Simple",
        "<a/><names xmlns:p='urn:p'>p:x t:y</names>",
        "a= names=[{urn:p}x,{urn:t}y]",
    ),
    (
        "Simple",
        "<a xmlns:p='urn:p' xsi:type='xsd:QName'>p:x</a>",
        "a={urn:p}x",
    ),
    (
        "Holder",
        "<x xsi:type='t:More'><a>1</a><b>2</b></x><x xsi:type='Least'><a>3</a></x>",
        "x=[a=1 b=2,a=3]",
    ),
    ("Holder", "<any>text</any>", "any=text"),
    ("Holder", "<any xsi:type='xsd:double'>1e3</any>", "any=1000.0"),
    (
        "Holder",
        "<any xsi:type='t:More'><a>1</a><b>2</b></any>",
        "any=(a=1 b=2)",
    ),
    (
        "Holder",
        "<any><z>1</z></any>",
        "any=<any xmlns=\"urn:t\"><z>1</z></any>",
    ),
    (
        "Holder",
        "<any k='1'>t</any>",
        "any=<any xmlns=\"urn:t\" k=\"1\">t</any>",
    ),
    ("Holder", "<any xsi:nil='true'/>", "any=nil"),
    ("Spaces", "<u xmlns=''>1</u><v xmlns='urn:x'>2</v>", "u=1 v=2"),
];

#[test]
fn good_messages() {
    let table = table();
    for (name, inside, expected) in GOOD {
        // `<r xmlns=...>` is another element.
        if expected.is_empty() && !inside.is_empty() {
            assert!(read(&table, name, inside).is_err(), "{name} {inside}");
            continue;
        }
        let value = read(&table, name, inside).unwrap_or_else(|e| panic!("{name} {inside}: {e}"));
        let mut expected: Vec<&str> = vec![expected];
        if expected[0].is_empty() {
            expected.clear();
        }
        let value = brief(&plain(&value));
        assert_eq!(
            sorted(&value),
            sorted(expected.first().copied().unwrap_or_default()),
            "{name} {inside}"
        );
    }
}

/// Type, what stands in its element, kind, path below the body, words of the message.
const BAD: &[(&str, &str, Kind, &str, &str)] = &[
    (
        "Pair",
        "<a>1</a>",
        Kind::Missing,
        "Pair",
        "element b is missing in {urn:t}Pair",
    ),
    ("Pair", "", Kind::Missing, "Pair", "element a is missing"),
    (
        "Pair",
        "<b>2</b><a>1</a>",
        Kind::Missing,
        "Pair",
        "element a is missing in {urn:t}Pair, before {urn:t}b",
    ),
    (
        "Pair",
        "<a>1</a><a>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair/a",
        "too often or in the wrong order",
    ),
    (
        "Pair",
        "<a>1</a><b>2</b><c>3</c>",
        Kind::Unexpected,
        "Pair/c",
        "{urn:t}c is not known in {urn:t}Pair, which has a, b",
    ),
    (
        "Pair",
        "<a xmlns='urn:z'>1</a>",
        Kind::Unexpected,
        "Pair/a",
        "wrong namespace: {urn:t}a was expected",
    ),
    (
        "Pair",
        "<a xmlns=''>1</a>",
        Kind::Unexpected,
        "Pair/a",
        "element a is in the wrong namespace",
    ),
    ("Pair", "<a>x</a><b>2</b>", Kind::Lexical, "Pair/a", "\"x\""),
    (
        "Pair",
        "<a>2147483648</a><b>2</b>",
        Kind::Lexical,
        "Pair/a",
        "out of range",
    ),
    ("Pair", "<a/><b>2</b>", Kind::Lexical, "Pair/a", "xsd:int"),
    (
        "Pair",
        "<a>1<c/></a><b>2</b>",
        Kind::Unexpected,
        "Pair/a",
        "where only text may stand",
    ),
    (
        "Pair",
        "x<a>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair",
        "text \"x\" where only elements",
    ),
    (
        "Pair",
        "<a k='1'>1</a><b>2</b>",
        Kind::Unexpected,
        "Pair/a/@k",
        "attribute k on an element of simple type xsd:int",
    ),
    ("Either", "", Kind::Missing, "Either", "one of a, b is missing"),
    (
        "Either",
        "<a>1</a><b>2</b>",
        Kind::Unexpected,
        "Either/b",
        "{urn:t}b and a exclude each other",
    ),
    (
        "Orders",
        "<b>2</b><b>1</b>",
        Kind::Unexpected,
        "Orders/b",
        "too often",
    ),
    (
        "Orders",
        "<b>2</b>",
        Kind::Missing,
        "Orders",
        "element a is missing",
    ),
    (
        "Around",
        "<a>1</a><b>2</b>",
        Kind::Missing,
        "Around",
        "element a is missing",
    ),
    (
        "Many",
        "<a>1</a>",
        Kind::Missing,
        "Many",
        "element a (1 of at least 2) is missing",
    ),
    (
        "Many",
        "<a>1</a><a>1</a><a>1</a><a>1</a>",
        Kind::Unexpected,
        "Many/a",
        "too often",
    ),
    ("Many", "<a>1</a><b/>", Kind::Missing, "Many", "(1 of at least 2)"),
    (
        "Many",
        "<a>1</a><a>1</a><a>x</a>",
        Kind::Lexical,
        "Many/a[3]",
        "\"x\"",
    ),
    ("All", "<c>1</c>", Kind::Missing, "All", "element a is missing"),
    (
        "All",
        "<c>1</c><a>1</a><c>1</c>",
        Kind::Unexpected,
        "All/c",
        "too often",
    ),
    (
        "Nested",
        "<d>1</d><e>1</e>",
        Kind::Missing,
        "Nested",
        "element a is missing",
    ),
    (
        "Nested",
        "<a>1</a><b>1</b><c>1</c><e>1</e>",
        Kind::Unexpected,
        "Nested/c",
        "exclude",
    ),
    (
        "Passes",
        "<b>2</b>",
        Kind::Missing,
        "Passes",
        "element a is missing in {urn:t}Passes/group, before {urn:t}b",
    ),
    (
        "Passes",
        "<z>2</z>",
        Kind::Unexpected,
        "Passes/z",
        "not known in {urn:t}Passes, which has a, b, c",
    ),
    (
        "Passes",
        "<c>2</c><a>1</a>",
        Kind::Unexpected,
        "Passes/a",
        "wrong order",
    ),
    (
        "Passes",
        "<a>1</a><a>x</a>",
        Kind::Lexical,
        "Passes/group[2]/a",
        "\"x\"",
    ),
    ("Options", "", Kind::Missing, "Options", "one of a, b is missing"),
    (
        "Two",
        "<p><a>1</a></p>",
        Kind::Missing,
        "Two/p",
        "element b is missing",
    ),
    (
        "Attributes",
        "",
        Kind::Missing,
        "Attributes",
        "attribute id is missing",
    ),
    (
        "Nils",
        "<a xsi:nil='true'>1</a><b/>",
        Kind::Unexpected,
        "Nils/a",
        "nil has content",
    ),
    ("Nils", "<a xsi:nil='yes'/><b/>", Kind::Lexical, "Nils/a", "yes"),
    (
        "Wild",
        "<a>1</a><z>1</z>",
        Kind::Unexpected,
        "Wild/z",
        "not known",
    ),
    (
        "Simple",
        "<a/><u>x</u>",
        Kind::Lexical,
        "Simple/u",
        "fits no member",
    ),
    ("Simple", "<a/><l>1 x</l>", Kind::Lexical, "Simple/l", "\"x\""),
    (
        "Names",
        "<q>no:x</q>",
        Kind::Lexical,
        "Names/q",
        "prefix that is not declared",
    ),
    (
        "Names",
        "<q>a b</q>",
        Kind::Lexical,
        "Names/q",
        "no qualified name",
    ),
    (
        "Holder",
        "<x><a>1</a></x>",
        Kind::Missing,
        "Holder/x[1]",
        "abstract",
    ),
    (
        "Holder",
        "<x xsi:type='t:Pair'><a>1</a></x>",
        Kind::Unexpected,
        "Holder/x[1]",
        "no type derived from {urn:t}Base",
    ),
    (
        "Holder",
        "<x xsi:type='t:None'><a>1</a></x>",
        Kind::Unexpected,
        "Holder/x[1]",
        "no type derived",
    ),
    (
        "Holder",
        "<any xsi:type='t:Base'><a>1</a></any>",
        Kind::Missing,
        "Holder/any",
        "abstract",
    ),
    (
        "Holder",
        "<any xsi:type='xsd:int'>x</any>",
        Kind::Lexical,
        "Holder/any",
        "\"x\"",
    ),
];

#[test]
fn bad_messages() {
    let table = table();
    for (name, inside, kind, path, words) in BAD {
        let error = read(&table, name, inside).expect_err(inside);
        let context = format!("{name} {inside}: {error}");
        assert_eq!(error.kind(), *kind, "{context}");
        assert_eq!(error.path(), format!("/Envelope/Body/{path}"), "{context}");
        assert!(error.message().contains(words), "{context}");
        assert_eq!(error.guilty(), Guilty::Peer, "{context}");
        assert!(error.line_column().is_some(), "{context}");
    }
}

#[test]
fn attributes() {
    let table = table();
    let with = |attributes: &str| {
        let text = message("Attributes", "").replace("<Attributes>", &format!("<Attributes {attributes}>"));
        decoded_by(&table.types, &table.plan("Attributes"), &text, true)
            .map(|(_, body)| brief(&plain(body.get("Attributes").expect("the body has the element"))))
    };
    assert_eq!(with("id='7'").unwrap(), "id=7 lang=en");
    assert_eq!(
        with("id=' 7 ' lang='de' xmlns:x='urn:x' x:x='a&#10;b'").unwrap(),
        "id=7 lang=de x=a\nb"
    );
    assert_eq!(
        with("id='7' xml:space='preserve' xsi:schemaLocation='a b' e:encodingStyle=''").unwrap(),
        "id=7 lang=en"
    );
    for (attributes, kind, path, words) in [
        ("id='x'", Kind::Lexical, "/@id", "\"x\""),
        (
            "id='1' other='2'",
            Kind::Unexpected,
            "/@other",
            "attribute other is not known",
        ),
        (
            "id='1' t:id='2'",
            Kind::Unexpected,
            "/@id",
            "{urn:t}id is not known",
        ),
        (
            "id='1' color='blue'",
            Kind::Lexical,
            "/@color",
            "not one of red, green",
        ),
        ("lang='en'", Kind::Missing, "", "attribute id is missing"),
    ] {
        let error = with(attributes).unwrap_err();
        assert_eq!(
            (error.kind(), error.path()),
            (kind, format!("/Envelope/Body/Attributes{path}")),
            "{error}"
        );
        assert!(error.message().contains(words), "{error}");
    }
    // The place of a bad attribute is the attribute's.
    let text = message("Attributes", "").replace("<Attributes>", "<Attributes\n  lang='en'\n  id='x'>");
    let error = decoded_by(&table.types, &table.plan("Attributes"), &text, true).unwrap_err();
    assert_eq!(error.line_column(), Some((3, 3)));
    let text = message("Open", "<a>1</a>").replace("<Open>", "<Open k='1' t:k='2'>");
    let (_, body) = decoded_by(&table.types, &table.plan("Open"), &text, true).unwrap();
    assert_eq!(
        brief(&plain(body.get("Open").expect("it is there"))),
        "a=1 attributes=(k=1 {urn:t}k=2)"
    );
}

#[test]
fn a_default_that_is_none_of_its_type_is_the_contracts_fault() {
    let table = Table::parse("T = @k:int=x, a:int=y?\nU = a:int=y?");
    let error = read(&table, "T", "").unwrap_err();
    assert_eq!(
        (error.guilty(), error.path()),
        (Guilty::Contract, "/Envelope/Body/T/@k".into()),
        "{error}"
    );
    let error = read(&table, "U", "<a/>").unwrap_err();
    assert_eq!(
        (error.guilty(), error.path()),
        (Guilty::Contract, "/Envelope/Body/U/a".into()),
        "{error}"
    );
    let error = read(&table, "U", "<a>z</a>").unwrap_err();
    assert_eq!(error.guilty(), Guilty::Peer);
}

#[test]
fn simple_content() {
    let table = table();
    let text = message("Texted", " 1.50 ").replace("<Texted>", "<Texted unit='m'>");
    let (_, body) = decoded_by(&table.types, &table.plan("Texted"), &text, true).unwrap();
    assert_eq!(
        sorted(&brief(&plain(body.get("Texted").expect("it is there")))),
        sorted("text=1.50 unit=m")
    );
    let error = read(&table, "Texted", "x").unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::Lexical, "/Envelope/Body/Texted".into())
    );
}
