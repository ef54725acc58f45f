//! Maps from small numbers that share what they have in common.
//!
//! An analysis keeps one map from variables to facts for each location, and most maps differ from their neighbours' in
//! one entry. These are big-endian Patricia trees (Okasaki and Gill, "Fast Mergeable Integer Maps"): a copy takes
//! constant time, a change logarithmic time, and joining two maps time proportional to where they differ, since a
//! subtree that both share is not looked at.

use std::rc::Rc;

/// A map from `u32` to `V`; cloning it takes constant time.
#[derive(Debug)]
pub struct PersistentMap<V>(Option<Rc<Node<V>>>);

#[derive(Debug)]
enum Node<V> {
    Leaf {
        key: u32,
        value: V,
    },
    /// Both subtrees agree on the bits above `bit`, which are those of `prefix`; they differ in `bit`.
    Branch {
        prefix: u32,
        bit: u32,
        zero: Rc<Node<V>>,
        one: Rc<Node<V>>,
    },
}

impl<V> Clone for PersistentMap<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V> Default for PersistentMap<V> {
    fn default() -> Self {
        Self(None)
    }
}

/// The bits of the key above `bit`.
const fn above(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}

impl<V: Clone + PartialEq> PersistentMap<V> {
    /// The empty map.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether it has no entry.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether both are the same tree: then they are equal, but equal maps need not be the same tree.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// The value of the key.
    pub fn get(&self, key: u32) -> Option<&V> {
        let mut node = self.0.as_deref()?;
        loop {
            match node {
                Node::Leaf { key: k, value } => return (*k == key).then_some(value),
                Node::Branch {
                    prefix,
                    bit,
                    zero,
                    one,
                } => {
                    if above(key, *bit) != *prefix {
                        return None;
                    }
                    node = if key & bit == 0 { zero } else { one };
                }
            }
        }
    }

    /// Sets the value of the key.
    pub fn insert(&mut self, key: u32, value: V) {
        self.0 = Some(match self.0.take() {
            None => Rc::new(Node::Leaf { key, value }),
            Some(node) => Self::insert_into(node, key, value),
        });
    }

    fn insert_into(node: Rc<Node<V>>, key: u32, value: V) -> Rc<Node<V>> {
        match &*node {
            Node::Leaf { key: k, value: v } if *k == key => {
                if *v == value {
                    node
                } else {
                    Rc::new(Node::Leaf { key, value })
                }
            }
            Node::Leaf { key: k, .. } => {
                let other = *k;
                Self::link(key, Rc::new(Node::Leaf { key, value }), other, node)
            }
            Node::Branch {
                prefix,
                bit,
                zero,
                one,
            } => {
                if above(key, *bit) != *prefix {
                    let other = *prefix;
                    return Self::link(key, Rc::new(Node::Leaf { key, value }), other, node);
                }
                let (old, is_zero) = if key & bit == 0 {
                    (zero, true)
                } else {
                    (one, false)
                };
                let new = Self::insert_into(old.clone(), key, value);
                if Rc::ptr_eq(&new, old) {
                    return node;
                }
                let (zero, one) = if is_zero {
                    (new, one.clone())
                } else {
                    (zero.clone(), new)
                };
                Self::branch(*prefix, *bit, zero, one)
            }
        }
    }

    /// The tree of two trees whose keys begin differently.
    fn link(a_prefix: u32, a: Rc<Node<V>>, b_prefix: u32, b: Rc<Node<V>>) -> Rc<Node<V>> {
        let bit = 1 << (31 - (a_prefix ^ b_prefix).leading_zeros());
        let (zero, one) = if a_prefix & bit == 0 { (a, b) } else { (b, a) };
        Self::branch(above(a_prefix, bit), bit, zero, one)
    }

    fn branch(prefix: u32, bit: u32, zero: Rc<Node<V>>, one: Rc<Node<V>>) -> Rc<Node<V>> {
        Rc::new(Node::Branch {
            prefix,
            bit,
            zero,
            one,
        })
    }

