//! The faults of WS-Security (SOAP Message Security 1.1, 12).

use castile_codec::{Code, Fault, Name, Refusal};

use crate::names::{WSSE, WSU};

/// What is wrong with the security of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The header cannot be processed.
    InvalidSecurity,
    /// A token of a kind that is not supported.
    UnsupportedSecurityToken,
    /// Wrong user or password, or a token that was used before.
    FailedAuthentication,
    /// Too old, or from the future.
    MessageExpired,
}

impl Wrong {
    /// The refusal, with words that tell an attacker nothing new.
    pub(crate) fn because(self, text: impl Into<String>) -> Refusal {
        let (namespace, local) = match self {
            Wrong::InvalidSecurity => (WSSE, "InvalidSecurity"),
            Wrong::UnsupportedSecurityToken => (WSSE, "UnsupportedSecurityToken"),
            Wrong::FailedAuthentication => (WSSE, "FailedAuthentication"),
            Wrong::MessageExpired => (WSU, "MessageExpired"),
        };
        let mut fault = Fault::new(Code::Sender, text);
        fault.subcodes.push(Name {
            namespace: namespace.into(),
            local: local.into(),
        });
        Refusal {
            fault: Box::new(fault),
            security: true,
        }
    }
}
