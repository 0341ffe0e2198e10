//! What the reader promises beyond the tokens: positions, scopes, and errors that say what and where.

mod support;

use castile_xml::{Attribute, Doctype, Error, Guilty, Kind, Limits, NsId, Reader, Token};

fn error(text: &str) -> Error {
    support::events(&mut Reader::new(text).doctype(Doctype::Skip)).unwrap_err()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut reader = Reader::new(text);
    let mut tokens = Vec::new();
    loop {
        match reader.next().unwrap() {
            Token::Eof => return tokens,
            token => tokens.push(token),
        }
    }
}

#[test]
fn errors_say_what_and_where() {
    for (text, message) in [
        ("<a", "the text ends inside a start tag at byte 2"),
        ("<a></b>", "end tag </b> where <a> is open (XML 1.0, 3) at byte 3"),
        ("<a></a", "the text ends inside an end tag at byte 6"),
        ("<a></a x>", "expected > in an end tag (XML 1.0, 3.1) at byte 7"),
        ("<a/><b/>", "a second root element (XML 1.0, 2.1) at byte 4"),
        ("<a/>x", "text outside the root element (XML 1.0, 2.1) at byte 4"),
        ("x<a/>", "text outside the root element (XML 1.0, 2.1) at byte 0"),
        (
            "",
            "the text ends inside the prolog, before any element at byte 0",
        ),
        ("<a>]]></a>", "]]> stands in text (XML 1.0, 2.4) at byte 3"),
        (
            "<a>\u{1}</a>",
            "character U+0001 is not allowed in XML 1.0 (2.2) at byte 3",
        ),
        (
            "<a>\u{FFFF}</a>",
            "character U+FFFF is not allowed in XML 1.0 (2.2) at byte 3",
        ),
        (
            "<a>&b;</a>",
            "entity &b; is not one of the five predefined ones, and no other is expanded (XML 1.0, 4.1) at byte 3",
        ),
        (
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
            "entity &b; is not one of the five predefined ones, and no other is expanded (XML 1.0, 4.1) at byte 33",
        ),
        (
            "<a>&#0;</a>",
            "the reference is to no character that XML allows (XML 1.0, 4.1) at byte 3",
        ),
        (
            "<a>&#xD800;</a>",
            "the reference is to no character that XML allows (XML 1.0, 4.1) at byte 3",
        ),
        ("<a>&#;</a>", "expected a digit (XML 1.0, 4.1) at byte 5"),
        (
            "<a>&lt</a>",
            "expected ; after a reference (XML 1.0, 4.1) at byte 6",
        ),
        ("<a>& </a>", "expected a name (XML 1.0, 2.3) at byte 4"),
        (
            "<a b='<'/>",
            "< stands in an attribute value (XML 1.0, 3.1) at byte 6",
        ),
        ("<a b=c/>", "expected a quoted value (XML 1.0, 2.3) at byte 5"),
        ("<a b/>", "expected = (XML 1.0, 3.1) at byte 4"),
        (
            "<a b='1'c='2'/>",
            "expected white space, > or /> (XML 1.0, 3.1) at byte 8",
        ),
        (
            "<a b='1' b='2'/>",
            "an attribute name appears twice in the tag (XML 1.0, 3.1) at byte 9",
        ),
        (
            "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
            "an attribute name appears twice in the tag (XML 1.0, 3.1) at byte 35",
        ),
        (
            "<a xmlns:p='u' xmlns:p='v'/>",
            "an attribute name appears twice in the tag (XML 1.0, 3.1) at byte 15",
        ),
        (
            "<p:a/>",
            "the prefix is not bound to a namespace: p (NS 5) at byte 1",
        ),
        (
            "<a p:b=''/>",
            "the prefix is not bound to a namespace: p (NS 5) at byte 3",
        ),
        (
            "<a xmlns:p=''/>",
            "a prefix cannot be bound to no namespace: xmlns:p (NS 5) at byte 3",
        ),
        (
            "<a xmlns:xml='u'/>",
            "the prefix xml cannot be bound anew: xmlns:xml (NS 3) at byte 3",
        ),
        ("<a:b:c/>", "not a qualified name: a:b:c (NS 4) at byte 1"),
        (
            "<a><!-- -- --></a>",
            "-- stands in a comment (XML 1.0, 2.5) at byte 8",
        ),
        (
            "<a><?xml?></a>",
            "an XML declaration stands elsewhere than at the start (XML 1.0, 2.6) at byte 5",
        ),
        (
            " <?xml version='1.0'?><a/>",
            "an XML declaration stands elsewhere than at the start (XML 1.0, 2.6) at byte 3",
        ),
        (
            "<?xml version='2.0'?><a/>",
            "expected version=\"1.0\" (XML 1.0, 2.8) at byte 15",
        ),
        (
            "<a><![CDATA[</a>",
            "the text ends inside a CDATA section at byte 16",
        ),
        (
            "<a><!X></a>",
            "<! starts no markup that may stand here (XML 1.0, 3.1) at byte 3",
        ),
        (
            "<a/><!DOCTYPE a>",
            "a document type declaration stands elsewhere than once before the root (XML 1.0, 2.8) at byte 4",
        ),
    ] {
        assert_eq!(error(text).to_string(), message, "{text}");
    }
}

