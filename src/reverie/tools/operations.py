"""A tool with several operations: Python methods in, one JSON schema and one checked `run` out.

A method marked with `@operation` is usable from Python as it stands, from the command line, and by a model: its
signature is the schema, its docstring the description. Arguments are checked before it is called; what is wrong is
an error that names what would be right.
"""

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar, TypeVar, get_type_hints

import msgspec

from reverie.errors import BadInput
from reverie.foundation.as_json import plain_json
from reverie.records import JSON
from reverie.records.conversation_values import Moment, ToolDefinition

F = TypeVar("F", bound=Callable[..., Any])
_MOMENT = "moment"  # a parameter of this name is not the model's to give


def operation(method: F) -> F:
    """Mark a method as something that a model may ask for."""
    method.__dict__["is_operation"] = True
    return method


class OperationTool:
    """The base of our tools. `name`, `description` and `hints` are class attributes."""

    name: ClassVar[str]
    description: ClassVar[str]
    hints: ClassVar[str] = ""

    @classmethod
    def operations(cls) -> dict[str, Callable[..., Any]]:
        """By name, in the order in which they are written."""
        marked = {name: method for base in reversed(cls.__mro__) for name, method in vars(base).items()}
        return {name: method for name, method in marked.items() if getattr(method, "is_operation", False)}

    @property
    def input_schema(self) -> Mapping[str, JSON]:
        """One flat object: providers refuse alternatives at the top. The description says what each operation needs."""
        properties: dict[str, JSON] = {}
        needs = []
        for name, method in self.operations().items():
            required = []
            for parameter, hint, default in _parameters(method):
                properties.setdefault(parameter, _schema(hint))
                if default is inspect.Parameter.empty:
                    required.append(parameter)
            needs.append(f"{name}({', '.join(required)}): {(method.__doc__ or '').strip().splitlines()[0]}")
        asked: JSON = {"type": "string", "enum": list(self.operations()), "description": "\n".join(needs)}
        return {
            "type": "object",
            "properties": {"operation": asked, **properties},
            "required": ["operation"],
            "additionalProperties": False,
        }

    def definition(self) -> ToolDefinition:
        return ToolDefinition(self.name, self.description, self.input_schema)

    def run(self, arguments: Mapping[str, JSON], moment: Moment) -> JSON:
        """Do one operation by its name."""
        asked = arguments.get("operation")
        known = self.operations()
        if not isinstance(asked, str) or asked not in known:
            near = get_close_matches(str(asked), known, n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"it has {', '.join(known)}"
            raise BadInput(f"{self.name} has no operation {asked!r}; {hint}")
        given = {name: value for name, value in arguments.items() if name != "operation" and value is not None}
        return self.told(known[asked](self, **self._checked(asked, known[asked], given, moment)))

    def told(self, result: Any) -> JSON:
        """Turn the result of an operation into JSON for a model or a program."""
        return plain_json(result)

    def _checked(
        self, name: str, method: Callable[..., Any], given: Mapping[str, JSON], moment: Moment
    ) -> dict[str, Any]:
        wanted = {parameter: (hint, default) for parameter, hint, default in _parameters(method)}
        for parameter in given:
            if parameter not in wanted:
                raise BadInput(f"{self.name} {name} takes no {parameter!r}; it takes {', '.join(wanted) or 'nothing'}")
        ready: dict[str, Any] = {}
        for parameter, (hint, default) in wanted.items():
            if parameter not in given:
                if default is inspect.Parameter.empty:
                    raise BadInput(f"{self.name} {name} needs {parameter!r}")
                continue
            try:
                ready[parameter] = msgspec.convert(given[parameter], hint, strict=False)
            except msgspec.ValidationError as error:
                raise BadInput(f"{parameter!r} of {self.name} {name}: {error}") from None
        if _MOMENT in inspect.signature(method).parameters:
            ready[_MOMENT] = moment
        return ready


def _parameters(method: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    hints = get_type_hints(method)
    return [
        (name, hints[name], parameter.default)
        for name, parameter in inspect.signature(method).parameters.items()
        if name not in ("self", _MOMENT)
    ]


def _schema(hint: Any) -> JSON:
    schema: JSON = msgspec.json.schema(hint)
    return schema
