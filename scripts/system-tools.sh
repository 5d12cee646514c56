#!/bin/sh
# Tests that kill processes at chosen system calls need strace. On Debian, as root, it is installed here;
# elsewhere those tests are skipped, and say so.
command -v strace >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "installing strace"
    { apt-get update -qq && apt-get install -y -qq strace; } >/dev/null 2>&1 || echo "strace could not be installed"
else
    echo "strace is not here: the tests that need it will be skipped"
fi
exit 0
