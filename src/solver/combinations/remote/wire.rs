//! Messages between the two processes: a length and the bytes.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::limits::MAXIMUM_MESSAGE_LENGTH;
use crate::{Answer, CheckLimit};
use regatta_term::{PortableTerms, Value};

/// Request to end the check with the number (from one); sent on the stream for interruptions.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Interruption {
    pub check: u64,
}

/// Requests to the solver, with the terms that occur in them for the first time.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub terms: PortableTerms,
    pub requests: Vec<Request>,
}

/// A method of the trait. A term is its index among all terms that were sent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    Push,
    Pop,
    Assert(u32),
    Check {
        assumptions: Vec<u32>,
        limit: CheckLimit,
    },
    Values(Vec<u32>),
}

/// A reply of the solver.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The first message: the number of the solving thread in the operating system.
    Here { thread: u32 },
    /// The result of a check; the core is given by the assumptions' indices.
    Checked { answer: Answer, core: Vec<u32> },
    /// The values of terms, in order.
    Values(Vec<Option<Value>>),
}

/// Sends a message.
///
/// # Errors
/// When the other side is gone.
pub fn send(mut stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let bytes = vec![0; size_of::<u64>()];
    let mut bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = bytes.len() - size_of::<u64>();
    bytes[..size_of::<u64>()].copy_from_slice(&(length as u64).to_ne_bytes());
    stream.write_all(&bytes)
}

/// Receives a message. If the stream has a timeout, `waits` decides after each timeout whether to go on.
///
/// # Errors
/// When the other side is gone, or is not waited for any longer.
pub fn receive<T: DeserializeOwned>(
    stream: &UnixStream,
    mut waits: impl FnMut() -> bool,
) -> io::Result<T> {
    let mut length = [0; size_of::<u64>()];
    read(stream, &mut length, &mut waits)?;
    let length = u64::from_ne_bytes(length);
    if length > MAXIMUM_MESSAGE_LENGTH {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    read(stream, &mut bytes, &mut waits)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}

fn read(
    mut stream: &UnixStream,
    mut into: &mut [u8],
    waits: &mut impl FnMut() -> bool,
) -> io::Result<()> {
    while !into.is_empty() {
        match stream.read(into) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => into = &mut into[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if !waits() {
                    return Err(ErrorKind::TimedOut.into());
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
