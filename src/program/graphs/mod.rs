//! Graphs of a program: edges by location ([`graph`]), calls ([`call_graph`]), nested loops ([`nesting`]), cut
//! points ([`cut_points`]), iteration orders ([`weak_order`]), the automaton with calls inlined on demand ([`inline`]); graph
//! algorithms ([`digraph`]).

pub mod call_graph;
pub mod cut_points;
pub mod digraph;
pub mod graph;
pub mod inline;
pub mod nesting;
pub mod weak_order;
