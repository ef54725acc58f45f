//! Gives up runs during which jobs end repeatedly.

use std::time::SystemTime;

use super::Collector;
use crate::results::folder::Description;
use crate::results::record::{Key, LOST, Measured, Record};
use crate::running::plan::Planned;
use regatta_base::Error;

/// Number of jobs that have to end during a run before the run is recorded as lost.
const MAXIMUM_ATTEMPTS: usize = 3;

impl Collector<'_> {
    /// Records the runs during which too many jobs have ended.
    pub(super) fn give_up_lost(&mut self) -> Result<(), Error> {
        let expected = self.watch.expected();
        let lost: Vec<(Key, String)> = (self.watch.lost().into_iter())
            .filter(|(key, nodes)| {
                nodes.len() >= MAXIMUM_ATTEMPTS
                    && !self.done.contains(*key)
                    && !expected.contains(*key)
            })
            .map(|(key, nodes)| (key.clone(), nodes.join(", ")))
            .collect();
        for (key, nodes) in lost {
            let run = self.planned.iter().find(|run| run.key == key);
            if let Some(run) = run {
                let record = lost_record(self.description, run, &nodes);
                self.take(&record)?;
            }
        }
        Ok(())
    }
}

/// Returns the record of a lost run.
fn lost_record(description: &Description, run: &Planned, nodes: &str) -> Record {
    let task = &description.fixed.tasks[run.task];
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nobody = || "nobody".to_owned();
    Record {
        key: run.key.clone(),
        category: task.category.clone(),
        expected: task.expected.clone(),
        verdict: LOST.to_owned(),
        score: 0,
        reason: format!("its jobs ended during the run, on {nodes}"),
        winner: None,
        wall: 0.0,
        cpu: 0.0,
        memory: 0,
        measured: Measured {
            cpu: nobody(),
            memory: nobody(),
        },
        exit: 0,
        begun: clock.unwrap_or_default().as_secs_f64(),
        cores: Vec::new(),
        overhead: 0.0,
        features: Default::default(),
        analyses: Vec::new(),
        log: run.log.clone(),
    }
}
