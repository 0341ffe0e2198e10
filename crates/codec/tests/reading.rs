//! What single messages mean.

mod support;

use castile_codec::Kind;
use castile_testkit::{Table, plain, plainly};
use support::{brief, message, read, schemas, sorted};

fn table() -> Table {
    Table::parse(schemas::READ)
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
    // What the first item has by default, or as an empty tag, is not what the others have.
    ("Given", "<a>1</a><a></a><a/>", "a=[1,x,x]"),
    (
        "Kepts",
        "<p><a>1</a></p><p><a>2</a></p><p k='6'><a>3</a></p>",
        "p=[k=5 a=1,k=5 a=2,k=6 a=3]",
    ),
    ("Texts", "<s/><s/> <s/> ", "s=[,,]"),
    (
        "WildPasses",
        "<w:x xmlns:w='urn:w'>t</w:x><b>1</b><w:y xmlns:w='urn:w'>u</w:y><b>2</b>",
        "group=[any=<x xmlns=\"urn:w\">t</x> b=1,any=<y xmlns=\"urn:w\">u</y> b=2]",
    ),
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

#[test]
fn attributes() {
    let table = table();
    let with = |attributes: &str| {
        let text = message("Attributes", "").replace("<Attributes>", &format!("<Attributes {attributes}>"));
        plainly::read(&table.types, &table.plan("Attributes"), &text, true)
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
    let error = plainly::read(&table.types, &table.plan("Attributes"), &text, true).unwrap_err();
    assert_eq!(error.line_column(), Some((3, 3)));
    let text = message("Open", "<a>1</a>").replace("<Open>", "<Open k='1' t:k='2'>");
    let (_, body) = plainly::read(&table.types, &table.plan("Open"), &text, true).unwrap();
    assert_eq!(
        brief(&plain(body.get("Open").expect("it is there"))),
        "a=1 attributes=(k=1 {urn:t}k=2)"
    );
}

#[test]
fn simple_content() {
    let table = table();
    let text = message("Texted", " 1.50 ").replace("<Texted>", "<Texted unit='m'>");
    let (_, body) = plainly::read(&table.types, &table.plan("Texted"), &text, true).unwrap();
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
