//! The engines that there are.

use std::ops::{Deref, DerefMut};

use super::engine::Engine;
use super::{
    bmc, boxes, ctigar, data_flow, exhaustive, fits, horn, impact, k_induction, objects,
    polynomials, predicate, predicate_abstraction, simulate, spacer, states, summaries, ufo,
    unwind,
};

/// Declares the engines by their options.
macro_rules! engines {
    ($($Variant:ident($Options:ty);)+) => {
        /// One of the engines, with its options.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyEngine {
            $( $Variant($Options), )+
        }

        impl AnyEngine {
            /// Returns all engines, with default options.
            pub fn all() -> Vec<Self> {
                vec![$( Self::$Variant(<$Options>::default()), )+]
            }
        }

        impl Deref for AnyEngine {
            type Target = dyn Engine;

            fn deref(&self) -> &Self::Target {
                match self {
                    $( Self::$Variant(options) => options, )+
                }
            }
        }

        impl DerefMut for AnyEngine {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $( Self::$Variant(options) => options, )+
                }
            }
        }
    };
}

engines! {
    Simulation(simulate::Options);
    Exhaustive(exhaustive::Options);
    Bmc(bmc::Options);
    Unwind(unwind::Options);
    Boxes(boxes::Options);
    KInduction(k_induction::Options);
    DataFlow(data_flow::Options);
    States(states::Options);
    Polynomials(polynomials::Options);
    Fits(fits::Options);
    Objects(objects::Options);
    Ctigar(ctigar::Options);
    PredicateAbstraction(predicate_abstraction::Options);
    Impact(impact::Options);
    Ufo(ufo::Options);
    Predicate(predicate::Options);
    Horn(horn::Options);
    Summaries(summaries::Options);
    Spacer(spacer::Options);
}

impl AnyEngine {
    /// Returns the names in portfolio files.
    pub fn names() -> Vec<&'static str> {
        let all = Self::all();
        all.iter().map(|one| one.registration().name).collect()
    }

    /// Returns the engine with the name, with default options.
    pub fn by_name(name: &str) -> Option<Self> {
        let mut all = Self::all().into_iter();
        all.find(|one| one.registration().name == name)
    }
}
