"""Options that several commands share, as one record, flattened: a field of it is an option."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints

from msgspec import Struct

from isfc.cli.options.option import give_parameters, parameters_of


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each record among its parameters replaced by that record's fields.

    A record is a struct, whose fields are annotated as a command's parameters are. It is put
    together again before the command is called.
    """
    hints = get_type_hints(command, include_extras=True)
    records = {
        name: hints[name]
        for name in signature(command).parameters
        if isinstance(hints[name], type) and issubclass(hints[name], Struct)
    }
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in records:
            parameters += parameters_of(records[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> None:
        whole = {
            name: record(**{field: given.pop(field) for field in record.__struct_fields__})
            for name, record in records.items()
        }
        command(**whole, **given)

    # what has a default comes last in a signature, as keywords
    give_parameters(called, [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters])
    return called