    pub fn remove(&mut self, key: u32) {
        if self.get(key).is_some() {
            self.0 = self.0.take().and_then(|node| Self::remove_from(&node, key));
        }
    }

    fn remove_from(node: &Rc<Node<V>>, key: u32) -> Option<Rc<Node<V>>> {
        match &**node {
            Node::Leaf { .. } => None,
            Node::Branch {
                prefix,
                bit,
                zero,
                one,
            } => {
                let (zero, one) = if key & bit == 0 {
                    (Self::remove_from(zero, key), Some(one.clone()))
                } else {
                    (Some(zero.clone()), Self::remove_from(one, key))
                };
                Self::maybe_branch(*prefix, *bit, zero, one)
            }
        }
    }

    fn maybe_branch(
        prefix: u32,
        bit: u32,
        zero: Option<Rc<Node<V>>>,
        one: Option<Rc<Node<V>>>,
    ) -> Option<Rc<Node<V>>> {
        match (zero, one) {
            (Some(zero), Some(one)) => Some(Self::branch(prefix, bit, zero, one)),
            (node, None) | (None, node) => node,
        }
    }

    /// All entries, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        let mut stack: Vec<&Node<V>> = self.0.as_deref().into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Node::Leaf { key, value } => return Some((*key, value)),
                    Node::Branch { zero, one, .. } => {
                        stack.push(one);
                        stack.push(zero);
                    }
                }
            }
        })
    }

    /// The entries that `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, &V) -> bool) {
        let removed: Vec<u32> = self
            .iter()
            .filter(|(key, value)| !keep(*key, value))
            .map(|(key, _)| key)
            .collect();
        for key in removed {
            self.remove(key);
        }
    }

    /// The keys that both maps have, with the value that `meet` makes of the two values, if any.
    ///
    /// `meet` must give the value back when both values are the same.
    pub fn intersect(&self, other: &Self, meet: &mut impl FnMut(u32, &V, &V) -> Option<V>) -> Self {
        Self(match (&self.0, &other.0) {
            (Some(a), Some(b)) => Self::intersect_nodes(a, b, meet),
            _ => None,
        })
    }

    fn intersect_nodes(
        a: &Rc<Node<V>>,
        b: &Rc<Node<V>>,
        meet: &mut impl FnMut(u32, &V, &V) -> Option<V>,
    ) -> Option<Rc<Node<V>>> {
        if Rc::ptr_eq(a, b) {
            return Some(a.clone());
        }
        match (&**a, &**b) {
            (Node::Leaf { key, value: left }, _) => {
                let right = Self::find(b, *key)?;
                let value = meet(*key, left, right)?;
                Some(if value == *left {
                    a.clone()
                } else {
                    Rc::new(Node::Leaf { key: *key, value })
                })
            }
            (_, Node::Leaf { key, value: right }) => {
                let left = Self::find(a, *key)?;
                let value = meet(*key, left, right)?;
                Some(if value == *right {
                    b.clone()
                } else {
                    Rc::new(Node::Leaf { key: *key, value })
                })
            }
            (
                Node::Branch {
                    prefix: p,
                    bit: m,
                    zero: a0,
                    one: a1,
                },
                Node::Branch {
                    prefix: q,
                    bit: n,
                    zero: b0,
                    one: b1,
                },
            ) => {
                if m == n && p == q {
                    let zero = Self::intersect_nodes(a0, b0, meet);
                    let one = Self::intersect_nodes(a1, b1, meet);
                    if Self::is(&zero, a0) && Self::is(&one, a1) {
                        return Some(a.clone());
                    }
                    if Self::is(&zero, b0) && Self::is(&one, b1) {
                        return Some(b.clone());
                    }
                    Self::maybe_branch(*p, *m, zero, one)
                } else if m > n && above(*q, *m) == *p {
                    Self::intersect_nodes(if q & m == 0 { a0 } else { a1 }, b, meet)
                } else if n > m && above(*p, *n) == *q {
                    Self::intersect_nodes(a, if p & n == 0 { b0 } else { b1 }, meet)
                } else {
                    None
                }
            }
        }
    }

    fn is(result: &Option<Rc<Node<V>>>, node: &Rc<Node<V>>) -> bool {
        result
            .as_ref()
            .is_some_and(|result| Rc::ptr_eq(result, node))
    }

    fn find(node: &Rc<Node<V>>, key: u32) -> Option<&V> {
        let mut node = &**node;
        loop {
            match node {
                Node::Leaf { key: k, value } => return (*k == key).then_some(value),
                Node::Branch { bit, zero, one, .. } => {
                    node = if key & bit == 0 { zero } else { one }
                }
            }
        }
    }

    /// The keys that either map has, with the value that `join` makes of what each map has.
    ///
    /// `join` must give the value back when both values are the same.
    pub fn union(
        &self,
        other: &Self,
        join: &mut impl FnMut(u32, Option<&V>, Option<&V>) -> V,
    ) -> Self {
        Self(match (&self.0, &other.0) {
            (Some(a), Some(b)) => Some(Self::union_nodes(a, b, join)),
            (Some(a), None) => Some(Self::map(a, &mut |key, value| join(key, Some(value), None))),
            (None, Some(b)) => Some(Self::map(b, &mut |key, value| join(key, None, Some(value)))),
            (None, None) => None,
        })
    }

    fn map(node: &Rc<Node<V>>, change: &mut impl FnMut(u32, &V) -> V) -> Rc<Node<V>> {
        match &**node {
            Node::Leaf { key, value } => {
                let new = change(*key, value);
                if new == *value {
                    node.clone()
                } else {
                    Rc::new(Node::Leaf {
                        key: *key,
                        value: new,
                    })
                }
            }
            Node::Branch {
                prefix,
                bit,
                zero,
                one,
            } => {
                let (new_zero, new_one) = (Self::map(zero, change), Self::map(one, change));
                if Rc::ptr_eq(&new_zero, zero) && Rc::ptr_eq(&new_one, one) {
                    node.clone()
                } else {
                    Self::branch(*prefix, *bit, new_zero, new_one)
                }
            }
        }
    }

    fn union_nodes(
        a: &Rc<Node<V>>,
        b: &Rc<Node<V>>,
        join: &mut impl FnMut(u32, Option<&V>, Option<&V>) -> V,
    ) -> Rc<Node<V>> {
        if Rc::ptr_eq(a, b) {
            return a.clone();
        }
        let (p, m) = Self::position(a);
        let (q, n) = Self::position(b);
        match (&**a, &**b) {
            (
                Node::Leaf { key, value: left },
                Node::Leaf {
                    key: other,
                    value: right,
                },
            ) if key == other => {
                let value = join(*key, Some(left), Some(right));
                if value == *left {
                    a.clone()
                } else if value == *right {
                    b.clone()
                } else {
                    Rc::new(Node::Leaf { key: *key, value })
                }
            }
            (
                Node::Branch {
                    zero: a0, one: a1, ..
                },
                Node::Branch {
                    zero: b0, one: b1, ..
                },
            ) if m == n && p == q => {
                let zero = Self::union_nodes(a0, b0, join);
                let one = Self::union_nodes(a1, b1, join);
                if Rc::ptr_eq(&zero, a0) && Rc::ptr_eq(&one, a1) {
                    a.clone()
                } else if Rc::ptr_eq(&zero, b0) && Rc::ptr_eq(&one, b1) {
                    b.clone()
                } else {
                    Self::branch(p, m, zero, one)
                }
            }
            (Node::Branch { zero, one, .. }, _) if m > n && above(q, m) == p => {
                let left = &mut |key, value: &V| join(key, Some(value), None);
                let (zero, one) = if q & m == 0 {
                    let one = Self::map(one, left);
                    (Self::union_nodes(zero, b, join), one)
                } else {
                    let zero = Self::map(zero, left);
                    (zero, Self::union_nodes(one, b, join))
                };
                Self::branch(p, m, zero, one)
            }
            (_, Node::Branch { zero, one, .. }) if n > m && above(p, n) == q => {
                let right = &mut |key, value: &V| join(key, None, Some(value));
                let (zero, one) = if p & n == 0 {
                    let one = Self::map(one, right);
                    (Self::union_nodes(a, zero, join), one)
                } else {
                    let zero = Self::map(zero, right);
                    (zero, Self::union_nodes(a, one, join))
                };
                Self::branch(q, n, zero, one)
            }
            _ => {
                let left = Self::map(a, &mut |key, value| join(key, Some(value), None));
                let right = Self::map(b, &mut |key, value| join(key, None, Some(value)));
                Self::link(p, left, q, right)
            }
        }
    }

    /// Prefix and branching bit; zero for a leaf, whose prefix is all of its key.
    fn position(node: &Node<V>) -> (u32, u32) {
        match node {
            Node::Leaf { key, .. } => (*key, 0),
            Node::Branch { prefix, bit, .. } => (*prefix, *bit),
        }
    }
}

