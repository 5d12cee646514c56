"""Many hooks in one process: `-m hooks.in_process HOME FIRST COUNT` runs `main` of run.py on bad inputs, one by one.

Starting 20,000 interpreters would take minutes; everything after the start is the same code.
"""

import os
import sys
import time

from hooks.bad_inputs import bad_input
from reverie.hook import run


def main(home: str, first: int, count: int) -> None:
    slowest = 0.0
    inputs = os.open(f"{home}/stdin-{first}", os.O_RDWR | os.O_CREAT)
    os.dup2(inputs, 0)
    for number in range(first, first + count):
        event, data = bad_input(number)
        os.ftruncate(0, 0)
        os.pwrite(0, data, 0)
        os.lseek(0, 0, os.SEEK_SET)
        started = time.process_time()  # what others on the machine take does not count
        run.main(["launch.py", event, home])
        slowest = max(slowest, time.process_time() - started)
    with open(f"{home}/slowest-{first}", "w") as file:
        file.write(str(slowest))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
