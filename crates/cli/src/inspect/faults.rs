//! The declared faults of an operation: their names, what they hold, and the elements of those that are called
//! otherwise.

use std::fmt::Write;

use castile_contract::{FaultDecl, Operation};
use castile_plan::Types;

use super::text::{BOLD, DIM};

pub(super) fn table(types: &Types, operation: &Operation, out: &mut String) {
    let _ = writeln!(out, "  {BOLD}faults{BOLD:#}");
    let rows: Vec<(&FaultDecl, String)> = operation
        .faults
        .iter()
        .map(|fault| (fault, ty(types, operation, fault).unwrap_or_default()))
        .collect();
    let widest = |width: fn(&(&FaultDecl, String)) -> usize| rows.iter().map(width).max().unwrap_or(0);
    let name_width = widest(|(fault, _)| fault.name.chars().count());
    let type_width = widest(|(_, ty)| ty.chars().count());
    for (fault, ty) in &rows {
        let local = fault.element.rsplit_once('}');
        let local = local.map_or(&*fault.element, |(_, local)| local);
        let element = match local == fault.name {
            true => String::new(),
            false => format!("{DIM}element {}{DIM:#}", fault.element),
        };
        let line = format!("    {:name_width$}  {ty:type_width$}  {element}", fault.name);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// What a fault's element holds.
pub(super) fn ty(types: &Types, operation: &Operation, fault: &FaultDecl) -> Option<String> {
    let field = operation.fault_field(types, fault)?;
    Some(types.type_label(field.ty))
}
