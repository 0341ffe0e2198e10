//! Measuring: the heavy driver ([`check`]) and the light one ([`time`]), the sessions of engines that both use
//! ([`session`]), what a cell sends and expects ([`material`]), applications as a whole ([`application`]), and what the machine could do ([`limit`]).

pub(crate) mod application;
pub(crate) mod check;
pub(crate) mod coldstart;
pub(crate) mod limit;
pub(crate) mod material;
pub(crate) mod session;
pub(crate) mod time;

pub(crate) use material::Material;
pub(crate) use session::Session;
