"""The collector is left alone for a while, never for good."""

import gc

import pytest

from reverie.foundation.gc_pause import gc_paused


def test_it_is_on_again_afterwards_also_after_an_error():
    def fail() -> None:
        with gc_paused():
            with gc_paused():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off():
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
