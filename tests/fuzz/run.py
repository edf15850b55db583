"""Runs the fuzz harnesses of a build with the preset `fuzz`, each for a while, beginning with its corpus; prints
executions and coverage.

    run.py BUILD [SECONDS [NAME...]] [--jobs N] [--keep DIR] [--merge]

What is found on the way stays in --keep (a directory of the system's own unless given); --merge adds the inputs that
reach something new to tests/fuzz/corpus, as long as they are small. A finding is written to the current directory as
NAME-crash-..., NAME-timeout-... and so on; ends with 1 then.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "corpus")
INPUT_MAX = {"certificate": 20000, "session": 3000, "exchange": 3000, "job": 4000, "tokens": 4000}
MERGE_FILES, MERGE_BYTES = 60, 3000  # of a harness, and of one input


def harnesses(build):
    return sorted(os.path.basename(path)[5:] for path in glob.glob(os.path.join(build, "tests", "fuzz_*"))
                  if os.access(path, os.X_OK)
                  and not os.path.isdir(path))


def environment():
    # The store catches faults of damaged maps itself; a fault that it does not know still reaches the sanitizer.
    return dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:allow_user_segv_handler=1:handle_abort=1")


def run(build, name, seconds, keep):
    found = os.path.join(keep, name)
    os.makedirs(found, exist_ok=True)
    words = [os.path.join(build, "tests", "fuzz_" + name), "-max_total_time=%d" % seconds, "-max_len=%d" %
             INPUT_MAX.get(name, 2500), "-timeout=30",
             "-rss_limit_mb=4000", "-artifact_prefix=%s-" % name, found, os.path.join(CORPUS, name)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          env=environment(), text=True, errors="replace")
    runs = re.search(r"Done (\d+) runs in (\d+) second", done.stdout)
    shape = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", done.stdout)
    row = [name, runs.group(1) if runs else "?", *(shape[-1] if shape else ("?", "?", "?"))]
    return row, done.returncode, done.stdout


def merge(build, name, keep):
    """Adds what reaches something new, the smallest first."""
    with tempfile.TemporaryDirectory() as least:
        subprocess.run([os.path.join(build, "tests", "fuzz_" + name), "-merge=1", least, os.path.join(CORPUS, name),
                        os.path.join(keep, name)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        room = MERGE_FILES - len(os.listdir(os.path.join(CORPUS, name)))
        known = {open(path, "rb").read() for path in glob.glob(os.path.join(CORPUS, name, "*"))}
        for path in sorted(glob.glob(os.path.join(least, "*")), key=os.path.getsize):
            if room > 0 and os.path.getsize(path) <= MERGE_BYTES and open(path, "rb").read() not in known:
                shutil.copy(path, os.path.join(CORPUS, name, os.path.basename(path)[:12]))
                room -= 1


def main():
    parser = argparse.ArgumentParser(prog="./dev lab fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("names", nargs="*", help="harnesses; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="where inputs that are found are kept")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--share", action="store_true", help="five seconds each")
    options = parser.parse_args()
    build, known = os.path.abspath(options.build), harnesses(options.build)
    names = options.names or known
    if set(names) - set(known):
        sys.exit("there is no harness %s; there are: %s" %
                 (", ".join(sorted(set(names) - set(known))), ", ".join(known)))
    keep = options.keep or tempfile.mkdtemp(prefix="proofd-fuzz-")
    bad = 0
    print("%-14s %12s %8s %9s %8s" % ("harness", "executions", "edges", "features", "corpus"), flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, code, text in pool.map(lambda name: run(build, name, 5 if options.share else options.seconds, keep),
                                        names):
            print("%-14s %12s %8s %9s %8s%s" % (*row, "   FOUND SOMETHING" if code else ""), flush=True)
            if code:
                bad += 1
                print(text[-6000:], flush=True)
    if options.merge and not bad:
        for name in names:
            merge(build, name, keep)
    if not options.keep:
        shutil.rmtree(keep, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
