//! A type that other modules see says of what it is: `LedgerRow`, not `Row`.

use proc_macro2::Ident;
use syn::{
    Attribute, Item, Meta, Visibility,
    visit::{self, Visit},
};

use crate::{
    finding::Finding,
    syntax::{is_test, line_of, macro_paths},
};

const VAGUE: [&str; 11] =
    ["Row", "State", "Entry", "Shared", "Settings", "Model", "Outcome", "Mode", "Read", "Reading", "Reader"];

pub fn check(file: &syn::File) -> Vec<Finding> {
    let mut found = VagueTypes(Vec::new());
    found.visit_file(file);
    found.0
}

struct VagueTypes(Vec<Finding>);

impl Visit<'_> for VagueTypes {
    fn visit_item(&mut self, item: &Item) {
        if is_test(item) {
            return;
        }
        if let Some(name) = exported_type(item).filter(|name| VAGUE.iter().any(|vague| name == vague)) {
            self.0.push(Finding::new(line_of(name), format!("the type `{name}` does not say of what")));
        }
        visit::visit_item(self, item);
    }
}

fn exported_type(item: &Item) -> Option<&Ident> {
    let (visibility, name) = match item {
        Item::Enum(item) => (&item.vis, &item.ident),
        // SeaORM wants this name.
        Item::Struct(item) if item.attrs.iter().any(derives_entity) => return None,
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        Item::Union(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    (!matches!(visibility, Visibility::Inherited)).then_some(name)
}

fn derives_entity(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    macro_paths(&list.tokens).iter().any(|path| path.names.iter().any(|name| name == "DeriveEntityModel"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_types_with_vague_names_are_found() {
        let code = "pub(crate) struct Row; struct State; #[derive(DeriveEntityModel)] pub struct Model;
            pub enum Mode { A } pub struct RowId; pub type Entry = u8; mod inner { pub trait Reader {} }
            #[cfg(test)] mod tests { pub struct Row; }";
        let messages: Vec<String> =
            check(&syn::parse_file(code).unwrap()).into_iter().map(|finding| finding.message).collect();
        let names = ["Row", "Mode", "Entry", "Reader"];
        assert_eq!(messages, names.map(|name| format!("the type `{name}` does not say of what")));
    }
}