impl<V: Clone + PartialEq> PartialEq for PersistentMap<V> {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Model = BTreeMap<u32, u8>;

    fn build(
        changes: &[(u32, Option<u8>)],
        mut map: PersistentMap<u8>,
        mut model: Model,
    ) -> (PersistentMap<u8>, Model) {
        for &(key, value) in changes {
            match value {
                Some(value) => {
                    map.insert(key, value);
                    model.insert(key, value);
                }
                None => {
                    map.remove(key);
                    model.remove(&key);
                }
            }
        }
        (map, model)
    }

    fn entries(map: &PersistentMap<u8>) -> Model {
        let list: Vec<_> = map.iter().map(|(key, value)| (key, *value)).collect();
        assert!(list.is_sorted());
        list.into_iter().collect()
    }

    fn changes() -> impl Strategy<Value = Vec<(u32, Option<u8>)>> {
        let key = prop_oneof![0u32..16, any::<u32>(), (0u32..32).prop_map(|bit| 1 << bit)];
        prop::collection::vec((key, prop::option::weighted(0.8, 0u8..4)), 0..30)
    }

    proptest! {
        #[test]
        fn agrees_with_an_ordinary_map(common in changes(), left in changes(), right in changes()) {
            let (base, model) = build(&common, PersistentMap::new(), Model::new());
            let (a, a_model) = build(&left, base.clone(), model.clone());
            let (b, b_model) = build(&right, base, model);
            prop_assert_eq!(&entries(&a), &a_model);
            for key in b_model.keys() {
                prop_assert_eq!(a.get(*key), a_model.get(key));
            }
            let meet = |x: u8, y: u8| (x == y || x + y > 3).then_some(x.max(y));
            let intersection = a.intersect(&b, &mut |_, x, y| meet(*x, *y));
            let expected: Model =
                a_model.iter().filter_map(|(k, x)| Some((*k, meet(*x, *b_model.get(k)?)?))).collect();
            prop_assert_eq!(entries(&intersection), expected);
            let join = |x: Option<&u8>, y: Option<&u8>| match (x, y) {
                (Some(x), Some(y)) => *x.max(y),
                (Some(x), None) => x + 10,
                (None, Some(y)) => y + 20,
                (None, None) => unreachable!(),
            };
            let union = a.union(&b, &mut |_, x, y| join(x, y));
            let keys = a_model.keys().chain(b_model.keys());
            let common = |k: &u32| join(a_model.get(k), b_model.get(k));
            let expected: Model = keys.map(|k| (*k, common(k))).collect();
            prop_assert_eq!(entries(&union), expected);
        }
    }
}
