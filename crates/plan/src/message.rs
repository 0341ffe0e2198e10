//! One message of a contract.

use serde::{Deserialize, Serialize};

use crate::{ComplexId, FieldKind, NsIx, TypeId, Types};

/// How an operation's arguments map to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// document/literal wrapped, or rpc/literal: the body has one element, and the arguments are
    /// the fields of its type.
    Wrapped,
    /// document/literal bare: the arguments are the body's elements.
    Bare,
}

/// One message, compiled: the two complex types whose fields are its header and body elements.
/// The SOAP version is not part of a plan: one message serves SOAP 1.1 and 1.2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What error messages call it, such as `echoDoubles request`.
    pub label: Box<str>,
    /// How arguments map to the body.
    pub style: Style,
    /// Whether values are written by the rules of SOAP encoding (SOAP 1.1, 5; SOAP 1.2 part 2, 3).
    pub encoded: bool,
    /// A complex type with one element field a header block, all optional.
    pub header: ComplexId,
    /// A complex type with one element field a body element.
    pub body: ComplexId,
    /// The namespaces to declare on the envelope: those of every element and attribute that can
    /// stand in the message without a derived type, nearest first, at most
    /// [`Plan::NAMESPACES_MAX`]. Others are declared where they occur.
    pub namespaces: Vec<NsIx>,
}

impl Plan {
    /// The most namespaces declared on an envelope.
    pub const NAMESPACES_MAX: usize = 16;

    /// A plan; finds the namespaces that the message uses.
    pub fn new(
        types: &Types,
        label: impl Into<Box<str>>,
        style: Style,
        header: ComplexId,
        body: ComplexId,
    ) -> Self {
        let namespaces = namespaces(types, &[body, header]);
        Plan {
            label: label.into(),
            style,
            encoded: false,
            header,
            body,
            namespaces,
        }
    }

    /// The same message by the rules of SOAP encoding: almost every element says its type, so the
    /// namespaces that takes come first.
    #[must_use]
    pub fn into_encoded(mut self) -> Self {
        self.encoded = true;
        self.namespaces
            .retain(|ns| ![Types::XSD, Types::XSI].contains(ns));
        self.namespaces.splice(..0, [Types::XSD, Types::XSI]);
        self.namespaces.truncate(Plan::NAMESPACES_MAX);
        self
    }

    /// The complex type whose fields are the arguments: the body element's type for the wrapped
    /// style (`None` if that is not complex), else the body itself.
    pub fn arguments(&self, types: &Types) -> Option<ComplexId> {
        match self.style {
            Style::Bare => Some(self.body),
            Style::Wrapped => match types.complex(self.body).fields.first()?.ty {
                TypeId::Complex(id) => Some(id),
                _ => None,
            },
        }
    }
}

impl Plan {
    /// The complex type whose fields users see as the values of the message, and whether it is that
    /// of the one body element (else it is the body itself): so it is for document/literal wrapped
    /// and rpc/literal, and for a bare message of one such element.
    pub fn values(&self, types: &Types) -> (ComplexId, bool) {
        match &types.complex(self.body).fields[..] {
            [only] => match only.ty {
                TypeId::Complex(id) if !only.many => (id, true),
                _ => (self.body, false),
            },
            _ => (self.body, false),
        }
    }
}

/// Breadth first, so that what is always there comes before what may be there.
fn namespaces(types: &Types, roots: &[ComplexId]) -> Vec<NsIx> {
    let mut found = Vec::new();
    let mut seen = vec![false; types.complex.len()];
    let mut queue: std::collections::VecDeque<ComplexId> = roots.iter().copied().collect();
    let mut add = |ns: NsIx| {
        if ns != NsIx::NONE && ns != Types::XML && !found.contains(&ns) && found.len() < Plan::NAMESPACES_MAX
        {
            found.push(ns);
        }
    };
    while let Some(id) = queue.pop_front() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        for field in &types.complex(id).fields {
            if matches!(field.kind, FieldKind::Element | FieldKind::Attribute) {
                add(field.wire.ns);
            }
            if field.nillable {
                add(Types::XSI);
            }
            if let TypeId::Complex(child) = field.ty {
                queue.push_back(child);
            }
        }
    }
    found
}
