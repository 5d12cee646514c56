"""RE2 is loaded once, whoever comes first: the redactor, which loads it by path, or somebody who imports it."""

import subprocess
import sys

_BOTH_AT_ONCE = """
import threading
from reverie.redact.secrets import redact

errors, ready = [], threading.Barrier(2)

def both(work):
    ready.wait()
    try:
        work()
    except BaseException as error:
        errors.append(error)

threads = [threading.Thread(target=both, args=[work]) for work in (lambda: redact("token=abc"), lambda: __import__("re2"))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(errors)
"""


def test_two_threads_that_need_it_at_the_same_time_both_get_it() -> None:
    for _ in range(12):  # without a lock, five of twelve failed
        ended = subprocess.run([sys.executable, "-c", _BOTH_AT_ONCE], capture_output=True, text=True, check=True)
        assert ended.stdout == "[]\n"
