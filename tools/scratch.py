"""A temporary directory for tests. It is removed when they end, however they end, and all processes that they started are killed.

start() splits the calling process. It returns in a child, the worker, whose TMPDIR names a new directory for the files of
compilers, pytest, unit tests and all other programs below it. The calling process only waits; it has the pid that others
know and kill. Between them is the keeper, which outlives both:

    known pid  ---  keeper  ---  worker  ---  tests, servers, …

Orphans below become the keeper's children, so that none is lost. When the worker or the known pid ends, the keeper kills the
remaining processes below it and removes the directory. Below a worker, start() does nothing.
"""
import ctypes
import fcntl
import glob
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

VARIABLE = "PROFLLM_TEST_SCRATCH"
PREFIX = "profllm-t"
PATIENCE_S = 30
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
OWNER_ENDS, CHILD_ENDS = signal.SIGUSR1, signal.SIGCHLD


def descendants(root):
    children = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:  # it has just ended
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    found = list(children.get(root, []))
    for pid in found:
        found += children.get(pid, [])
    return found


def reap(worker):
    """Reaps all children that have ended; returns the worker's exit status, or None while it runs."""
    status = None
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == worker:
                status = os.waitstatus_to_exitcode(ended[1])
    except ChildProcessError:
        pass
    return status


def shell_status(status):
    return status if status >= 0 else 128 - status


def remove(folder):
    for above, names, _ in os.walk(folder):  # a test that closed a directory may have ended before it opened it again
        for path in (os.path.join(above, name) for name in names):
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def keep(folder, owner, worker):
    """Runs the keeper, which does nothing else."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, OWNER_ENDS)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.setsid()  # the worker stays with the terminal
    status = None
    while status is None and os.getppid() == owner and signal.sigwait({OWNER_ENDS, CHILD_ENDS}) == CHILD_ENDS:
        status = reap(worker)
    due = time.monotonic() + PATIENCE_S
    while (left := descendants(os.getpid())) and time.monotonic() < due:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
        reap(worker)
    remove(folder)
    os._exit(shell_status(-signal.SIGKILL if status is None else status))


def follow(keeper, worker):
    """Runs in the process with the known pid: ends as the worker does."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, CHILD_ENDS})
    while not (ended := os.waitpid(keeper, os.WNOHANG))[0]:
        info = signal.sigwaitinfo({signal.SIGINT, CHILD_ENDS})
        # the worker gets it from the terminal, too
        if info.si_signo == signal.SIGINT and info.si_pid != 0:
            os.kill(worker, signal.SIGINT)
    os._exit(shell_status(os.waitstatus_to_exitcode(ended[1])))


def lock(folder):
    """Returns a descriptor that locks the directory; None: another keeper has it, or it no longer exists."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.isdir(folder):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def make_folder():
    """Makes the directory, which is locked until the last of the three processes ends."""
    above = tempfile.gettempdir()
    for left in glob.glob(f"{glob.escape(above)}/{PREFIX}????????"):  # its keeper was killed too
        held = lock(left)
        if held is not None:
            remove(left)
            os.close(held)
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX, dir=above)
        if lock(folder) is not None:
            os.chmod(folder, 0o711)  # some tests play other users
            return folder


def start():
    """Returns the directory, in the worker."""
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    folder = make_folder()
    sys.stdout.flush()
    sys.stderr.flush()
    owner = os.getpid()
    read_end, write_end = os.pipe()
    keeper = os.fork()
    if keeper:
        os.close(write_end)
        follow(keeper, int(os.read(read_end, 20)))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {OWNER_ENDS, CHILD_ENDS})
    worker = os.fork()
    if worker:
        os.write(write_end, str(worker).encode())
        keep(folder, owner, worker)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    os.close(read_end)
    os.close(write_end)
    os.environ[VARIABLE] = os.environ["TMPDIR"] = tempfile.tempdir = folder
    return folder
