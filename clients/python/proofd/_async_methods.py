"""The methods of the protocol, for asyncio. Made from rpc.discover by `./dev protocol`; do not edit."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, NoReturn, Optional, Sequence, Union, cast

from ._types import (
    Budget, Detail, Dot, FactLine, FactProbe, FactQuery, GameDescribe, GameList, Group, GroupList, Job, JobExplain,
    JobHistory, JobList, JobRemove, JobState, JobSubmit, JobTree, JobUnwatch, Moves, Openrpc, Options, Position,
    PositionShow, ProofCancel, ProofExport, ProofList, ProofRead, ProofRemove, ProofTree, ProofVerify, Record,
    ServerBackup, ServerHello, ServerShutdown, ServerStats, ServerWorkers, Setup, Size, State,
)

Caller = Callable[[str, Dict[str, Any], Optional[float]], Awaitable[Any]]


class AsyncRpcMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def discover(self, *, timeout: Optional[float] = None) -> Openrpc:
        """Describe the protocol as an OpenRPC document."""
        return cast(Openrpc, await self._call("rpc.discover", {}, timeout))


class AsyncServerMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def hello(self, *, token: Optional[str] = None, timeout: Optional[float] = None) -> ServerHello:
        """Report versions, features and limits, and take a token."""
        return cast(ServerHello, await self._call("server.hello", {"token": token}, timeout))

    async def stats(self, *, timeout: Optional[float] = None) -> ServerStats:
        """Report what the server is doing."""
        return cast(ServerStats, await self._call("server.stats", {}, timeout))

    async def workers(self, *, limit: Optional[int] = None, timeout: Optional[float] = None) -> ServerWorkers:
        """List the workers on other machines."""
        return cast(ServerWorkers, await self._call("server.workers", {"limit": limit}, timeout))

    async def shutdown(self, *, token: Optional[str] = None, timeout: Optional[float] = None) -> ServerShutdown:
        """Write a checkpoint of every running job and stop."""
        return cast(ServerShutdown, await self._call("server.shutdown", {"token": token}, timeout))

    async def backup(self, *, name: Optional[str] = None, timeout: Optional[float] = None) -> ServerBackup:
        """Make a backup of the data directory, or report its progress."""
        return cast(ServerBackup, await self._call("server.backup", {"name": name}, timeout))


class AsyncGameMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def list(self, *, timeout: Optional[float] = None) -> GameList:
        """List the games."""
        return cast(GameList, await self._call("game.list", {}, timeout))

    async def describe(self, game: str, *, timeout: Optional[float] = None) -> GameDescribe:
        """Describe one game."""
        return cast(GameDescribe, await self._call("game.describe", {"game": game}, timeout))


class AsyncPositionMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def show(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, data: Optional[bool] = None,
        svg: Optional[bool] = None, setup: Optional[Setup] = None, timeout: Optional[float] = None,
        **others: NoReturn
    ) -> PositionShow:
        """Show a position and its legal moves."""
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "data": data, "svg": svg, "setup": setup, **others,
        }
        return cast(PositionShow, await self._call("position.show", params, timeout))


class AsyncJobMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def submit(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, claim: Optional[str] = None, algorithm: Optional[str] = None,
        detail: Optional[Detail] = None, options: Optional[Options] = None, budget: Optional[Budget] = None,
        memory: Optional[Size] = None, threads: Optional[int] = None, seed: Optional[int] = None,
        shorten: Optional[int] = None, priority: Optional[int] = None, key: Optional[str] = None,
        group: Optional[str] = None, after: Optional[Sequence[int]] = None, under: Optional[int] = None,
        first: Optional[Sequence[str]] = None, timeout: Optional[float] = None, **others: NoReturn
    ) -> JobSubmit:
        """Submit a job."""
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "claim": claim,
            "algorithm": algorithm, "detail": detail, "options": options, "budget": budget, "memory": memory,
            "threads": threads, "seed": seed, "shorten": shorten, "priority": priority, "key": key, "group": group,
            "after": after, "under": under, "first": first, **others,
        }
        return cast(JobSubmit, await self._call("job.submit", params, timeout))

    async def get(self, job: int, *, timeout: Optional[float] = None) -> Job:
        """Return one job."""
        return cast(Job, await self._call("job.get", {"job": job}, timeout))

    async def explain(self, job: int, *, timeout: Optional[float] = None) -> JobExplain:
        """Explain why a job is not being searched."""
        return cast(JobExplain, await self._call("job.explain", {"job": job}, timeout))

    async def list(
        self, *, state: Optional[State] = None, limit: Optional[int] = None, before: Optional[int] = None,
        timeout: Optional[float] = None
    ) -> JobList:
        """List jobs, newest first."""
        params: Dict[str, Any] = {
            "state": state, "limit": limit, "before": before,
        }
        return cast(JobList, await self._call("job.list", params, timeout))

    async def pause(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """Pause a job and keep its work."""
        return cast(JobState, await self._call("job.pause", {"job": job}, timeout))

    async def resume(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """Queue a paused, exhausted or failed job again."""
        return cast(JobState, await self._call("job.resume", {"job": job}, timeout))

    async def cancel(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """End a job for good; its facts stay."""
        return cast(JobState, await self._call("job.cancel", {"job": job}, timeout))

    async def set(
        self, job: int, *, priority: Optional[int] = None, budget: Optional[Budget] = None,
        timeout: Optional[float] = None, **others: NoReturn
    ) -> JobState:
        """Change the priority or the budget of a job."""
        params: Dict[str, Any] = {
            "job": job, "priority": priority, "budget": budget, **others,
        }
        return cast(JobState, await self._call("job.set", params, timeout))

    async def remove(self, job: int, *, timeout: Optional[float] = None) -> JobRemove:
        """Forget a job that is over; its facts stay."""
        return cast(JobRemove, await self._call("job.remove", {"job": job}, timeout))

    async def watch(self, job: int, *, interval: Optional[float] = None, timeout: Optional[float] = None) -> Job:
        """Subscribe to the progress of a job."""
        return cast(Job, await self._call("job.watch", {"job": job, "interval": interval}, timeout))

    async def unwatch(self, job: int, *, timeout: Optional[float] = None) -> JobUnwatch:
        """End the subscription to a job."""
        return cast(JobUnwatch, await self._call("job.unwatch", {"job": job}, timeout))

    async def history(
        self, job: int, *, limit: Optional[int] = None, timeout: Optional[float] = None
    ) -> JobHistory:
        """Return the events of a job, for a progress plot."""
        return cast(JobHistory, await self._call("job.history", {"job": job, "limit": limit}, timeout))

    async def tree(
        self, job: int, *, moves: Optional[Moves] = None, game_number: Optional[int] = None,
        depth: Optional[int] = None, nodes_max: Optional[int] = None, notation: Optional[str] = None,
        timeout: Optional[float] = None
    ) -> JobTree:
        """Return the top of a job's search, with what was spent where."""
        params: Dict[str, Any] = {
            "job": job, "moves": moves, "game_number": game_number, "depth": depth, "nodes_max": nodes_max,
            "notation": notation,
        }
        return cast(JobTree, await self._call("job.tree", params, timeout))


class AsyncGroupMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def set(
        self, group: str, *, limit: Optional[int] = None, paused: Optional[bool] = None,
        timeout: Optional[float] = None
    ) -> Group:
        """Limit or pause a group of jobs."""
        params: Dict[str, Any] = {
            "group": group, "limit": limit, "paused": paused,
        }
        return cast(Group, await self._call("group.set", params, timeout))

    async def list(self, *, timeout: Optional[float] = None) -> GroupList:
        """List the groups of jobs."""
        return cast(GroupList, await self._call("group.list", {}, timeout))


class AsyncFactMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def query(
        self, game: str, *, position: Optional[str] = None, positions: Optional[Sequence[str]] = None,
        moves: Optional[Union[str, Sequence[str], bool]] = None, game_number: Optional[int] = None,
        each_move: Optional[bool] = None, depth: Optional[int] = None, notation: Optional[str] = None,
        timeout: Optional[float] = None
    ) -> FactQuery:
        """Return what is proved about positions."""
        params: Dict[str, Any] = {
            "game": game, "position": position, "positions": positions, "moves": moves, "game_number": game_number,
            "each_move": each_move, "depth": depth, "notation": notation,
        }
        return cast(FactQuery, await self._call("fact.query", params, timeout))

    async def probe(self, positions: Sequence[Position], *, timeout: Optional[float] = None) -> FactProbe:
        """Return what is proved about positions and each of their moves, for the side to move."""
        return cast(FactProbe, await self._call("fact.probe", {"positions": positions}, timeout))

    async def line(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, limit: Optional[int] = None,
        record: Optional[Record] = None, variations: Optional[int] = None, timeout: Optional[float] = None
    ) -> FactLine:
        """Return best play from a proved position."""
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "limit": limit, "record": record, "variations": variations,
        }
        return cast(FactLine, await self._call("fact.line", params, timeout))


class AsyncProofMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    async def tree(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, claim: Optional[str] = None,
        depth: Optional[int] = None, nodes_max: Optional[int] = None, all: Optional[bool] = None,
        dot: Optional[Dot] = None, timeout: Optional[float] = None
    ) -> ProofTree:
        """Return the top of a proof as a graph."""
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "claim": claim, "depth": depth, "nodes_max": nodes_max, "all": all, "dot": dot,
        }
        return cast(ProofTree, await self._call("proof.tree", params, timeout))

    async def export(
        self, *, job: Optional[int] = None, game: Optional[str] = None, position: Optional[str] = None,
        moves: Optional[Moves] = None, game_number: Optional[int] = None, claim: Optional[str] = None,
        detail: Optional[Detail] = None, compress: Optional[bool] = None, timeout: Optional[float] = None
    ) -> ProofExport:
        """Make the certificate of an answer."""
        params: Dict[str, Any] = {
            "job": job, "game": game, "position": position, "moves": moves, "game_number": game_number, "claim":
            claim, "detail": detail, "compress": compress,
        }
        return cast(ProofExport, await self._call("proof.export", params, timeout))

    async def cancel(self, *, timeout: Optional[float] = None) -> ProofCancel:
        """End the exports and checks that this connection waits for."""
        return cast(ProofCancel, await self._call("proof.cancel", {}, timeout))

    async def read(
        self, proof: str, *, offset: Optional[int] = None, size: Optional[int] = None,
        timeout: Optional[float] = None
    ) -> ProofRead:
        """Return a piece of a certificate."""
        params: Dict[str, Any] = {
            "proof": proof, "offset": offset, "size": size,
        }
        return cast(ProofRead, await self._call("proof.read", params, timeout))

    async def list(self, *, limit: Optional[int] = None, timeout: Optional[float] = None) -> ProofList:
        """List the certificates that are kept, the one used last first."""
        return cast(ProofList, await self._call("proof.list", {"limit": limit}, timeout))

    async def remove(self, proof: str, *, timeout: Optional[float] = None) -> ProofRemove:
        """Remove a certificate."""
        return cast(ProofRemove, await self._call("proof.remove", {"proof": proof}, timeout))

    async def verify(self, proof: str, *, timeout: Optional[float] = None) -> ProofVerify:
        """Check a certificate with proofcheck, the independent checker."""
        return cast(ProofVerify, await self._call("proof.verify", {"proof": proof}, timeout))


class AsyncMethods:
    def __init__(self, call: Caller) -> None:
        self.rpc = AsyncRpcMethods(call)
        self.server = AsyncServerMethods(call)
        self.game = AsyncGameMethods(call)
        self.position = AsyncPositionMethods(call)
        self.job = AsyncJobMethods(call)
        self.group = AsyncGroupMethods(call)
        self.fact = AsyncFactMethods(call)
        self.proof = AsyncProofMethods(call)
