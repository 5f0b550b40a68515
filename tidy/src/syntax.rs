//! What several checks ask of Rust syntax.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{
    Attribute, Block, Item, Meta, Signature,
    spanned::Spanned,
    visit::{self, Visit},
};

pub fn line_of(node: &impl Spanned) -> usize {
    node.span().start().line
}

/// Whether an item is compiled for unit tests only.
pub fn is_test(item: &Item) -> bool {
    attributes(item).iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let words: Vec<String> =
                macro_paths(&list.tokens).into_iter().flat_map(|path| path.names).collect();
            words.iter().any(|word| word == "test") && words.iter().all(|word| word != "not")
        }
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item defines.
pub fn item_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// A function, wherever it stands.
pub struct Function<'a> {
    pub signature: &'a Signature,
    pub body: Option<&'a Block>,
    /// Its signature is then not ours to choose.
    pub implements_trait: bool,
    /// Its parameters are then the arguments of a field of the GraphQL schema.
    pub is_resolver: bool,
}

pub fn functions(file: &syn::File) -> Vec<Function<'_>> {
    let mut collector = Functions { found: Vec::new(), in_trait_impl: false, in_schema_impl: false };
    collector.visit_file(file);
    collector.found
}

struct Functions<'a> {
    found: Vec<Function<'a>>,
    in_trait_impl: bool,
    in_schema_impl: bool,
}

/// Whether an `impl` block holds the resolvers of a GraphQL type.
fn holds_resolvers(item: &syn::ItemImpl) -> bool {
    item.attrs.iter().filter_map(|attribute| attribute.path().segments.last()).any(|macro_name| {
        ["Object", "Subscription", "ComplexObject"].iter().any(|name| macro_name.ident == name)
    })
}

impl<'a> Visit<'a> for Functions<'a> {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.found.push(Function {
            signature: &item.sig,
            body: Some(&item.block),
            implements_trait: false,
            is_resolver: false,
        });
        visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let in_outer_trait = std::mem::replace(&mut self.in_trait_impl, item.trait_.is_some());
        let in_outer_schema = std::mem::replace(&mut self.in_schema_impl, holds_resolvers(item));
        visit::visit_item_impl(self, item);
        self.in_trait_impl = in_outer_trait;
        self.in_schema_impl = in_outer_schema;
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.found.push(Function {
            signature: &item.sig,
            body: Some(&item.block),
            implements_trait: self.in_trait_impl,
            is_resolver: self.in_schema_impl,
        });
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.found.push(Function {
            signature: &item.sig,
            body: item.default.as_ref(),
            implements_trait: false,
            is_resolver: false,
        });
        visit::visit_trait_item_fn(self, item);
    }
}

/// An identifier or an `a::b` path in a macro's tokens.
pub struct MacroPath {
    pub names: Vec<String>,
    pub line: usize,
    /// Whether a group in parentheses or the like follows.
    pub called: bool,
}

impl MacroPath {
    fn new(name: impl ToString, span: Span) -> Self {
        Self { names: vec![name.to_string()], line: span.start().line, called: false }
    }
}

/// The paths in a macro's tokens, with those in nested groups and those that format strings capture.
pub fn macro_paths(tokens: &TokenStream) -> Vec<MacroPath> {
    let mut paths: Vec<MacroPath> = Vec::new();
    let mut colons = 0;
    let mut after_path = false;
    for token in tokens.clone() {
        let colons_before = std::mem::take(&mut colons);
        let after_path_before = std::mem::take(&mut after_path);
        match token {
            TokenTree::Ident(ident) => {
                match paths.last_mut() {
                    Some(path) if colons_before == 2 => path.names.push(ident.to_string()),
                    _ => paths.push(MacroPath::new(&ident, ident.span())),
                }
                after_path = true;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons = colons_before + 1,
            TokenTree::Punct(_) => {}
            TokenTree::Group(group) => {
                if let Some(path) = paths.last_mut().filter(|_| after_path_before) {
                    path.called = true;
                }
                paths.extend(macro_paths(&group.stream()));
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let names = text.split('{').skip(1).filter_map(|rest| rest.split([':', '}']).next());
                let names = names.filter(|name| name.starts_with(|c: char| c.is_lowercase() || c == '_'));
                paths.extend(names.map(|name| MacroPath::new(name, literal.span())));
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_paths_are_found_in_groups_and_format_strings() {
        let tokens: TokenStream = "a::b(c, [crate::d::e]), f : g \"{h:?} {} {\"".parse().unwrap();
        let found = macro_paths(&tokens);
        let paths: Vec<String> = found.iter().map(|path| path.names.join("::")).collect();
        assert_eq!(paths, ["a::b", "c", "crate::d::e", "f", "g", "h"]);
        let called: Vec<bool> = found.iter().map(|path| path.called).collect();
        assert_eq!(called, [true, false, false, false, false, false]);
    }

    #[test]
    fn functions_in_impls_and_functions_are_found() {
        let file = "fn a() { fn b() {} } impl T for X { fn c() {} } impl X { fn d() {} } trait T { fn e(); }";
        let file = syn::parse_file(file).unwrap();
        let names: Vec<_> = functions(&file)
            .iter()
            .map(|function| (function.signature.ident.to_string(), function.implements_trait))
            .collect();
        let expected = [("a", false), ("b", false), ("c", true), ("d", false), ("e", false)];
        assert_eq!(names, expected.map(|(name, in_impl)| (name.to_owned(), in_impl)));
    }

    #[test]
    fn resolvers_are_told_from_other_functions() {
        let file =
            "#[Object] impl X { fn a() { fn b() {} } } #[async_graphql::Subscription(x)] impl Y { fn c() {} }
            #[ComplexObject] impl X { fn d() {} } impl X { fn e() {} } #[derive(Object)] struct Z; fn f() {}";
        let file = syn::parse_file(file).unwrap();
        let resolvers: Vec<String> = functions(&file)
            .iter()
            .filter(|function| function.is_resolver)
            .map(|function| function.signature.ident.to_string())
            .collect();
        assert_eq!(resolvers, ["a", "c", "d"]);
    }
}
