//! A function takes at most five parameters, and none of them is a tuple: the caller cannot see what is what.

use syn::{FnArg, Pat, PatType, Type};

use crate::{
    finding::Finding,
    syntax::{Function, functions, line_of},
};

/// Besides `self`.
const MOST: usize = 5;

/// Functions whose signature is ours to choose.
fn own_functions(file: &syn::File) -> impl Iterator<Item = Function<'_>> {
    functions(file).into_iter().filter(|function| !function.implements_trait)
}

fn parameters<'a>(function: &Function<'a>) -> impl Iterator<Item = &'a PatType> + use<'a> {
    function.signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    })
}

/// The parameters of a resolver are the schema's arguments and are not counted.
pub fn many(file: &syn::File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in own_functions(file).filter(|function| !function.is_resolver) {
        let count = parameters(&function).count();
        if count > MOST {
            let name = &function.signature.ident;
            findings.push(Finding::new(
                line_of(name),
                format!("`{name}` has {count} parameters; {MOST} are allowed"),
            ));
        }
    }
    findings
}

pub fn tuples(file: &syn::File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in own_functions(file) {
        let name = &function.signature.ident;
        for parameter in parameters(&function) {
            if matches!(&*parameter.pat, Pat::Tuple(_)) || is_tuple(&parameter.ty) {
                let message = format!("a parameter of `{name}` is a tuple: name its parts");
                findings.push(Finding::new(line_of(parameter), message));
            }
        }
    }
    findings
}

fn is_tuple(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Reference(reference) => is_tuple(&reference.elem),
        Type::Paren(paren) => is_tuple(&paren.elem),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixth_parameter_is_found_and_self_is_not_counted() {
        let code = "impl X { fn f(&self, a: A, b: B, c: C, d: D, e: E) {} }
            fn g(a: A, b: B, c: C, d: D, e: E, f: F) {}";
        let found = many(&syn::parse_file(code).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "`g` has 6 parameters; 5 are allowed");
    }

    #[test]
    fn the_parameters_of_a_resolver_are_not_counted() {
        let code = "#[Object] impl X { async fn f(&self, a: A, b: B, c: C, d: D, e: E, f: F) {} }
            impl X { fn g(a: A, b: B, c: C, d: D, e: E, f: F) {} }";
        let found = many(&syn::parse_file(code).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "`g` has 6 parameters; 5 are allowed");
    }

    #[test]
    fn tuple_parameters_are_found() {
        let code = "fn f((a, b): Pair) {} fn g(a: &(u8, u8)) {} fn h(a: (), b: &[(u8, u8)]) {}";
        assert_eq!(tuples(&syn::parse_file(code).unwrap()).len(), 2);
    }

    #[test]
    fn implementations_of_traits_are_not_asked() {
        let code = "impl T for X { fn f(a: A, b: B, c: C, d: D, e: E, (g, h): G) {} }";
        let file = syn::parse_file(code).unwrap();
        assert!(many(&file).is_empty() && tuples(&file).is_empty());
    }
}
