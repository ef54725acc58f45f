//! Messages for a thread that waits for them until a time.
//!
//! A channel of crossbeam's would do, but for what it does before it sleeps: it yields its processor some times, in the hope of
//! a message. Where analyses keep all processors busy, each time costs the rest of somebody else's slice of time (4 ms on a
//! Linux of 250 ticks a second), and the race's own thread came to end a turn of 12 ms after 22.

use std::collections::VecDeque;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

/// First in, first out; of any number of senders, for one receiver.
pub(super) struct Mailbox<T> {
    messages: Mutex<VecDeque<T>>,
    arrived: Condvar,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self {
            messages: Mutex::default(),
            arrived: Condvar::new(),
        }
    }
}

impl<T> Mailbox<T> {
    /// Wakes the receiver, if it waits.
    pub fn send(&self, message: T) {
        self.messages.lock().push_back(message);
        self.arrived.notify_one();
    }

    /// The next message; `None` if there is none until the time, if there is such a time.
    pub fn receive(&self, until: Option<Instant>) -> Option<T> {
        let mut messages = self.messages.lock();
        loop {
            if let Some(message) = messages.pop_front() {
                return Some(message);
            }
            match until {
                None => self.arrived.wait(&mut messages),
                Some(until) => {
                    if self.arrived.wait_until(&mut messages, until).timed_out() {
                        return messages.pop_front();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn messages_come_in_their_order_and_no_message_comes_at_the_time() {
        let mailbox = Arc::new(Mailbox::default());
        let sender = Arc::clone(&mailbox);
        let thread = std::thread::spawn(move || (0..100).for_each(|number| sender.send(number)));
        for number in 0..100 {
            assert_eq!(mailbox.receive(None), Some(number));
        }
        thread.join().expect("no panic");
        let until = Instant::now() + Duration::from_millis(20);
        assert_eq!(mailbox.receive(Some(until)), None);
        assert!(Instant::now() >= until);
        mailbox.send(100);
        assert_eq!(mailbox.receive(Some(until)), Some(100));
    }
}
