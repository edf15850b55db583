"""A count-down game (take 1 or 2 of N; who takes the last wins) whose program misbehaves after some questions: the
first word says how, the second at which question. Question 0 is `open`."""
import ctypes
import fcntl
import json
import mmap
import os
import random
import resource
import signal
import socket
import struct
import sys
import time

HOW, WHEN = sys.argv[1], int(sys.argv[2])

MINE = os.path.abspath(__file__)


def call(*words):
    """A system call by its number, for those that the library does not make."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def all_refused(*calls):
    """Fails if all of the calls fail, of which other machines than x86-64 have none."""
    for words in calls:
        try:
            call(*words)
            return
        except OSError as error:
            last = error
    raise last


# Nothing of this may succeed. Numbers are those of x86-64, or of all machines.
REACHES = {
    "writes": lambda: open(MINE, "r+"),
    "creates": lambda: open(os.environ.get("HOME", "/tmp") + "/proofd-written", "x"),
    "truncates": lambda: os.truncate(MINE, 0),
    "removes": lambda: os.remove(MINE),
    "renames": lambda: os.rename(MINE, MINE + ".gone"),
    "protects": lambda: os.chmod(MINE, 0),
    "dates": lambda: os.utime(MINE, (0, 0)),
    "dates-old": lambda: all_refused((132, MINE.encode(), 0), (235, MINE.encode(), 0), (261, -100, MINE.encode(), 0)),
    "protects-new": lambda: call(452, -100, MINE.encode(), 0o600, 0),
    "attributes": lambda: fcntl.ioctl(open(MINE), 0x40086602, struct.pack("l", 0x80)),
    "alarms": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()),
    "alarms-too": lambda: fcntl.ioctl(0, 0x8901, struct.pack("i", os.getppid())),
    "slows": lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    "pins": lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)),
    "kills": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "signals": lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL),
    "starves": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3)),
}


def node(text):
    """What the rules say: the number that is left, then who is to move."""
    left, _, side = text.partition(" ")
    if not left.isdigit() or side not in ("1", "2") or int(left) > 60 or str(int(left)) != left:
        return {"error": "a number and a side"}
    left, other = int(left), "2" if side == "1" else "1"
    if not left:
        return {"over": -1 if side == "1" else 1}
    return {"first": side == "1", "moves": [["take%d" % n, "%d %s" % (left - n, other)] for n in (1, 2) if n <= left]}


def spoil(answers, asked):
    """One answer that is wrong in some way."""
    for i, a in enumerate(answers):
        if "moves" not in a:
            continue
        if HOW == "scale":
            answers[i] = {"over": 7}
        elif HOW == "twice":
            a["moves"] = [a["moves"][0]] * 2
        elif HOW == "none":
            a["moves"] = []
        elif HOW == "foreign":
            a["moves"][0][1] = "x y"
        elif HOW == "other":
            answers[i] = {"position": "1 1", "over": 1}
        elif HOW == "moody":
            a["moves"] = a["moves"][:random.randint(1, 2)]
        elif HOW == "unstable":
            a["moves"][0][1] = "0 1"
        elif HOW == "endless":
            a["moves"][0][1] = "%d %s" % (30, "2" if a["first"] else "1")
        elif HOW == "long":
            a["moves"][0][1] = "1" * 200
        return
    if HOW == "scale":
        answers[0] = {"over": 7}


def answer(question, number):
    if "open" in question:
        return {"title": "Count", "params": question["open"] or "30", "start": (question["open"] or "30") + " 1",
                "values": [-1, 1], "step": 2, "moves": 2, "plies": 60, "size": 4, "example": "count:30", "version": 1}
    if "picture" in question:
        return {"picture": ""}
    answers = [node(text) for text in question["positions"]]
    if number >= WHEN:
        spoil(answers, question["positions"])
    return {"positions": answers}


for number, line in enumerate(sys.stdin):
    if number >= WHEN:
        if HOW == "dies":
            raise SystemExit("no more of this")
        if HOW == "killed":
            os.abort()
        if HOW == "hangs":
            time.sleep(1000)
        if HOW == "loops":
            while True:
                pass
        if HOW == "floods":
            while True:
                sys.stdout.write("x" * 65536)
        if HOW == "complains":
            while True:
                sys.stderr.write("y" * 65536)
        if HOW == "chats":
            print("hello\nhello", flush=True)
        if HOW == "memory":
            hoard = bytearray(4 << 30)
        if HOW == "network":
            socket.socket(socket.AF_INET)
        if HOW == "shares":
            hoard = mmap.mmap(-1, 4 << 30)
        if HOW in REACHES:
            REACHES[HOW]()
        if HOW == "silent":
            os.close(2)
            time.sleep(1000)
        if HOW == "leaves" and number == WHEN and not os.fork():
            try:
                os.setsid()
            finally:
                time.sleep(1000)
    question = json.loads(line)
    text = json.dumps({**answer(question, number), "n": question["n"]})
    if HOW == "late" and number > WHEN:
        time.sleep(0.004)
    print(text, flush=True)
    if HOW == "late" and number == WHEN:
        time.sleep(0.002)  # the answer was taken; this line comes before that to the next question
        print(text, flush=True)
