# Sourced by test.sh: a Slurm of one controller and two nodes on this machine, as processes of the script's own.
#
# Everything is in a folder that is given: key, sockets, configuration, state. All daemons listen on 127.0.0.1 only. Nothing of a
# Slurm that the machine has is touched. A process is ended by its number, and only if its environment says that it is of this
# cluster: a daemon has REGATTA_CLUSTER, what a job starts has the cluster's SLURM_CONF and the node's SLURMD_NODENAME.

# The processes of the cluster on a node (`node-1`, `node-2`), or all of them but the caller's.
cluster_processes() {
    python3 - "$cluster" "${1:-}" <<'END'
import pathlib
import sys

cluster, node = sys.argv[1:]
for process in pathlib.Path("/proc").glob("[0-9]*"):
    try:
        words = (process / "environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:  # It is gone, or another user's.
        continue
    environment = dict(word.split("=", 1) for word in words if "=" in word)
    daemon = environment.get("REGATTA_CLUSTER", "")
    job = environment.get("SLURMD_NODENAME", "") if environment.get("SLURM_CONF") == f"{cluster}/slurm.conf" else ""
    if (daemon.startswith(f"{cluster}/") or job) and (not node or node == job or daemon == f"{cluster}/{node}"):
        print(process.name)
END
}

# Ends the processes at once. What they start meanwhile is ended, too. Those that have ended and are not waited for have no
# environment any more.
cluster_kill() {
    local numbers
    for _ in 1 2 3 4 5; do
        mapfile -t numbers < <(cluster_processes "${1:-}")
        [ ${#numbers[@]} -gt 0 ] || return 0
        kill -KILL "${numbers[@]}" 2>/dev/null || true
        sleep 0.1
    done
}

# Numbers of three ports on which nobody listens.
cluster_ports() {
    python3 - <<'END'
import socket

sockets = [socket.socket() for _ in range(3)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
END
}

# Starts a daemon of a node, or of the cluster, in the background. It does not hold what the script holds open.
cluster_daemon() {
    local name=$1
    shift
    env REGATTA_CLUSTER="$cluster/$name" setsid "$@" </dev/null >"$cluster/$name.out" 2>&1 9>&- &
    # Its end is no news to the shell.
    disown
}

cluster_node() {
    mkdir -p "$cluster/$1"
    cluster_daemon "$1" /usr/sbin/slurmd -D -N "$1"
}

# Starts the cluster in the folder; returns when both nodes are ready, or fails.
cluster_start() {
    cluster=$1
    local name ports
    name=$(hostname -s)
    read -ra ports < <(cluster_ports)
    mkdir -p "$cluster/state"
    chmod 0755 "$cluster"
    # Munge wants its key's folder, and its socket's, to be safe from others.
    mkdir -m 0755 "$cluster/munge"
    (umask 077 && head -c 128 /dev/urandom >"$cluster/munge/key")
    export SLURM_CONF=$cluster/slurm.conf
    # What the caller's own Slurm would add.
    unset "${!SBATCH_@}" "${!SQUEUE_@}" "${!SLURM_JOB@}" SLURM_CLUSTERS
    cat >"$SLURM_CONF" <<END
ClusterName=regatta
SlurmctldHost=$name(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
SlurmctldPort=${ports[0]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/%n
SlurmctldPidFile=$cluster/controller.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/controller.log
SlurmdLogFile=$cluster/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=1,sched_interval=1,sched_min_interval=100000
SlurmdTimeout=5
MessageTimeout=3
KillWait=2
ReturnToService=2
MailProg=/bin/true
NodeName=node-1 NodeHostname=$name NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1 RealMemory=4000
NodeName=node-2 NodeHostname=$name NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1 RealMemory=4000
PartitionName=short Nodes=node-1,node-2 Default=YES MaxTime=60 State=UP
END
    cluster_daemon munge /usr/sbin/munged --foreground --force --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
        --pid-file="$cluster/munge/pid" --log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" --num-threads=2
    for _ in $(seq 50); do
        [ ! -S "$cluster/munge/socket" ] || break
        sleep 0.1
    done
    cluster_daemon controller /usr/sbin/slurmctld -D -c
    cluster_node node-1
    cluster_node node-2
    for _ in $(seq 300); do
        [ "$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -c '^idle$')" != 2 ] || return 0
        sleep 0.1
    done
    tail -n 5 "$cluster"/*.out "$cluster"/*.log "$cluster/munge/log" >&2
    return 1
}
