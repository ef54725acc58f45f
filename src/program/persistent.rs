//! Persistent maps with integer keys, which share common subtrees.
//!
//! An analysis keeps one map from variables to facts for each location, and most maps differ from those of neighbouring
//! locations in one entry. These are big-endian Patricia trees (Okasaki and Gill, "Fast Mergeable Integer Maps"): a copy
//! takes constant time, a change logarithmic time, and joining two maps time proportional to their difference, since
//! shared subtrees are skipped.

use std::rc::Rc;

/// A map from `u32` to `V`; cloning it takes constant time.
#[derive(Debug)]
pub struct PersistentMap<V>(Option<Rc<Node<V>>>);

#[derive(Debug)]
enum Node<V> {
    Leaf(u32, V),
    Branch(Branch<V>),
}

/// Both subtrees agree on the bits above `bit`, which are those of `prefix`; they differ in `bit`.
#[derive(Debug)]
struct Branch<V> {
    prefix: u32,
    bit: u32,
    zero: Rc<Node<V>>,
    one: Rc<Node<V>>,
}

impl<V> Branch<V> {
    /// The subtree that contains the key if any does.
    fn child(&self, key: u32) -> &Rc<Node<V>> {
        if key & self.bit == 0 {
            &self.zero
        } else {
            &self.one
        }
    }

    /// Whether the key, or the prefix of another tree, belongs below.
    fn covers(&self, key: u32) -> bool {
        above(key, self.bit) == self.prefix
    }

    /// Whether these are the branch's subtrees.
    fn has(&self, zero: &Rc<Node<V>>, one: &Rc<Node<V>>) -> bool {
        Rc::ptr_eq(zero, &self.zero) && Rc::ptr_eq(one, &self.one)
    }

    /// The keys, which ascend, that may be in the subtree `zero`, and those that may be in `one`.
    fn divided<'k>(&self, keys: &'k [u32]) -> [&'k [u32]; 2] {
        let last = self.prefix | self.bit | (self.bit - 1);
        let from = keys.partition_point(|&key| key < self.prefix);
        let to = keys.partition_point(|&key| key <= last);
        let inside = &keys[from..to];
        let middle = inside.partition_point(|&key| key & self.bit == 0);
        [&inside[..middle], &inside[middle..]]
    }

    /// The tree with other subtrees; `node`, which is this branch, if they are the same.
    fn with(&self, node: &Rc<Node<V>>, zero: Rc<Node<V>>, one: Rc<Node<V>>) -> Rc<Node<V>> {
        if self.has(&zero, &one) {
            return node.clone();
        }
        Node::branch(self.prefix, self.bit, zero, one)
    }
}

impl<V> Node<V> {
    fn branch(prefix: u32, bit: u32, zero: Rc<Self>, one: Rc<Self>) -> Rc<Self> {
        Rc::new(Self::Branch(Branch {
            prefix,
            bit,
            zero,
            one,
        }))
    }

    /// Prefix and branching bit; zero for a leaf, whose prefix is all of its key.
    fn position(&self) -> (u32, u32) {
        match self {
            Self::Leaf(key, _) => (*key, 0),
            Self::Branch(branch) => (branch.prefix, branch.bit),
        }
    }
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