#[test]
fn a_doctype_is_refused_unless_asked_to_pass_over_it() {
    let text = "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY % x '>]>'> <?p ]> ?><!-- ]> -->%x;]><a/>";
    let refused = support::events(&mut Reader::new(text)).unwrap_err();
    assert_eq!((refused.kind(), refused.offset()), (&Kind::Doctype, 22));
    assert_eq!(refused.guilty(), Guilty::Peer);
    assert_eq!(
        refused.with_position(text),
        "document type declarations are refused at line 2, column 1"
    );
    let events = support::events(&mut Reader::new(text).doctype(Doctype::Skip)).unwrap();
    assert_eq!(events, ["start\t{}a", "end\t{}a"]);
}

#[test]
fn text_is_joined() {
    let text = "<a>1 &lt; <![CDATA[2 & ]]>3\r\n4\r5<!-- c -->6<b/><![CDATA[]]></a>";
    let texts: Vec<_> = tokens(text)
        .into_iter()
        .filter_map(|token| match token {
            Token::Text(text) => Some(text.into_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["1 < 2 & 3\n4\n5", "6"]);
}

#[test]
fn plain_text_and_a_lone_section_are_borrowed() {
    for text in ["<a>plain</a>", "<a><![CDATA[<plain>]]></a>"] {
        assert!(
            matches!(&tokens(text)[1], Token::Text(std::borrow::Cow::Borrowed(_))),
            "{text}"
        );
    }
}

#[test]
fn attribute_values_are_normalised() {
    let mut reader = Reader::new("<a b=' 1\t2\r\n3\r4\n&#9;&#10;&#13;&quot;\" '/>");
    reader.next().unwrap();
    assert_eq!(reader.attributes()[0].value, " 1 2 3 4 \t\n\r\"\" ");
    assert_eq!(reader.attribute_start(0), Some(3));
    assert_eq!(reader.attribute_start(1), None);
}

#[test]
fn positions() {
    let text = "<!-- c --><a>x<b/>é</a> ";
    let mut reader = Reader::new(text);
    let mut seen = Vec::new();
    loop {
        let token = reader.next().unwrap();
        seen.push((reader.token_start(), reader.position(), reader.depth()));
        assert_eq!(reader.rest(), &text.as_bytes()[reader.position()..]);
        if token == Token::Eof {
            break;
        }
    }
    assert_eq!(
        seen,
        [
            (0, 10, 0),
            (10, 13, 1),
            (13, 14, 1),
            (14, 18, 2),
            (18, 18, 1),
            (18, 20, 1),
            (20, 24, 0),
            (25, 25, 0)
        ]
    );
}

#[test]
fn namespaces_enter_and_leave() {
    let mut reader = Reader::new("<a xmlns='u' xmlns:p='v'><b xmlns='' xmlns:p='w' p:c='' c=''/><p:d/></a>");
    let Token::Start { name: a, .. } = reader.next().unwrap() else {
        panic!()
    };
    assert_eq!(reader.uri(a.ns), "u");
    assert_eq!(
        reader.declarations().iter().map(|d| d.0).collect::<Vec<_>>(),
        ["", "p"]
    );
    let outer = reader.scope();
    let v = reader.lookup("p").unwrap();

    let Token::Start { name: b, empty: true } = reader.next().unwrap() else {
        panic!()
    };
    assert_eq!(b.ns, NsId::NONE);
    assert_ne!(reader.scope(), outer);
    assert_eq!(reader.lookup(""), Some(NsId::NONE));
    assert_eq!(reader.in_scope().collect::<Vec<_>>(), [("p", "w")]);
    let [Attribute { name: pc, .. }, Attribute { name: c, .. }] = reader.attributes() else {
        panic!()
    };
    assert_eq!((reader.uri(pc.ns), c.ns), ("w", NsId::NONE));

    reader.next().unwrap();
    assert_eq!((reader.scope(), reader.lookup("p")), (outer, Some(v)));
    let Token::Start { name: d, .. } = reader.next().unwrap() else {
        panic!()
    };
    assert_eq!(d.ns, v);
    assert_eq!(reader.number("v"), v);
    assert_eq!(
        (reader.lookup("xml"), reader.lookup("xmlns"), reader.lookup("q")),
        (Some(NsId::XML), None, None)
    );
}

#[test]
fn a_caller_who_has_read_the_bytes_itself_goes_on_behind_them() {
    let text = "<a><i>1</i><i>2</i><j/></a>";
    let mut reader = Reader::new(text);
    reader.next().unwrap();
    reader.skip_to(text.find("<j").unwrap());
    assert!(matches!(reader.next(), Ok(Token::Start { name, empty: true }) if name.local == "j"));
    reader.next().unwrap();
    assert!(matches!(reader.next(), Ok(Token::End { name }) if name.local == "a"));
    assert_eq!(reader.next(), Ok(Token::Eof));
}

#[test]
fn misuse_is_an_error_and_not_a_panic() {
    let misused = |error: Error| {
        assert!(matches!(error.kind(), Kind::Misuse(_)));
        assert_eq!(error.guilty(), Guilty::Caller);
    };
    let mut reader = Reader::new("<a>é</a>");
    misused(reader.skip_element().unwrap_err());
    misused(reader.capture().unwrap_err());
    reader.next().unwrap();
    for position in [0, 4, 99] {
        let mut reader = reader.clone();
        reader.skip_to(position);
        misused(reader.next().unwrap_err());
    }
    let mut empty = Reader::new("<a/>x");
    empty.next().unwrap();
    empty.skip_to(5);
    misused(empty.next().unwrap_err());
}

#[test]
fn captures_carry_what_is_in_scope() {
    let text = "<a xmlns='u' xmlns:p='v&amp;' xmlns:q='w'><b xmlns:q='x'>q:c</b> <c/></a>";
    let mut reader = Reader::new(text);
    reader.next().unwrap();
    reader.next().unwrap();
    assert_eq!(
        reader.capture().unwrap(),
        "<b xmlns:p=\"v&amp;\" xmlns=\"u\" xmlns:q='x'>q:c</b>"
    );
    reader.next().unwrap();
    reader.next().unwrap();
    let fragment = reader.fragment().unwrap();
    assert_eq!(
        fragment.as_str(),
        "<c xmlns:q=\"w\" xmlns:p=\"v&amp;\" xmlns=\"u\"/>"
    );
    assert_eq!(fragment.name(), ("u", "c"));
    assert!(matches!(reader.next(), Ok(Token::End { .. })));
}

#[test]
fn limits_are_exact() {
    let depth = |max| Limits {
        depth_max: max,
        ..Limits::default()
    };
    assert!(support::events(&mut Reader::with_limits("<a><b/></a>", depth(2))).is_ok());
    let error = support::events(&mut Reader::with_limits("<a><b/></a>", depth(1))).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.offset()),
        ("limit depth_max = 1 is exceeded at byte 3", 3)
    );
    let attributes = |max| Limits {
        attributes_max: max,
        ..Limits::default()
    };
    let text = "<a xmlns='u' b=''/>";
    assert!(support::events(&mut Reader::with_limits(text, attributes(2))).is_ok());
    assert_eq!(
        support::events(&mut Reader::with_limits(text, attributes(1)))
            .unwrap_err()
            .offset(),
        13
    );
}
