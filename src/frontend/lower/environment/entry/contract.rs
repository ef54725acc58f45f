//! What the declarations of a function say of its arguments: which are not null, and how many elements an array has.

use lang_c::ast;
use lang_c::span::Node;

use crate::lower::declarations::declarator::innermost_name;
use crate::parse::ParsedUnit;

/// What the declarations of a function say of its parameters, which are numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Contract {
    /// Pointers that are not null (`nonnull`, `[static n]`).
    pub nonnull: Vec<usize>,
    /// All pointers are not null (`nonnull` without arguments).
    pub all_nonnull: bool,
    /// A pointer, and the parameter that is at most its number of elements (`access`, `[n]`).
    pub sizes: Vec<(usize, usize)>,
}

impl Contract {
    /// Reads all declarations of the function.
    pub fn of(units: &[ParsedUnit], function: &str) -> Self {
        let mut contract = Self::default();
        for external in units.iter().flat_map(|unit| &unit.declarations) {
            match &external.node.node {
                ast::ExternalDeclaration::FunctionDefinition(found) => {
                    let found = &found.node;
                    if is_called(&found.declarator, function) {
                        contract.add(&found.specifiers, &found.declarator);
                    }
                }
                ast::ExternalDeclaration::Declaration(found) => {
                    for declared in &found.node.declarators {
                        let declarator = &declared.node.declarator;
                        if is_called(declarator, function) {
                            contract.add(&found.node.specifiers, declarator);
                        }
                    }
                }
                ast::ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        contract
    }

    fn add(
        &mut self,
        specifiers: &[Node<ast::DeclarationSpecifier>],
        declarator: &Node<ast::Declarator>,
    ) {
        for specifier in specifiers {
            if let ast::DeclarationSpecifier::Extension(extensions) = &specifier.node {
                self.add_attributes(extensions);
            }
        }
        self.add_attributes(&declarator.node.extensions);
        let parameters = parameters(declarator);
        let names: Vec<Option<&str>> = parameters.iter().map(|one| name_of(one)).collect();
        for (number, parameter) in parameters.iter().enumerate() {
            let (size, is_static) = match outermost_array(parameter) {
                Some(ast::ArraySize::VariableExpression(size)) => (size, false),
                Some(ast::ArraySize::StaticExpression(size)) => (size, true),
                _ => continue,
            };
            if is_static {
                self.nonnull.push(number);
            }
            if let ast::Expression::Identifier(name) = &size.node {
                let name = Some(name.node.name.as_str());
                let size = names.iter().position(|known| *known == name);
                self.sizes.extend(size.map(|size| (number, size)));
            }
        }
    }

    fn add_attributes(&mut self, extensions: &[Node<ast::Extension>]) {
        for extension in extensions {
            let ast::Extension::Attribute(attribute) = &extension.node else {
                continue;
            };
            let arguments: Vec<Option<usize>> = attribute.arguments.iter().map(number).collect();
            match attribute.name.node.trim_matches('_') {
                "nonnull" if arguments.is_empty() => self.all_nonnull = true,
                "nonnull" => self.nonnull.extend(arguments.into_iter().flatten()),
                "access" => {
                    if let [_, Some(array), Some(size)] = arguments[..] {
                        self.sizes.push((array, size));
                    }
                }
                _ => {}
            }
        }
    }
}

/// The outermost array that a parameter is declared as, if it is one: it is adjusted to a pointer.
pub(super) fn outermost_array(parameter: &ast::ParameterDeclaration) -> Option<&ast::ArraySize> {
    let mut declarator = parameter.declarator.as_ref()?;
    while let ast::DeclaratorKind::Declarator(inner) = &declarator.node.kind.node {
        declarator = inner;
    }
    match &declarator.node.derived.first()?.node {
        ast::DerivedDeclarator::Array(array) => Some(&array.node.size),
        _ => None,
    }
}

/// The parameters of a prototype.
pub(super) fn parameters(declarator: &Node<ast::Declarator>) -> Vec<&ast::ParameterDeclaration> {
    let mut declarator = declarator;
    while let ast::DeclaratorKind::Declarator(inner) = &declarator.node.kind.node {
        declarator = inner;
    }
    let mut derived = declarator.node.derived.iter();
    let list = derived.find_map(|derived| match &derived.node {
        ast::DerivedDeclarator::Function(function) => Some(&function.node.parameters),
        _ => None,
    });
    let list = list.into_iter().flatten();
    list.map(|parameter| &parameter.node).collect()
}

pub(super) fn name_of(parameter: &ast::ParameterDeclaration) -> Option<&str> {
    let name = innermost_name(parameter.declarator.as_ref()?)?;
    Some(&name.node.name)
}

fn is_called(declarator: &Node<ast::Declarator>, function: &str) -> bool {
    innermost_name(declarator).is_some_and(|name| name.node.name == function)
}

/// The parameter that an attribute's argument names: attributes count from 1.
fn number(argument: &Node<ast::Expression>) -> Option<usize> {
    let ast::Expression::Constant(constant) = &argument.node else {
        return None;
    };
    let ast::Constant::Integer(integer) = &constant.node else {
        return None;
    };
    integer.number.parse::<usize>().ok()?.checked_sub(1)
}