    /// Whether both have the same entries. Shared subtrees are skipped.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let mut agrees = true;
        self.for_each_difference(other, &mut |_, a, b| agrees &= a == b);
        agrees
    }

    /// The value of the key.
    pub fn get(&self, key: u32) -> Option<&V> {
        Self::find(self.0.as_deref()?, key)
    }

    fn find(mut node: &Node<V>, key: u32) -> Option<&V> {
        loop {
            match node {
                Node::Leaf(own, value) => return (*own == key).then_some(value),
                Node::Branch(branch) if branch.covers(key) => node = branch.child(key),
                Node::Branch(_) => return None,
            }
        }
    }

    /// Sets the value of the key.
    pub fn insert(&mut self, key: u32, value: V) {
        self.0 = Some(match self.0.take() {
            None => Rc::new(Node::Leaf(key, value)),
            Some(node) => Self::insert_into(node, key, value),
        });
    }

    fn insert_into(node: Rc<Node<V>>, key: u32, value: V) -> Rc<Node<V>> {
        match &*node {
            Node::Leaf(own, old) if *own == key => match *old == value {
                true => node,
                false => Rc::new(Node::Leaf(key, value)),
            },
            Node::Branch(branch) if branch.covers(key) => {
                let new = Self::insert_into(branch.child(key).clone(), key, value);
                match key & branch.bit {
                    0 => branch.with(&node, new, branch.one.clone()),
                    _ => branch.with(&node, branch.zero.clone(), new),
                }
            }
            _ => {
                let (prefix, _) = node.position();
                Self::link(key, Rc::new(Node::Leaf(key, value)), prefix, node)
            }
        }
    }

    /// Joins two trees with different prefixes, neither of which contains the other.
    fn link(a_prefix: u32, a: Rc<Node<V>>, b_prefix: u32, b: Rc<Node<V>>) -> Rc<Node<V>> {
        let bit = 1 << (31 - (a_prefix ^ b_prefix).leading_zeros());
        let (zero, one) = if a_prefix & bit == 0 { (a, b) } else { (b, a) };
        Node::branch(above(a_prefix, bit), bit, zero, one)
    }

    pub fn remove(&mut self, key: u32) {
        if self.get(key).is_some() {
            self.0 = self.0.take().and_then(|node| Self::remove_from(&node, key));
        }
    }

    fn remove_from(node: &Rc<Node<V>>, key: u32) -> Option<Rc<Node<V>>> {
        let Node::Branch(branch) = &**node else {
            return None;
        };
        let rest = Self::remove_from(branch.child(key), key);
        match key & branch.bit {
            0 => Self::joined(branch, rest, Some(branch.one.clone())),
            _ => Self::joined(branch, Some(branch.zero.clone()), rest),
        }
    }

    /// The branch with other subtrees, of which one may be empty.
    fn joined(
        branch: &Branch<V>,
        zero: Option<Rc<Node<V>>>,
        one: Option<Rc<Node<V>>>,
    ) -> Option<Rc<Node<V>>> {
        match (zero, one) {
            (Some(zero), Some(one)) => Some(Node::branch(branch.prefix, branch.bit, zero, one)),
            (node, None) | (None, node) => node,
        }
    }

    /// All entries, by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        let mut stack: Vec<&Node<V>> = self.0.as_deref().into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Node::Leaf(key, value) => return Some((*key, value)),
                    Node::Branch(branch) => stack.extend([&*branch.one, &*branch.zero]),
                }
            }
        })
    }

    /// Removes the entries that `keep` rejects. Subtrees that are kept as a whole stay as they are.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, &V) -> bool) {
        self.0 = self
            .0
            .take()
            .and_then(|node| Self::retain_in(&node, &mut keep));
    }

    fn retain_in(
        node: &Rc<Node<V>>,
        keep: &mut impl FnMut(u32, &V) -> bool,
    ) -> Option<Rc<Node<V>>> {
        match &**node {
            Node::Leaf(key, value) => keep(*key, value).then(|| node.clone()),
            Node::Branch(branch) => {
                let zero = Self::retain_in(&branch.zero, keep);
                match (zero, Self::retain_in(&branch.one, keep)) {
                    (Some(zero), Some(one)) => Some(branch.with(node, zero, one)),
                    (rest, None) | (None, rest) => rest,
                }
            }
        }
    }

    /// The entries with these keys, which ascend. Subtrees that are kept as a whole are shared.
    pub fn restricted(&self, keys: &[u32]) -> Self {
        Self(self.0.as_ref().and_then(|node| Self::restrict(node, keys)))
    }

    fn restrict(node: &Rc<Node<V>>, keys: &[u32]) -> Option<Rc<Node<V>>> {
        match &**node {
            Node::Leaf(key, _) => keys.binary_search(key).is_ok().then(|| node.clone()),
            Node::Branch(branch) => {
                let [zero, one] = branch.divided(keys);
                if zero.is_empty() && one.is_empty() {
                    return None;
                }
                let zero = Self::restrict(&branch.zero, zero);
                let one = Self::restrict(&branch.one, one);
                match (zero, one) {
                    (Some(zero), Some(one)) => Some(branch.with(node, zero, one)),
                    (rest, None) | (None, rest) => rest,
                }
            }
        }
    }

    /// The map with the entries of `other` for these keys, which ascend, and its own entries for all other keys.
    pub fn replaced(&self, other: &Self, keys: &[u32]) -> Self {
        Self(Self::replace(self.0.as_ref(), other.0.as_ref(), keys))
    }

    fn replace(
        own: Option<&Rc<Node<V>>>,
        other: Option<&Rc<Node<V>>>,
        keys: &[u32],
    ) -> Option<Rc<Node<V>>> {
        if keys.is_empty() {
            return own.cloned();
        }
        let (a, b) = match (own, other) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) => return Self::without(a, keys),
            (None, other) => return Self::restrict(other?, keys),
        };
        if Rc::ptr_eq(a, b) {
            return Some(a.clone());
        }
        match (&**a, &**b) {
            (Node::Branch(left), Node::Branch(right)) if a.position() == b.position() => {
                let [of_zero, of_one] = left.divided(keys);
                let zero = Self::replace(Some(&left.zero), Some(&right.zero), of_zero);
                let one = Self::replace(Some(&left.one), Some(&right.one), of_one);
                match (zero, one) {
                    (Some(zero), Some(one)) => match right.has(&zero, &one) {
                        true => Some(b.clone()),
                        false => Some(left.with(a, zero, one)),
                    },
                    (rest, None) | (None, rest) => rest,
                }
            }
            (Node::Branch(left), _) if left.bit > b.position().1 && left.covers(b.position().0) => {
                let [of_zero, of_one] = left.divided(keys);
                let (zero, one) = match b.position().0 & left.bit {
                    0 => (
                        Self::replace(Some(&left.zero), Some(b), of_zero),
                        Self::without(&left.one, of_one),
                    ),
                    _ => (
                        Self::without(&left.zero, of_zero),
                        Self::replace(Some(&left.one), Some(b), of_one),
                    ),
                };
                match (zero, one) {
                    (Some(zero), Some(one)) => Some(left.with(a, zero, one)),
                    (rest, None) | (None, rest) => rest,
                }
            }
            _ => {
                let mut result = Self(Self::without(a, keys));
                let added = Self(Self::restrict(b, keys));
                for (key, value) in added.iter() {
                    result.insert(key, value.clone());
                }
                result.0
            }
        }
    }

    /// The tree without these keys, which ascend.
    fn without(node: &Rc<Node<V>>, keys: &[u32]) -> Option<Rc<Node<V>>> {
        if keys.is_empty() {
            return Some(node.clone());
        }
        match &**node {
            Node::Leaf(key, _) => keys.binary_search(key).is_err().then(|| node.clone()),
            Node::Branch(branch) => {
                let [of_zero, of_one] = branch.divided(keys);
                let zero = Self::without(&branch.zero, of_zero);
                let one = Self::without(&branch.one, of_one);
                match (zero, one) {
                    (Some(zero), Some(one)) => Some(branch.with(node, zero, one)),
                    (rest, None) | (None, rest) => rest,
                }
            }
        }
    }

    /// The keys that both maps have, with the value that `meet` computes from the two values, if any.
    ///
    /// `meet` must be idempotent: of two equal values it returns the value.
    pub(crate) fn intersect(
        &self,
        other: &Self,
        meet: &mut impl FnMut(u32, &V, &V) -> Option<V>,
    ) -> Self {
        Self(match (&self.0, &other.0) {
            (Some(a), Some(b)) => Self::intersect_nodes(a, b, meet),
            _ => None,
        })
    }

    /// [`Self::intersect`] with `other`, of a map that has been intersected with `last` before: only keys whose values in
    /// `last` and `other` differ are looked at. A value that `meet` has computed must not change where it meets one of those
    /// that it was computed from.
    pub(crate) fn intersect_changes(
        &self,
        last: &Self,
        other: &Self,
        meet: &mut impl FnMut(u32, &V, &V) -> Option<V>,
    ) -> Self {
        Self(match (&self.0, &last.0, &other.0) {
            (Some(own), Some(last), Some(other)) => {
                Self::intersect_changed_nodes(own, last, other, meet)
            }
            _ => self.intersect_differences(last, other, meet).0,
        })
    }

    fn intersect_changed_nodes(
        own: &Rc<Node<V>>,
        last: &Rc<Node<V>>,
        other: &Rc<Node<V>>,
        meet: &mut impl FnMut(u32, &V, &V) -> Option<V>,
    ) -> Option<Rc<Node<V>>> {
        if Rc::ptr_eq(last, other) {
            return Some(own.clone());
        }
        if let (Node::Branch(a), Node::Branch(b), Node::Branch(c)) = (&**own, &**last, &**other)
            && own.position() == last.position()
            && own.position() == other.position()
        {
            let zero = Self::intersect_changed_nodes(&a.zero, &b.zero, &c.zero, meet);
            let one = Self::intersect_changed_nodes(&a.one, &b.one, &c.one, meet);
            if Self::is(&zero, &a.zero) && Self::is(&one, &a.one) {
                return Some(own.clone());
            }
            return Self::joined(a, zero, one);
        }
        let [own, last, other] = [own, last, other].map(|node| Self(Some(node.clone())));
        own.intersect_differences(&last, &other, meet).0
    }

    /// [`Self::intersect_changes`], one key after the other.
    fn intersect_differences(
        &self,
        last: &Self,
        other: &Self,
        meet: &mut impl FnMut(u32, &V, &V) -> Option<V>,
    ) -> Self {
        let mut result = self.clone();
        last.for_each_difference(other, &mut |key, _, value| {
            let Some(own) = self.get(key) else {
                return;
            };
            match value.and_then(|value| meet(key, own, value)) {
                Some(value) => result.insert(key, value),
                None => result.remove(key),
            }
        });
        result
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
            (Node::Leaf(key, left), _) => {
                let right = Self::find(b, *key)?;
                Some(Self::changed(a, meet(*key, left, right)?))
            }
            (_, Node::Leaf(key, right)) => {
                let left = Self::find(a, *key)?;
                Some(Self::changed(b, meet(*key, left, right)?))
            }
            (Node::Branch(left), Node::Branch(right)) => {
                if left.bit == right.bit && left.prefix == right.prefix {
                    let zero = Self::intersect_nodes(&left.zero, &right.zero, meet);
                    let one = Self::intersect_nodes(&left.one, &right.one, meet);
                    for (node, branch) in [(a, left), (b, right)] {
                        if Self::is(&zero, &branch.zero) && Self::is(&one, &branch.one) {
                            return Some(node.clone());
                        }
                    }
                    Self::joined(left, zero, one)
                } else if left.bit > right.bit && left.covers(right.prefix) {
                    Self::intersect_nodes(left.child(right.prefix), b, meet)
                } else if right.bit > left.bit && right.covers(left.prefix) {
                    Self::intersect_nodes(a, right.child(left.prefix), meet)
                } else {
                    None
                }
            }
        }
    }

    /// The leaf with another value; the same leaf if the value is equal.
    fn changed(leaf: &Rc<Node<V>>, value: V) -> Rc<Node<V>> {
        match &**leaf {
            Node::Leaf(key, old) if *old != value => Rc::new(Node::Leaf(*key, value)),
            _ => leaf.clone(),
        }
    }

    fn is(result: &Option<Rc<Node<V>>>, node: &Rc<Node<V>>) -> bool {
        result
            .as_ref()
            .is_some_and(|result| Rc::ptr_eq(result, node))
    }

    /// Calls `found` with each key whose values in the two maps may differ, and with these values. Shared subtrees are
    /// skipped.
    pub fn for_each_difference<'m>(
        &'m self,
        other: &'m Self,
        found: &mut impl FnMut(u32, Option<&'m V>, Option<&'m V>),
    ) {
        if self.same(other) {
            return;
        }
        let mut work = vec![(self.0.as_ref(), other.0.as_ref())];
        while let Some(pair) = work.pop() {
            let (a, b) = match pair {
                (Some(a), Some(b)) if !Rc::ptr_eq(a, b) => (a, b),
                (None, None) | (Some(_), Some(_)) => continue,
                (Some(node), None) | (None, Some(node)) => {
                    let is_first = pair.0.is_some();
                    match &**node {
                        Node::Leaf(key, value) if is_first => found(*key, Some(value), None),
                        Node::Leaf(key, value) => found(*key, None, Some(value)),
                        Node::Branch(branch) => {
                            for child in [&branch.zero, &branch.one] {
                                work.push(match is_first {
                                    true => (Some(child), None),
                                    false => (None, Some(child)),
                                });
                            }
                        }
                    }
                    continue;
                }
            };
            let ((p, m), (q, n)) = (a.position(), b.position());
            match (&**a, &**b) {
                (Node::Leaf(key, left), Node::Leaf(other, right)) if key == other => {
                    found(*key, Some(left), Some(right));
                }
                (Node::Branch(left), Node::Branch(right)) if m == n && p == q => {
                    work.push((Some(&left.zero), Some(&right.zero)));
                    work.push((Some(&left.one), Some(&right.one)));
                }
                (Node::Branch(left), _) if m > n && left.covers(q) => {
                    let (below, beside) = match q & m {
                        0 => (&left.zero, &left.one),
                        _ => (&left.one, &left.zero),
                    };
                    work.extend([(Some(below), Some(b)), (Some(beside), None)]);
                }
                (_, Node::Branch(right)) if n > m && right.covers(p) => {
                    let (below, beside) = match p & n {
                        0 => (&right.zero, &right.one),
                        _ => (&right.one, &right.zero),
                    };
                    work.extend([(Some(a), Some(below)), (None, Some(beside))]);
                }
                _ => work.extend([(Some(a), None), (None, Some(b))]),
            }
        }
    }

    /// The keys of both maps, with the value that `join` computes from the value in each map, if any.
    ///
    /// `join` must be idempotent: of two equal values it returns the value.
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
            Node::Leaf(key, value) => Self::changed(node, change(*key, value)),
            Node::Branch(branch) => {
                let zero = Self::map(&branch.zero, change);
                branch.with(node, zero, Self::map(&branch.one, change))
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
        let ((p, m), (q, n)) = (a.position(), b.position());
        match (&**a, &**b) {
            (Node::Leaf(key, left), Node::Leaf(other, right)) if key == other => {
                let value = join(*key, Some(left), Some(right));
                let node = if value == *left { a } else { b };
                Self::changed(node, value)
            }
            (Node::Branch(left), Node::Branch(right)) if m == n && p == q => {
                let zero = Self::union_nodes(&left.zero, &right.zero, join);
                let one = Self::union_nodes(&left.one, &right.one, join);
                if Rc::ptr_eq(&zero, &right.zero) && Rc::ptr_eq(&one, &right.one) {
                    let same = Rc::ptr_eq(&zero, &left.zero) && Rc::ptr_eq(&one, &left.one);
                    return if same { a.clone() } else { b.clone() };
                }
                left.with(a, zero, one)
            }
            (Node::Branch(left), _) if m > n && left.covers(q) => {
                let alone = &mut |key, value: &V| join(key, Some(value), None);
                let (zero, one) = if q & m == 0 {
                    let one = Self::map(&left.one, alone);
                    (Self::union_nodes(&left.zero, b, join), one)
                } else {
                    let zero = Self::map(&left.zero, alone);
                    (zero, Self::union_nodes(&left.one, b, join))
                };
                Node::branch(p, m, zero, one)
            }
            (_, Node::Branch(right)) if n > m && right.covers(p) => {
                let alone = &mut |key, value: &V| join(key, None, Some(value));
                let (zero, one) = if p & n == 0 {
                    let one = Self::map(&right.one, alone);
                    (Self::union_nodes(a, &right.zero, join), one)
                } else {
                    let zero = Self::map(&right.zero, alone);
                    (zero, Self::union_nodes(a, &right.one, join))
                };
                Node::branch(q, n, zero, one)
            }
            _ => {
                let left = Self::map(a, &mut |key, value| join(key, Some(value), None));
                let right = Self::map(b, &mut |key, value| join(key, None, Some(value)));
                Self::link(p, left, q, right)
            }
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
    use std::collections::{BTreeMap, BTreeSet};

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
        fn agrees_with_an_ordinary_map(common in changes(), left in changes(), right in changes(), more in changes()) {
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
            let (later, _) = build(&more, b.clone(), Model::new());
            let mut most = |_: u32, x: &u8, y: &u8| Some(*x.max(y));
            let met = a.intersect(&b, &mut most);
            let (whole, changes) =
                (met.intersect(&later, &mut most), met.intersect_changes(&b, &later, &mut most));
            prop_assert_eq!(entries(&changes), entries(&whole));
            let join = |x: Option<&u8>, y: Option<&u8>| match (x, y) {
                (Some(x), Some(y)) => *x.max(y),
                (Some(x), None) => x + 10,
                (None, Some(y)) => y + 20,
                (None, None) => unreachable!(),
            };
            let keys: BTreeSet<u32> = b_model.keys().copied().step_by(2).chain([3, 1 << 30]).collect();
            let keys: Vec<u32> = keys.into_iter().collect();
            let has = |k: &u32| keys.binary_search(k).is_ok();
            let expected: Model = a_model.iter().filter(|(k, _)| has(k)).map(|(k, v)| (*k, *v)).collect();
            prop_assert_eq!(entries(&a.restricted(&keys)), expected);
            let mut retained = a.clone();
            retained.retain(|key, value| has(&key) && *value > 0);
            let kept: Model =
                a_model.iter().filter(|(k, v)| has(k) && **v > 0).map(|(k, v)| (*k, *v)).collect();
            prop_assert_eq!(entries(&retained), kept);
            let before = retained.clone();
            retained.retain(|_, _| true);
            prop_assert!(retained.same(&before), "what is kept is shared");
            let all: Vec<u32> = a_model.keys().copied().collect();
            prop_assert!(a.restricted(&all).same(&a), "what is kept is shared");
            let mut expected: Model = a_model.iter().filter(|(k, _)| !has(k)).map(|(k, v)| (*k, *v)).collect();
            expected.extend(b_model.iter().filter(|(k, _)| has(k)).map(|(k, v)| (*k, *v)));
            prop_assert_eq!(entries(&a.replaced(&b, &keys)), expected);
            let mut differences = Vec::new();
            a.for_each_difference(&b, &mut |key, x, y| differences.push((key, x.copied(), y.copied())));
            differences.retain(|(_, x, y)| x != y);
            prop_assert_eq!(a.agrees(&b), differences.is_empty());
            differences.sort_unstable();
            let keys: BTreeSet<u32> =
                a_model.keys().chain(b_model.keys()).copied().collect();
            let of = |model: &Model, key| model.get(&key).copied();
            let expected = keys.into_iter().map(|key| (key, of(&a_model, key), of(&b_model, key)));
            prop_assert_eq!(differences, expected.filter(|(_, x, y)| x != y).collect::<Vec<_>>());
            let union = a.union(&b, &mut |_, x, y| join(x, y));
            let keys = a_model.keys().chain(b_model.keys());
            let common = |k: &u32| join(a_model.get(k), b_model.get(k));
            let expected: Model = keys.map(|k| (*k, common(k))).collect();
            prop_assert_eq!(entries(&union), expected);
        }
    }
}
