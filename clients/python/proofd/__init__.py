"""proofd: the client library of the proof server.

    from proofd import Client

    with Client() as client:
        print(client.solve("mnk:3,3,3")["result"]["value"]["text"])

`Client` blocks, `AsyncClient` is for asyncio; both have the methods of the protocol (proto/PROTOCOL.md) as
`client.job.submit(...)`. Results are dictionaries with types (`Job`, `Fact`, ...). README.md has more.
"""

from ._async import AsyncClient
from ._core import OVER
from ._errors import CallTimeout, ClientClosed, NotProofd, ProofdError, ServerError, UnknownFate, Unreachable
from ._sync import Client, Pending
from ._types import ERROR_CODES, Answer, Fact, Group, Job, JobState, ServerHello, ServerStats, Value

__all__ = [
    "Answer", "AsyncClient", "CallTimeout", "Client", "ClientClosed", "ERROR_CODES", "Fact", "Group", "Job",
    "JobState", "NotProofd", "OVER", "Pending", "ProofdError", "ServerError", "ServerHello", "ServerStats",
    "UnknownFate", "Unreachable", "Value",
]
__version__ = "0.1.0"
