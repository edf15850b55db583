"""The methods of the protocol. Made from rpc.discover by `./dev protocol`; do not edit."""

from __future__ import annotations

from typing import Any, Callable, Dict, NoReturn, Optional, Sequence, Union, cast

from ._types import (
    Budget, Detail, Dot, FactLine, FactProbe, FactQuery, GameDescribe, GameList, Group, GroupList, Job, JobExplain,
    JobHistory, JobList, JobRemove, JobState, JobSubmit, JobTree, JobUnwatch, Moves, Openrpc, Options, Position,
    PositionShow, ProofCancel, ProofExport, ProofList, ProofRead, ProofRemove, ProofTree, ProofVerify, Record,
    ServerBackup, ServerHello, ServerShutdown, ServerStats, ServerWorkers, Setup, Size, State,
)

Caller = Callable[[str, Dict[str, Any], Optional[float]], Any]


class RpcMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def discover(self, *, timeout: Optional[float] = None) -> Openrpc:
        """Describe the protocol as an OpenRPC document."""
        return cast(Openrpc, self._call("rpc.discover", {}, timeout))


class ServerMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def hello(self, *, token: Optional[str] = None, timeout: Optional[float] = None) -> ServerHello:
        """Report versions, features and limits, and take a token. See "Who may do what". The answer to a wrong
        token waits a fraction of a second.

        token: a token of `proofd --token-file`, for its role; ignored when no token is needed
        """
        return cast(ServerHello, self._call("server.hello", {"token": token}, timeout))

    def stats(self, *, timeout: Optional[float] = None) -> ServerStats:
        """Report what the server is doing. See "When the disk is full"."""
        return cast(ServerStats, self._call("server.stats", {}, timeout))

    def workers(self, *, limit: Optional[int] = None, timeout: Optional[float] = None) -> ServerWorkers:
        """List the workers on other machines.

        limit: workers at most
        """
        return cast(ServerWorkers, self._call("server.workers", {"limit": limit}, timeout))

    def shutdown(self, *, token: Optional[str] = None, timeout: Optional[float] = None) -> ServerShutdown:
        """Write a checkpoint of every running job and stop. See "Who may do what".

        token: a token of the role `admin`; not needed on a connection of that role
        """
        return cast(ServerShutdown, self._call("server.shutdown", {"token": token}, timeout))

    def backup(self, *, name: Optional[str] = None, timeout: Optional[float] = None) -> ServerBackup:
        """Make a backup of the data directory, or report its progress. See "Backups".

        name: name of the backup to make, of A-Z a-z 0-9 . _ -; without it no backup begins
        """
        return cast(ServerBackup, self._call("server.backup", {"name": name}, timeout))


class GameMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self, *, timeout: Optional[float] = None) -> GameList:
        """List the games."""
        return cast(GameList, self._call("game.list", {}, timeout))

    def describe(self, game: str, *, timeout: Optional[float] = None) -> GameDescribe:
        """Describe one game.

        game: full name, like connect4:7x6
        """
        return cast(GameDescribe, self._call("game.describe", {"game": game}, timeout))


class PositionMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def show(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, data: Optional[bool] = None,
        svg: Optional[bool] = None, setup: Optional[Setup] = None, timeout: Optional[float] = None,
        **others: NoReturn
    ) -> PositionShow:
        """Show a position and its legal moves. On boards of hexagons a drawing multiplies y by sqrt(3)/2; the
        corners of a hexagon are then at (0,-8), (6,-4), (6,4), (0,8), (-6,4) and (-6,-4) from its centre. An
        edge-across is the line between (x-6,y) and (x+6,y), an edge-down that between (x,y-6) and (x,y+6).

        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        moves: moves played from `position`, as an array or as a record; see "Moves"
        game_number: which game of a record with several games to play, from 1
        notation: one of the game's `notations`, for moves in the reply; default: the game's own
        data: also return `geometry`, `diagram` and `legal`: the board as data
        svg: also return `svg`
        setup: a diagram, instead of `position` and `moves`: the reply has its position
        """
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "data": data, "svg": svg, "setup": setup, **others,
        }
        return cast(PositionShow, self._call("position.show", params, timeout))


class JobMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def submit(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, claim: Optional[str] = None, algorithm: Optional[str] = None,
        detail: Optional[Detail] = None, options: Optional[Options] = None, budget: Optional[Budget] = None,
        memory: Optional[Size] = None, threads: Optional[int] = None, seed: Optional[int] = None,
        shorten: Optional[int] = None, priority: Optional[int] = None, key: Optional[str] = None,
        group: Optional[str] = None, after: Optional[Sequence[int]] = None, under: Optional[int] = None,
        first: Optional[Sequence[str]] = None, timeout: Optional[float] = None, **others: NoReturn
    ) -> JobSubmit:
        """Submit a job. The reply is sent when the job is on disk.

        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        moves: moves played from `position`, as an array or as a record; see "Moves"
        game_number: which game of a record with several games to play, from 1
        claim: `value`, `first-wins`, `second-wins`, `first-draws`, `second-draws` or `first-at-least-N`
        algorithm: the search algorithm
        detail: which solved positions become facts
        options: options of the search, by name; see below
        budget: when to give up
        memory: bytes for the job's transposition table, trees and cache, at most `limits.memory` of server.hello;
            default 512M, or that limit where it is less
        threads: search threads that may work on it together; 0: as many as are free
        seed: mixed into the order of equal children
        shorten: nodes to search for shorter wins once the answer is known
        priority: jobs of higher priority run first
        key: the client's own name for the job; see "Keys"
        group: its group; see "Groups"
        after: numbers of jobs that must be solved before it runs; see "Jobs"
        under: number of its parent job, at whose position it begins unless `position` is given; see "Sub-jobs"
        first: lines of moves from its position, whose last move is tried before the others; see "Hints"
        """
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "claim": claim,
            "algorithm": algorithm, "detail": detail, "options": options, "budget": budget, "memory": memory,
            "threads": threads, "seed": seed, "shorten": shorten, "priority": priority, "key": key, "group": group,
            "after": after, "under": under, "first": first, **others,
        }
        return cast(JobSubmit, self._call("job.submit", params, timeout))

    def get(self, job: int, *, timeout: Optional[float] = None) -> Job:
        """Return one job.

        job: number of the job
        """
        return cast(Job, self._call("job.get", {"job": job}, timeout))

    def explain(self, job: int, *, timeout: Optional[float] = None) -> JobExplain:
        """Explain why a job is not being searched.

        job: number of the job
        """
        return cast(JobExplain, self._call("job.explain", {"job": job}, timeout))

    def list(
        self, *, state: Optional[State] = None, limit: Optional[int] = None, before: Optional[int] = None,
        timeout: Optional[float] = None
    ) -> JobList:
        """List jobs, newest first. A call looks at 10,000 jobs at most, so a page may be short, or empty, and still
        have a `next`.

        state: only jobs in that state
        limit: jobs at most; never more than `limits.jobs` of server.hello
        before: only jobs with a smaller number
        """
        return cast(JobList, self._call("job.list", {"state": state, "limit": limit, "before": before}, timeout))

    def pause(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """Pause a job and keep its work. The reply is sent when the new state is on disk.

        job: number of the job
        """
        return cast(JobState, self._call("job.pause", {"job": job}, timeout))

    def resume(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """Queue a paused, exhausted or failed job again. The reply is sent when the new state is on disk.

        job: number of the job
        """
        return cast(JobState, self._call("job.resume", {"job": job}, timeout))

    def cancel(self, job: int, *, timeout: Optional[float] = None) -> JobState:
        """End a job for good; its facts stay. The reply is sent when the new state is on disk.

        job: number of the job
        """
        return cast(JobState, self._call("job.cancel", {"job": job}, timeout))

    def set(
        self, job: int, *, priority: Optional[int] = None, budget: Optional[Budget] = None,
        timeout: Optional[float] = None, **others: NoReturn
    ) -> JobState:
        """Change the priority or the budget of a job. The reply is sent when the change is on disk. What is left
        out stays as it is.

        job: number of the job
        priority: jobs of higher priority run first
        budget: when to give up
        """
        params: Dict[str, Any] = {
            "job": job, "priority": priority, "budget": budget, **others,
        }
        return cast(JobState, self._call("job.set", params, timeout))

    def remove(self, job: int, *, timeout: Optional[float] = None) -> JobRemove:
        """Forget a job that is over; its facts stay. The reply is sent when the job is gone from the disk.
        Connections that watch it receive its last state first; later calls get `no-such-job`.

        job: number of the job
        """
        return cast(JobRemove, self._call("job.remove", {"job": job}, timeout))

    def watch(self, job: int, *, interval: Optional[float] = None, timeout: Optional[float] = None) -> Job:
        """Subscribe to the progress of a job. `job.progress` notifications with the *job* as params follow until
        the job is over; the last one has the result.

        job: number of the job
        interval: seconds between two notifications
        """
        return cast(Job, self._call("job.watch", {"job": job, "interval": interval}, timeout))

    def unwatch(self, job: int, *, timeout: Optional[float] = None) -> JobUnwatch:
        """End the subscription to a job.

        job: number of the job
        """
        return cast(JobUnwatch, self._call("job.unwatch", {"job": job}, timeout))

    def history(self, job: int, *, limit: Optional[int] = None, timeout: Optional[float] = None) -> JobHistory:
        """Return the events of a job, for a progress plot. A point that is damaged on disk has `t` 0 and the event
        `damaged`.

        job: number of the job
        limit: points at most
        """
        return cast(JobHistory, self._call("job.history", {"job": job, "limit": limit}, timeout))

    def tree(
        self, job: int, *, moves: Optional[Moves] = None, game_number: Optional[int] = None,
        depth: Optional[int] = None, nodes_max: Optional[int] = None, notation: Optional[str] = None,
        timeout: Optional[float] = None
    ) -> JobTree:
        """Return the top of a job's search, with what was spent where. The first position is always expanded, then
        the open one with most effort, as long as there is room. Solved positions are not, nor is one that its line
        has met before. See "Trees".

        job: number of the job
        moves: moves played from the job's position to the one that the tree begins with; see "Moves"
        game_number: which game of a record with several games to play, from 1
        depth: plies below it
        nodes_max: positions at most
        notation: one of the game's `notations`, for moves in the reply; default: the game's own
        """
        params: Dict[str, Any] = {
            "job": job, "moves": moves, "game_number": game_number, "depth": depth, "nodes_max": nodes_max,
            "notation": notation,
        }
        return cast(JobTree, self._call("job.tree", params, timeout))


class GroupMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def set(
        self, group: str, *, limit: Optional[int] = None, paused: Optional[bool] = None,
        timeout: Optional[float] = None
    ) -> Group:
        """Limit or pause a group of jobs. The reply is sent when the settings are on disk. What is left out stays
        as it is.

        group: its name: letters, digits, dots, hyphens and underscores
        limit: number of its jobs that may run at once; 0: any number
        paused: true: none of its jobs may run
        """
        return cast(Group, self._call("group.set", {"group": group, "limit": limit, "paused": paused}, timeout))

    def list(self, *, timeout: Optional[float] = None) -> GroupList:
        """List the groups of jobs. A group is listed while a job is in it, or it has a limit or is paused."""
        return cast(GroupList, self._call("group.list", {}, timeout))


class FactMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def query(
        self, game: str, *, position: Optional[str] = None, positions: Optional[Sequence[str]] = None,
        moves: Optional[Union[str, Sequence[str], bool]] = None, game_number: Optional[int] = None,
        each_move: Optional[bool] = None, depth: Optional[int] = None, notation: Optional[str] = None,
        timeout: Optional[float] = None
    ) -> FactQuery:
        """Return what is proved about positions. A position that cannot be read makes its entry an `error` in a
        list of several; the whole call fails when it was the only one. See "What is known of a position".

        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        positions: many positions, instead of `position`
        moves: moves played from `position`, as an array or as a record; see "Moves". true: as `each_move`
        game_number: which game of a record with several games to play, from 1
        each_move: also return what is proved about each move
        depth: 1: use the position's own fact and what is known after its moves; 0: use its own fact alone; default
            0 with `positions`, else 1 where its own fact does not give the value exactly; with the moves always 1
        notation: one of the game's `notations`, for moves in the reply; default: the game's own
        """
        params: Dict[str, Any] = {
            "game": game, "position": position, "positions": positions, "moves": moves, "game_number": game_number,
            "each_move": each_move, "depth": depth, "notation": notation,
        }
        return cast(FactQuery, self._call("fact.query", params, timeout))

    def probe(self, positions: Sequence[Position], *, timeout: Optional[float] = None) -> FactProbe:
        """Return what is proved about positions and each of their moves, for the side to move. A category tells
        what the side to move gets: `win`, `draw`, `loss`, or what is still possible. Over HTTP it is `/query`; see
        "HTTP and WebSocket" and "What is known of a position".

        positions: what is asked about
        """
        return cast(FactProbe, self._call("fact.probe", {"positions": positions}, timeout))

    def line(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, limit: Optional[int] = None,
        record: Optional[Record] = None, variations: Optional[int] = None, timeout: Optional[float] = None
    ) -> FactLine:
        """Return best play from a proved position. See "Records of lines".

        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        moves: moves played from `position`, as an array or as a record; see "Moves"
        game_number: which game of a record with several games to play, from 1
        notation: one of the game's `notations`, for moves in the reply; default: the game's own
        limit: moves at most
        record: also return `record`, in a form that game.describe lists among the game's `records`
        variations: maximum number of equally good moves to show as variations in the record
        """
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "limit": limit, "record": record, "variations": variations,
        }
        return cast(FactLine, self._call("fact.line", params, timeout))


class ProofMethods:
    def __init__(self, call: Caller) -> None:
        self._call = call

    def tree(
        self, game: str, *, position: Optional[str] = None, moves: Optional[Moves] = None,
        game_number: Optional[int] = None, notation: Optional[str] = None, claim: Optional[str] = None,
        depth: Optional[int] = None, nodes_max: Optional[int] = None, all: Optional[bool] = None,
        dot: Optional[Dot] = None, timeout: Optional[float] = None
    ) -> ProofTree:
        """Return the top of a proof as a graph. See "Trees of proofs".

        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        moves: moves played from `position`, as an array or as a record; see "Moves"
        game_number: which game of a record with several games to play, from 1
        notation: one of the game's `notations`, for moves in the reply; default: the game's own
        claim: as for job.submit; default the strongest that is proved
        depth: plies below the position at most
        nodes_max: nodes at most
        all: also moves that are no part of the proof, where their value is known
        dot: also return `dot`, with the texts of the positions or with pictures of them
        """
        params: Dict[str, Any] = {
            "game": game, "position": position, "moves": moves, "game_number": game_number, "notation": notation,
            "claim": claim, "depth": depth, "nodes_max": nodes_max, "all": all, "dot": dot,
        }
        return cast(ProofTree, self._call("proof.tree", params, timeout))

    def export(
        self, *, job: Optional[int] = None, game: Optional[str] = None, position: Optional[str] = None,
        moves: Optional[Moves] = None, game_number: Optional[int] = None, claim: Optional[str] = None,
        detail: Optional[Detail] = None, compress: Optional[bool] = None, timeout: Optional[float] = None
    ) -> ProofExport:
        """Make the certificate of an answer. The reply is sent when the certificate (`CERTIFICATE.md`) is complete.
        See "Certificates".

        job: the job whose answer is meant; or else `game`, `position` and `claim`
        game: full name, like connect4:7x6
        position: text in the game's notation; empty: the initial position
        moves: moves played from `position`, as an array or as a record; see "Moves"
        game_number: which game of a record with several games to play, from 1
        claim: as for job.submit; default the strongest that is proved
        detail: `full`: the whole proof; `frontier`: the checker searches leaves again
        compress: make a compressed file, about a third of the size
        """
        params: Dict[str, Any] = {
            "job": job, "game": game, "position": position, "moves": moves, "game_number": game_number, "claim":
            claim, "detail": detail, "compress": compress,
        }
        return cast(ProofExport, self._call("proof.export", params, timeout))

    def cancel(self, *, timeout: Optional[float] = None) -> ProofCancel:
        """End the exports and checks that this connection waits for. Each is answered with the error
        `shutting-down`, and nothing is left of it. An export goes on while another connection waits for one with
        the same parameters.
        """
        return cast(ProofCancel, self._call("proof.cancel", {}, timeout))

    def read(
        self, proof: str, *, offset: Optional[int] = None, size: Optional[int] = None,
        timeout: Optional[float] = None
    ) -> ProofRead:
        """Return a piece of a certificate.

        proof: its name, from proof.export
        offset: first byte
        size: bytes at most
        """
        return cast(ProofRead, self._call("proof.read", {"proof": proof, "offset": offset, "size": size}, timeout))

    def list(self, *, limit: Optional[int] = None, timeout: Optional[float] = None) -> ProofList:
        """List the certificates that are kept, the one used last first.

        limit: certificates at most
        """
        return cast(ProofList, self._call("proof.list", {"limit": limit}, timeout))

    def remove(self, proof: str, *, timeout: Optional[float] = None) -> ProofRemove:
        """Remove a certificate. Facts stay; proof.export makes it again.

        proof: its name, from proof.export or proof.list
        """
        return cast(ProofRemove, self._call("proof.remove", {"proof": proof}, timeout))

    def verify(self, proof: str, *, timeout: Optional[float] = None) -> ProofVerify:
        """Check a certificate with proofcheck, the independent checker. See "Certificates".

        proof: its name, from proof.export or proof.list
        """
        return cast(ProofVerify, self._call("proof.verify", {"proof": proof}, timeout))


class Methods:
    def __init__(self, call: Caller) -> None:
        self.rpc = RpcMethods(call)
        self.server = ServerMethods(call)
        self.game = GameMethods(call)
        self.position = PositionMethods(call)
        self.job = JobMethods(call)
        self.group = GroupMethods(call)
        self.fact = FactMethods(call)
        self.proof = ProofMethods(call)
