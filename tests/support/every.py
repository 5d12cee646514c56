"""Many small cases in one test, which names each that fails; as tests of their own, thousands of them cost minutes."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

_SHOWN = 50  # failures; more tell nothing new


def every(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each case, as `pytest.mark.parametrize` would. Two on top of each other combine their cases."""
    given_names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    all_cases = list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(*arguments: object, **given: object) -> None:
            failures = []
            for case in all_cases:
                values = dict(zip(given_names, (case,) if len(given_names) == 1 else case, strict=True))
                try:
                    test(*arguments, **given, **values)
                except Exception as error:
                    failures.append(f"{values!r:.200}: {type(error).__name__}: {error!s:.500}")
            assert not failures, f"{len(failures)} of {len(all_cases)} fail:\n" + "\n".join(failures[:_SHOWN])

        told = inspect.signature(test)
        left = [it for name, it in told.parameters.items() if name not in given_names]
        run.__signature__ = told.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
