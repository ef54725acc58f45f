//! Recipes for terms, which proptest generates and shrinks, and the languages that they use.

use proptest::prelude::*;

use super::pairs::Terms;
use crate::term::random::Language;
use crate::term::{Arena, Build, FloatFormat, ScalarSort, Sort, Symbol};

/// The choices for one term: of the operator, of the operands, and a seed of a constant.
pub type Step = (u16, [u16; 4], u64);

/// A recipe for terms.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub language: Language,
    pub steps: Vec<Step>,
    /// Seeds of the variables' values.
    pub seeds: Vec<u64>,
}

pub fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..count)
}

pub fn recipes(
    language: impl Strategy<Value = Language>,
    count: usize,
) -> impl Strategy<Value = Recipe> {
    (
        language,
        steps(count),
        prop::collection::vec(any::<u64>(), 8),
    )
        .prop_map(|(language, steps, seeds)| Recipe {
            language,
            steps,
            seeds,
        })
}

fn formats() -> impl Strategy<Value = FloatFormat> {
    use FloatFormat::{F16, F32, F64, F80, F128};
    prop::sample::select(vec![F16, F32, F64, F80, F128])
}

/// All sorts, with bit vectors of all widths.
pub fn wide() -> impl Strategy<Value = Language> {
    let widths = prop_oneof![
        prop::collection::vec(1u8..=128, 3),
        Just(vec![8, 32, 64]),
        Just(vec![1, 16, 128]),
        Just(vec![32, 31, 33]),
    ];
    (widths, prop::collection::vec(formats(), 2)).prop_map(|(widths, formats)| Language {
        arrays: vec![
            (ScalarSort::BitVec(widths[0]), ScalarSort::BitVec(widths[1])),
            (ScalarSort::Int, ScalarSort::Int),
            (ScalarSort::BitVec(widths[2]), ScalarSort::Float(formats[0])),
        ],
        widths,
        formats,
        integers: true,
    })
}

/// Bit vectors of a few bits, where random assignments cover all corner cases.
pub fn narrow() -> impl Strategy<Value = Language> {
    prop::collection::vec(1u8..=5, 2).prop_map(|widths| Language {
        arrays: vec![],
        widths,
        formats: vec![],
        integers: false,
    })
}

/// Narrow bit vectors, and arrays of them.
pub fn arrays() -> impl Strategy<Value = Language> {
    (1u8..=3, 1u8..=4).prop_map(|(index, element)| Language {
        arrays: vec![
            (ScalarSort::BitVec(index), ScalarSort::BitVec(element)),
            (ScalarSort::Int, ScalarSort::Bool),
        ],
        widths: vec![index, element],
        formats: vec![],
        integers: false,
    })
}

/// Integers.
pub fn integers() -> impl Strategy<Value = Language> {
    (1u8..=40).prop_map(|width| Language {
        arrays: vec![],
        widths: vec![width],
        formats: vec![],
        integers: true,
    })
}

/// Floats of one or two formats, and the bit vectors that convert to and from them.
pub fn floats() -> impl Strategy<Value = Language> {
    (prop::collection::vec(formats(), 1..3), 1u8..=128).prop_map(|(formats, width)| Language {
        arrays: vec![],
        widths: vec![width, formats[0].storage_bits() as u8],
        formats,
        integers: true,
    })
}

impl Recipe {
    /// Follows the recipe.
    pub fn build(&self) -> Terms {
        let mut terms = Terms {
            arena: Arena::new(),
            pairs: Vec::new(),
            variables: Vec::new(),
        };
        let language = &self.language;
        let widths = language.widths.iter().map(|width| Sort::BitVec(*width));
        let formats = language.formats.iter().map(|format| Sort::Float(*format));
        let arrays = language
            .arrays
            .iter()
            .map(|&(index, element)| Sort::Array { index, element });
        let integers = language.integers.then_some(Sort::Int);
        let modes = (!language.formats.is_empty()).then_some(Sort::BitVec(2));
        let sorts: Vec<_> = [Sort::Bool]
            .into_iter()
            .chain(modes)
            .chain(widths)
            .chain(formats)
            .chain(arrays)
            .chain(integers)
            .collect();
        for (position, sort) in sorts.into_iter().enumerate() {
            for name in ["x", "y"] {
                let symbol = Symbol::new(&format!("{name}{position}"), sort);
                terms.variables.push(symbol);
                let variable = terms.arena.variable(symbol);
                terms.push(variable, variable);
            }
        }
        for step in &self.steps {
            terms.follow(step);
        }
        terms
    }
}
