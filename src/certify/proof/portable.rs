//! Proofs and the checker's replies as bytes, for a checker in another process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::certificate::Certificate;
use crate::check::{Check, FactNumbers};
use crate::opinion::Opinion;
use crate::verification_conditions::{Destination, Written};
use regatta_program::TargetSet;
use regatta_term::{Exporter, PortableTerms, store};

/// A proof to be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The proof.
    pub certificate: Certificate,
    /// Maximum wall time of the check.
    pub time: Duration,
    /// Number of additional threads.
    pub helpers: usize,
    /// Where the verification conditions are to be written, if at all.
    pub record: Option<Destination>,
}

/// The checker's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The result of the check.
    pub check: Check,
    /// The second opinion, if it was requested.
    pub opinion: Option<Opinion>,
    /// The numbers of files written or the failure, if recording was requested.
    pub written: Option<Result<Written, String>>,
    /// The facts of the simplifier that were confirmed.
    pub facts: FactNumbers,
    /// Where the proof is not confirmed, the targets of its certificate that it excludes all the same.
    pub excluded: TargetSet,
}

/// A request without the shared store. A formula is an index into the list of terms.
#[derive(Serialize, Deserialize)]
struct PortableRequest {
    terms: PortableTerms,
    certificate: Certificate<u32>,
    time: Duration,
    helpers: usize,
    record: Option<Destination>,
}

/// The error for bytes that are no message.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof or the answer was not understood")]
pub struct NotUnderstood;

impl Request {
    /// Encodes the request for another process.
    ///
    /// # Errors
    /// None are expected.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NotUnderstood> {
        let mut exporter = Exporter::default();
        let certificate = self
            .certificate
            .try_map(|&formula| Some(exporter.add(store(), formula)))
            .ok_or(NotUnderstood)?;
        let request = PortableRequest {
            certificate,
            terms: exporter.take(),
            time: self.time,
            helpers: self.helpers,
            record: self.record.clone(),
        };
        postcard::to_stdvec(&request).map_err(|_| NotUnderstood)
    }

    /// Decodes a request from another process and adds its terms to the shared store.
    ///
    /// # Errors
    /// When the bytes are no request.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotUnderstood> {
        let request: PortableRequest = postcard::from_bytes(bytes).map_err(|_| NotUnderstood)?;
        let terms = request.terms.import(store()).ok_or(NotUnderstood)?;
        let certificate = request
            .certificate
            .try_map(|&place| terms.get(place as usize).copied());
        Ok(Self {
            certificate: certificate.ok_or(NotUnderstood)?,
            time: request.time,
            helpers: request.helpers,
            record: request.record,
        })
    }
}

/// A reply, or why there is none.
pub type Answer = Result<Reply, String>;

/// Encodes an answer for another process.
///
/// # Errors
/// None are expected.
pub fn answer_to_bytes(answer: &Answer) -> Result<Vec<u8>, NotUnderstood> {
    postcard::to_stdvec(answer).map_err(|_| NotUnderstood)
}

/// Decodes an answer from another process.
///
/// # Errors
/// When the bytes are no answer, for instance because the process died.
pub fn answer_from_bytes(bytes: &[u8]) -> Result<Answer, NotUnderstood> {
    match postcard::take_from_bytes(bytes) {
        Ok((answer, [])) => Ok(answer),
        _ => Err(NotUnderstood),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::{Covering, CoveringNode, Dimension};
    use crate::{InvariantLocation, ProofStep};
    use regatta_program::{EdgeId, InputId, LocationId, TargetId, Targets};
    use regatta_term::{Build, Sort, Symbol, TermId};

    #[test]
    fn requests_are_decoded_as_encoded() {
        let pool = store();
        let x = pool.variable(Symbol::new("portable proof x", Sort::BitVec(32)));
        let at = |location, calls: &[u32]| InvariantLocation {
            location: LocationId(location),
            calls: calls.iter().copied().map(EdgeId).collect(),
        };
        let split = CoveringNode::Split {
            dimension: Dimension {
                input: InputId(2),
                occurrence: 300,
            },
            at: 1 << 100,
        };
        let certificate = Certificate {
            targets: Targets::Only([2, 0, 700].map(TargetId).into_iter().collect()),
            steps: vec![
                ProofStep::Inductive {
                    batch: vec![
                        (at(3, &[]), pool.ult(x, pool.bv(32, 9))),
                        (at(4, &[7, 8]), TermId::FALSE),
                    ],
                    k: 2,
                    relies_on: vec![],
                },
                ProofStep::Summaries {
                    batch: vec![(at(5, &[1]), pool.ne(x, pool.bv(32, 1)))],
                },
                ProofStep::Unrolling { bound: 6 },
                ProofStep::Unwinding {
                    rounds: vec![(LocationId(9), 7)],
                    merge: false,
                },
                ProofStep::Boxes {
                    covering: Covering {
                        nodes: vec![split, CoveringNode::Leaf, CoveringNode::Leaf],
                    },
                },
                ProofStep::Simplified,
                ProofStep::Safety {
                    k: 3,
                    relies_on: vec![0],
                },
            ],
        };
        let request = Request {
            certificate,
            time: Duration::from_millis(1234),
            helpers: 1,
            record: Some(Destination {
                folder: "/a/folder".into(),
                header: "a header".to_owned(),
            }),
        };
        let bytes = request.to_bytes().expect("bytes");
        assert_eq!(Request::from_bytes(&bytes), Ok(request));
        for cut in 0..bytes.len() {
            assert!(Request::from_bytes(&bytes[..cut]).is_err(), "{cut} bytes");
        }
    }

    #[test]
    fn truncated_answers_are_errors() {
        let checks = [
            Check::Confirmed,
            Check::Refuted {
                step: Some(2),
                reason: "a reason".to_owned(),
            },
            Check::Undecided(String::new()),
        ];
        let replies = checks.map(|check| {
            Ok(Reply {
                check,
                opinion: Some(Opinion::default()),
                written: Some(Ok(Written::default())),
                facts: vec![0, 300],
                excluded: [1, 400].map(TargetId).into_iter().collect(),
            })
        });
        for answer in replies.into_iter().chain([Err("it died".to_owned())]) {
            let mut bytes = answer_to_bytes(&answer).expect("bytes");
            assert_eq!(answer_from_bytes(&bytes), Ok(answer));
            for cut in 0..bytes.len() {
                assert!(answer_from_bytes(&bytes[..cut]).is_err(), "{cut} bytes");
            }
            bytes.push(0);
            assert!(answer_from_bytes(&bytes).is_err());
        }
    }
}
