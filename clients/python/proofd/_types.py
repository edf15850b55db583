"""The types of parameters and results. Made from rpc.discover by `./dev protocol`; do not edit."""

from typing import Any, Dict, FrozenSet, List, Literal, Optional, Sequence, TypedDict, Union

#: The codes of the errors, by their slugs.
ERROR_CODES: Dict[str, int] = {
    "parse-error": -32700,
    "invalid-request": -32600,
    "unknown-method": -32601,
    "invalid-params": -32602,
    "internal": -32603,
    "bad-game": 1,
    "bad-position": 2,
    "bad-move": 3,
    "bad-claim": 4,
    "bad-algorithm": 5,
    "no-such-job": 6,
    "wrong-state": 7,
    "limit": 8,
    "busy": 9,
    "no-fact": 10,
    "io": 11,
    "no-space": 12,
    "no-memory": 13,
    "format": 14,
    "corrupt": 15,
    "contradiction": 16,
    "locked": 17,
    "unsupported": 18,
    "shutting-down": 19,
    "not-found": 20,
    "usage": 21,
    "unreachable": 22,
    "forbidden": 23,
}

#: The methods that change nothing: a request whose reply was lost is sent again.
READS: FrozenSet[str] = frozenset(
    [
        "rpc.discover",
        "server.hello",
        "server.stats",
        "server.workers",
        "game.list",
        "game.describe",
        "position.show",
        "job.get",
        "job.explain",
        "job.list",
        "job.watch",
        "job.unwatch",
        "job.history",
        "job.tree",
        "group.list",
        "fact.query",
        "fact.probe",
        "fact.line",
        "proof.tree",
        "proof.export",
        "proof.cancel",
        "proof.read",
        "proof.list",
    ]
)

Moves = Union[str, Sequence[str]]
Size = Union[int, str]
ProofNumber = Union[int, Literal["inf"]]
Status = Literal["proved", "disproved", "solved", "unsolved"]
State = Literal["queued", "running", "paused", "solved", "exhausted", "cancelled", "failed"]
Detail = Literal["frontier", "full"]
Source = Literal["rules", "fact", "none"]
Category = Literal["win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss"]
Role = Literal["none", "query", "submit", "admin"]
Lack = Literal["none", "disk", "memory"]
Shape = Literal["square", "hexagon", "point", "edge-across", "edge-down"]
Look = Literal["disc", "cross", "ring", "glyph", "fill", "letter"]
Reason = Literal[
    "ready", "thread", "memory", "after", "disk-reserve", "memory-short", "group-full", "group-paused", "suspect",
    "written", "no-threads", "running", "stopping", "disk", "paused", "budget", "exhausted", "solved", "cancelled",
    "failed",
]
TreeSource = Literal["search", "table", "facts"]
PositionStatus = Literal["proved", "disproved", "open"]
Numbers = Literal["search", "table", "rules", "cycle", "none"]
Record = Literal["pgn", "sgf", "moves"]
Dot = Literal["positions", "boards"]
Kind = Literal["end", "move", "replies", "leaf", "aside"]
Verdict = Literal["verified", "rejected", "unknown"]


# Bounds of a value, from First's view.
class Value(TypedDict):
    lo: Optional[int]  # lower bound
    hi: Optional[int]  # upper bound
    # in words: `first wins`, `draw`, `second wins`, `first wins or draw`, `second wins or draw`, `unknown`; on
    # other scales than -1 to 1 like `first wins by 3` or `between -2 and 4`; some games have words of their own
    text: str


# Nodes searched.
class Nodes(TypedDict):
    level1: int  # by the first-level search
    level2: int  # by the second-level searches


# The `result` of a job, and what `proofctl solve --json` prints.
class Answer(TypedDict):
    game: str  # full name
    position: str  # as it was submitted
    claim: str  # as it was submitted
    # `solved`: the exact value of the claim `value` is known; `proved`, `disproved`: the claim holds or does not;
    # `unsolved`: the budget or the memory was exhausted
    status: Status
    value: Value  # bounds of the value
    move: Optional[str]  # best move
    plies: Optional[int]  # the game is decided within that many plies
    nodes: Nodes  # nodes searched
    seconds: float  # search time in seconds, restarts included; see "Jobs"
    pn: ProofNumber  # proof number of the root, for the last claim
    dn: ProofNumber  # disproof number of the root, for the last claim
    facts: int  # facts found
    line: List[str]  # best play as far as it is proved


class _JobBudget(TypedDict):
    nodes: Optional[int]  # nodes of both levels
    seconds: Optional[float]  # search time


class JobBudget(_JobBudget, total=False):
    cpu: float  # seconds of processor time; absent: no bound
    disk: int  # bytes of its table on disk; absent: no bound


# A job and its progress.
class _Job(TypedDict):
    job: int  # number of the job
    state: State  # where it stands
    game: str  # full name; empty when the job's record is damaged
    # version of the game's rules under which it was submitted; null in jobs from before it was recorded
    rules: Optional[str]
    position: str  # as it was submitted
    claim: str  # as it was submitted
    algorithm: str  # the search algorithm
    detail: Detail  # which solved positions become facts
    priority: int  # jobs of higher priority run first
    key: Optional[str]  # the client's name for it
    group: Optional[str]  # its group
    memory: int  # bytes for its transposition table, trees and cache
    seed: int  # mixed into the order of equal children
    shorten: int  # nodes to search for shorter wins
    budget: JobBudget  # when it gives up; null: no bound
    threads: int  # search threads that may work on it; 0: as many as are free
    nodes: Nodes  # nodes searched
    seconds: float  # search time in seconds, restarts included; see "Jobs"
    cpu: float  # seconds of processor time of its search threads
    table_bytes: int  # bytes of its table on disk, at its last checkpoint; 0: none was made yet
    rate: float  # nodes a second, recent average
    pn: ProofNumber  # proof number of the root
    dn: ProofNumber  # disproof number of the root
    leading: Optional[str]  # move at the root that looks most promising for its mover, until the job is solved
    threshold: int  # the value that the search tries to prove or disprove for First
    value: Value  # bounds so far
    entries: int  # entries of the transposition table
    capacity: int  # entries that it can hold
    facts: int  # facts found
    budget_level2: int  # nodes of a second-level search, as of now
    disk: int  # bytes of the server's files, all jobs together
    submitted: Optional[int]  # milliseconds since 1970
    started: Optional[int]  # milliseconds since 1970
    finished: Optional[int]  # milliseconds since 1970
    restarts: int  # how often it continued after a restart of the server
    crashes: int  # consecutive crashes of the server that it may have caused
    engines: List[str]  # versions of the program that have worked on it, in order
    reason: Optional[str]  # reason why it is paused, exhausted or failed


class Job(_Job, total=False):
    plugin: str  # of a game from a plug-in: the digest of its file
    client: str  # name of the token that it was submitted with, if there was one
    after: List[int]  # jobs that must be solved before it runs
    under: int  # number of its parent job
    first: List[str]  # lines whose last move is tried before the others
    options: Dict[str, Any]  # options that are not the default
    sub_jobs: List[int]  # jobs under it, in the order of their submission, at most 1000; never in job.list
    result: Answer  # once it is solved or exhausted; never in job.list


class FactMove(TypedDict):
    move: str  # the move
    lo: int  # lower bound of the value, from First's view
    hi: int  # upper bound
    text: str  # the bounds in words
    source: Source  # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    rank: Optional[int]  # as above


class FactError(TypedDict):
    code: int  # as of an error reply
    message: str  # what is wrong


# What is proved about a position.
class Fact(TypedDict, total=False):
    lo: int  # lower bound of the value, from First's view
    hi: int  # upper bound
    text: str  # the bounds in words
    source: Source  # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    # the game is decided within that many plies: the rank of the bound that is good for the side that wins, or the
    # larger one of a draw; null where nothing is proved and where the bound rests on infinite play
    rank: Optional[int]
    move: Optional[str]  # the move that gives the player to move its bound in the fewest known plies
    effort: int  # 0: the fact can be checked one ply down; else the nodes of the search that finds it again
    job: int  # the job that found it; 0: none
    worker: str  # number of the worker that found it, 8 hexadecimal digits; `job` is then 0
    moves: List[FactMove]  # with `moves`: what is proved about each move, best first for the side to move
    error: FactError  # instead of all else: the position cannot be read


# A job after a change.
class JobState(TypedDict):
    job: int  # number of the job
    state: State  # its state on disk


# A group of jobs.
class Group(TypedDict):
    group: str  # its name
    limit: Optional[int]  # number of its jobs that may run at once; null: any number
    paused: bool  # none of its jobs may run
    jobs: int  # its jobs, in any state
    queued: int  # its queued jobs
    running: int  # its running jobs


class ProbeMove(TypedDict):
    move: str  # the move
    category: Category  # for the side to move after it; for the opponent when it ends the game
    lo: int  # lower bound of the value, from First's view
    hi: int  # upper bound
    text: str  # the bounds in words
    source: Source  # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    rank: Optional[int]  # as in *fact*
    effort: int  # as in *fact*
    terminal: bool  # true when the game is over


class ProbeError(TypedDict):
    code: int  # as of an error reply
    slug: str  # name of the error
    field: Optional[str]  # the member at fault
    message: str  # what is wrong


# What is proved about a position, for the side to move.
class Probe(TypedDict, total=False):
    game: str  # full name
    position: str  # as requested; with `moves`, the position that they lead to
    first_to_move: Optional[bool]  # null when the game is over
    category: Category  # for the side to move; for First when the game is over
    lo: int  # lower bound of the value, from First's view
    hi: int  # upper bound
    text: str  # the bounds in words
    source: Source  # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    rank: Optional[int]  # as in *fact*
    effort: int  # as in *fact*
    terminal: bool  # true when the game is over
    # each legal move, best first; of wins the sooner, of losses the later is better; unknown moves stand before
    # draws
    moves: List[ProbeMove]
    error: ProbeError  # instead of all else: game, position or moves cannot be read


class OpenrpcMethodParam(TypedDict):
    name: str  # the parameter
    description: str  # what it means
    required: bool  # false: it may be left out
    schema: Dict[str, Any]  # JSON schema


_OpenrpcMethod = TypedDict(
    "_OpenrpcMethod",
    {
        "name": str,  # the method
        "summary": str,  # what it does
        "paramStructure": str,  # `by-name`
        "params": List[OpenrpcMethodParam],  # its parameters
        "result": Dict[str, Any],  # name, description and JSON schema
        "x-role": Role,  # the least role that may call it
        "x-example": Dict[str, Any],  # the params of a good call
    },
)


class OpenrpcMethod(_OpenrpcMethod, total=False):
    description: str  # remarks


# An OpenRPC 1.2.6 document.
class Openrpc(TypedDict):
    openrpc: str  # version of OpenRPC
    info: Dict[str, Any]  # title and version
    methods: List[OpenrpcMethod]  # one entry a method
    components: Dict[str, Any]  # named schemas, and the errors


class ServerHelloLimits(TypedDict):
    line: int  # bytes of a request line
    reply: int  # bytes of a reply line
    batch: int  # calls of a batch
    depth: int  # levels of nesting in a request
    inflight: int  # calls of one connection in flight
    positions: int  # positions of one fact.query
    jobs: int  # jobs of one job.list
    memory: int  # bytes for all running jobs together
    jobs_max: int  # jobs that are not over; 0: no limit
    jobs_per_client: int  # jobs of one client that are not over; 0: no limit
    rate: int  # requests a second of one connection; 0: no limit


class ServerHelloAlgorithm(TypedDict):
    name: str  # its name
    text: str  # what it is


class ServerHello(TypedDict):
    server: str  # `proofd`
    version: str  # version of proofd
    protocol: int  # version of the protocol: 1
    features: List[str]  # names of this server's features; see "Features"
    limits: ServerHelloLimits  # what the server accepts
    algorithms: List[ServerHelloAlgorithm]  # what job.submit takes as `algorithm`, the default first
    socket: Optional[str]  # path of the Unix socket
    pid: int  # process id
    role: Role  # what this connection may do


class ServerStatsJobs(TypedDict):
    queued: int  # jobs in that state
    running: int  # jobs in that state
    paused: int  # jobs in that state
    solved: int  # jobs in that state
    exhausted: int  # jobs in that state
    cancelled: int  # jobs in that state
    failed: int  # jobs in that state


class ServerStatsQuota(TypedDict):
    lack: Lack  # the resource that is short, for which running jobs are paused
    text: Optional[str]  # reason, as a complete sentence; null: nothing is short
    disk: int  # jobs on hold until there is room on the disk
    memory: int  # jobs on hold until there is memory


class ServerStats(TypedDict):
    version: str  # version of proofd
    pid: int  # process id
    uptime: float  # seconds since the start
    jobs: ServerStatsJobs  # how many jobs are in each state
    threads: int  # search threads
    busy: int  # search threads that are searching
    rate: float  # nodes a second, over all running jobs
    nodes: int  # nodes searched since the start
    connections: int  # clients connected
    facts: int  # facts stored
    memtable: int  # facts in the memtable, included in `facts`
    runs: int  # sorted runs on disk
    work_bytes: int  # bytes of the file of jobs, tables and the write-ahead log
    facts_bytes: int  # bytes of the file of facts
    disk_free: int  # bytes free on the disk
    commits: int  # transactions since the start
    commit_ms_max: float  # milliseconds of the slowest commit
    commit_ms_last: float  # milliseconds of the last commit
    memory: int  # resident bytes of the process
    memory_limit: int  # bytes for all running jobs together
    quota: ServerStatsQuota  # shortage of disk or memory, as of about a second ago
    other_coordinator: Optional[str]  # number of another coordinator that uses the same prefix; see server.workers


class ServerWorkersCluster(TypedDict):
    connected: bool  # whether messages can be exchanged with workers
    where: str  # address over which they are exchanged
    since: int  # when `connected` last changed: milliseconds since 1970
    coordinator: str  # number that this server drew as coordinator when it started: 16 hexadecimal digits
    # number of another coordinator that uses the same prefix: both lose most of the workers' time
    other_coordinator: Optional[str]
    workers: int  # workers connected
    threads: int  # their search threads
    out: int  # tasks sent to workers and not answered yet
    waiting: int  # leaves that wait for a worker
    tasks: int  # tasks since the start
    results: int  # results accepted
    late: int  # results that were repeated or too late
    sent_again: int  # tasks sent again
    cancelled: int  # tasks cancelled because no job needed them any more
    verified: int  # solved leaves that this server searched again and confirmed
    refuted: int  # solved leaves that it searched again and found false
    undecided: int  # solved leaves that it could not confirm and did not use
    banned: int  # workers banned for a false result
    refused: int  # workers refused
    nodes: int  # nodes of the results accepted
    cpu: float  # seconds of processor time of the accepted results
    own_cpu: float  # seconds of processor time of the thread that hands out tasks
    grain: int  # node limit of the latest task


class ServerWorkersWorker(TypedDict):
    worker: str  # its number: 16 hexadecimal digits
    giver: str  # its number in facts (`worker` of fact.query)
    name: str  # the name that it gives itself
    state: str  # `there`, `silent`, `gone`, `refused` or `banned`
    why: Optional[str]  # reason why it is refused or banned, as a complete sentence
    sealed: bool  # whether it has the key of this cluster
    version: str  # version of its program
    threads: int  # its search threads
    memory: int  # bytes of memory that it may use
    since: int  # when it connected: milliseconds since 1970
    seen: int  # when its last message arrived: milliseconds since 1970
    in_hand: int  # tasks that it has not answered yet
    done: int  # accepted results
    solved: int  # accepted results that solve their leaves
    verified: int  # its solved leaves that this server searched again and confirmed
    refused: int  # tasks that it refused
    sent_again: int  # its tasks that were sent to other workers
    nodes: int  # nodes of its results
    cpu: float  # seconds of processor time of its results
    rate: float  # nodes a second, recent average


class _ServerWorkers(TypedDict):
    workers: List[ServerWorkersWorker]  # connected workers first, then by name
    count: int  # workers known
    now: int  # the server's time, milliseconds since 1970; `now` minus `seen` or `since` is an age


class ServerWorkers(_ServerWorkers, total=False):
    cluster: ServerWorkersCluster  # totals of all workers; absent: this server has no workers on other machines


class ServerShutdown(TypedDict):
    stopping: bool  # true


class _ServerBackup(TypedDict):
    state: str  # `none` since the start, `running`, `complete` or `failed`
    name: Optional[str]  # name of the last backup
    done: int  # records copied plus records verified so far
    all: int  # records to copy and to verify
    bytes_copied: int  # bytes of new files
    bytes_kept: int  # bytes of files that were there already
    files: int  # files complete so far
    files_kept: int  # files that were there already, included in `files`
    seconds: float  # duration so far


class ServerBackup(_ServerBackup, total=False):
    code: str  # of a failed backup: name of the error, as in "Errors"
    error: str  # of a failed backup: the reason


class GameListGamePlugin(TypedDict):
    file: str  # name of its file
    digest: str  # digest of its file
    author: str  # its author


class _GameListGame(TypedDict):
    name: str  # name without parameters
    title: str  # name in words
    params: str  # what its parameters mean
    example: str  # a full name


class GameListGame(_GameListGame, total=False):
    plugin: GameListGamePlugin  # of a game from a plug-in: where its rules come from


class GameList(TypedDict):
    games: List[GameListGame]  # one entry a game


class GameDescribePlugin(TypedDict):
    file: str  # name of its file
    digest: str  # digest of its file
    author: str  # its author
    rules: int  # its author's version of the rules


class GameDescribeValues(TypedDict):
    min: int  # worst value
    max: int  # best value
    step: int  # difference of neighbouring values


class _GameDescribe(TypedDict):
    game: str  # full name
    title: str  # name in words
    params: str  # what its parameters mean
    notation: str  # how positions and moves are written
    example: str  # a full name
    rules_version: str  # version of the rules; of a graph or a plug-in it changes with the file
    values: GameDescribeValues  # the scale, from First's view
    acyclic: bool  # true when no position can be repeated
    infinite: Optional[int]  # value of infinite play; null in acyclic games
    moves_max: int  # bound on the moves of a position
    plies_max: int  # bound on the plies of a game without repetition
    notations: List[str]  # notations for moves in addition to its own; all are accepted
    records: List[str]  # forms that fact.line can write as `record`
    has_board: bool  # position.show has its board as data and as a drawing
    can_set_up: bool  # position.show takes `setup`


class GameDescribe(_GameDescribe, total=False):
    plugin: GameDescribePlugin  # of a game from a plug-in: where its rules come from


# a diagram, instead of `position` and `moves`: the reply has its position
class Setup(TypedDict, total=False):
    on: str  # as in `diagram`
    side: int  # to move; may be left out where it follows from the pieces
    hands: str  # as in `diagram`
    note: str  # as in `diagram`


class PositionShowGeometrySide(TypedDict):
    name: str  # what players call it
    colour: Optional[str]  # as SVG writes it; null: black and white stones


class PositionShowGeometryPlace(TypedDict):
    x: int  # of its centre, in twelfths of a cell
    y: int  # likewise, downwards
    shape: Shape  # what is drawn when it is empty
    shade: int  # 0 light, 1 dark
    region: int  # part of the board; 0: there are no parts
    name: str  # its name in the game's notation; may be empty


class PositionShowGeometryPiece(TypedDict):
    letter: str  # its letter in `diagram`
    name: str  # in words
    side: Optional[int]  # the side that owns it
    look: Look  # how it is drawn
    glyph: Optional[str]  # text to draw, for the look `glyph`


class PositionShowGeometryStroke(TypedDict):
    x1: int  # where the line begins
    y1: int  # where the line begins
    x2: int  # where it ends
    y2: int  # where it ends
    side: Optional[int]  # the side in whose colour it is drawn
    heavy: bool  # whether it is a heavy line


class PositionShowGeometryLabel(TypedDict):
    x: int  # of its centre
    y: int  # of its centre
    text: str  # the coordinate


class PositionShowGeometry(TypedDict):
    sides: List[PositionShowGeometrySide]  # the two sides; `side` is an index in this list everywhere
    hands: bool  # pieces may be in hand
    places: List[PositionShowGeometryPlace]  # where pieces can stand
    pieces: List[PositionShowGeometryPiece]  # kinds of pieces
    strokes: List[PositionShowGeometryStroke]  # lines under the pieces
    labels: List[PositionShowGeometryLabel]  # coordinates at the border


class PositionShowDiagram(TypedDict):
    on: str  # a character for each place: the letter of a piece, or a dot
    hands: str  # letters of the pieces in hand: those of side 0, a slash, those of side 1
    side: Optional[int]  # the side to move; null when the game is over
    note: str  # what the board does not show
    playable: List[int]  # places worth marking
    last: List[int]  # places of the last of the `moves`


class PositionShowLegal(TypedDict):
    move: str  # as in `moves`
    places: List[int]  # its places, in the order in which a player points at them


class _PositionShow(TypedDict):
    game: str  # full name
    position: str  # text in the game's notation
    board: str  # the board as text of several lines
    first_to_move: Optional[bool]  # null when the game is over
    terminal: bool  # true when the game is over
    moves: List[str]  # legal moves
    key: str  # the exact key, in hexadecimal digits


class PositionShow(_PositionShow, total=False):
    value: int  # value of a terminal position
    text: str  # `value` in words
    geometry: PositionShowGeometry  # the board, the same for all positions of the game
    diagram: PositionShowDiagram  # the position on that board
    legal: List[PositionShowLegal]  # the legal moves with their places
    svg: str  # a drawing, an SVG document


# options of the search, by name; see below
Options = TypedDict(
    "Options",
    {
        # 1+epsilon trick: thresholds rise by this share of a number instead of by 1; default 0.25 for df-pn, 0 for
        # PDS
        "epsilon": float,
        # PDS also leaves a node when one number reaches this multiple of its threshold; not for paper; default 16
        "patience": int,
        # mobility initialization: pn and dn of a leaf start from its number of legal moves instead of 1; in df-pn
        # at level 1 as well; default yes
        "mobility": bool,
        # initial numbers from the game's own heuristic where it has one; never for paper and pn; default yes
        "heuristics": bool,
        # evaluation cut-off: positions that the game can solve statically are leaves; not for paper, pn2, pn,
        # detail full; default yes
        "knowledge": bool,
        # weak PN search: the maximum child number plus the number of other children instead of the sum; default no
        "weak": bool,
        # level 2 looks up solved positions in a cache in memory; never for paper, pn2 and pn; default yes
        "cache": bool,
        # node limit of a level-2 search while the transposition table is empty; not for paper and pn2; default 2000
        "cap-first": int,
        # node limit of a level-2 search when the transposition table is full, of pn2 always; not for paper; default
        # 1000000
        "cap-last": int,
        # table entries, lost ones included, at which the level-2 budget reaches half of their number; not for
        # paper; default 450000
        "fraction-a": int,
        # how slowly that share grows around `fraction-a`, in table entries; not for paper; default 300000
        "fraction-b": int,
        "paper-nodes": int,  # of paper: nodes that both levels together may store (N in the paper); default 1000000
        # size of the transposition table in entries, limited by memory; default: what memory allows; default 0
        "table": int,
        # of pn2: keep the children of a level-2 root with their numbers, not only the root; default yes
        "keep-children": bool,
    },
    total=False,
)


# when to give up
class Budget(TypedDict, total=False):
    nodes: int  # nodes of both levels; 0: no bound
    seconds: float  # search time in seconds, restarts included; 0: no bound
    cpu: float  # seconds of processor time, all its search threads together; 0: no bound
    disk: Size  # bytes of its table on disk; 0: no bound


class JobSubmit(TypedDict):
    job: int  # number of the job


class JobExplainMemory(TypedDict):
    wanted: int  # what this job wants
    reserved: int  # what running jobs have reserved
    limit: int  # what all running jobs together may have


class JobExplain(TypedDict):
    job: int  # number of the job
    state: State  # where it stands
    reason: Reason  # reason, in one word; see "Why a job waits"
    text: str  # reason, in complete sentences
    jobs: List[int]  # numbers of the jobs that it waits for: running ones, then those queued before it; at most 20
    running: int  # jobs that are running
    before: int  # queued jobs that go before it
    memory: JobExplainMemory  # in bytes
    threads: int  # search threads that work on it
    since: Optional[int]  # when its run began, in milliseconds since 1970; null: it is not running
    checkpoint: Optional[int]  # when its last checkpoint was on disk; null: none since the server started


class _JobList(TypedDict):
    jobs: List[Job]  # without their results


class JobList(_JobList, total=False):
    next: int  # `before` of the next page; absent when there are no more


class JobRemove(TypedDict):
    job: int  # number of the job


class JobUnwatch(TypedDict):
    job: int  # number of the job


class JobHistoryPoint(TypedDict):
    t: int  # milliseconds since 1970
    event: str  # what happened
    nodes: int  # nodes of both levels so far
    pn: ProofNumber  # proof number of the root
    dn: ProofNumber  # disproof number of the root
    entries: int  # entries of the transposition table
    facts: int  # facts found


class JobHistory(TypedDict):
    points: List[JobHistoryPoint]  # in order of time


class _JobTreePosition(TypedDict):
    parent: Optional[int]  # index of its parent in this list, from 0; null: the first position
    depth: int  # plies below the first position
    move: Optional[str]  # the move that leads here
    first_to_move: Optional[bool]  # null when the game is over
    status: PositionStatus  # status of the claim here: by the rules or a fact, else by the numbers
    pn: Optional[ProofNumber]  # proof number; null: there is none
    dn: Optional[ProofNumber]  # disproof number
    # source of `pn` and `dn`. `search`: frames or tree, as of now; `table`: as of when the search left the position
    # last; `rules`; `cycle`: the line has met the position before; `none`
    numbers: Numbers
    path_dependent: bool  # whether `pn` and `dn` are true on this line only
    effort: Optional[int]  # nodes spent on it; null: not known
    threads: int  # search threads that are at it or below it now
    moves: int  # its moves that a search looks at
    known: int  # those of its moves for which rules or facts settle the claim


class JobTreePosition(_JobTreePosition, total=False):
    worker: str  # name of the worker on another machine that searches it now, see `server.workers`; absent: none
    value: Value  # what the rules or facts say about it; absent: nothing


class JobTree(TypedDict):
    job: int  # number of the job
    state: State  # where the job stands
    # `search`: the running search, as of now; `table`: its table, as it was stored; `facts`: neither, only what is
    # proved
    source: TreeSource
    game: str  # full name
    position: str  # the first position of the tree
    line: List[str]  # moves that lead there from the job's position
    threshold: int  # the claim in work: First gets at least this value
    nodes: Nodes  # nodes searched by the job
    seconds: float  # search time of the job
    whole: bool  # false: positions within `depth` were left out for lack of room
    # the tree from top to bottom: each position is followed by those below it, the one with most effort first
    positions: List[JobTreePosition]


class GroupList(TypedDict):
    groups: List[Group]  # in order of their names


class _FactQuery(TypedDict):
    facts: List[Fact]  # in the order asked


class FactQuery(_FactQuery, total=False):
    depth: int  # 0: only the positions' own facts were used; their moves may give more, or a smaller rank


class Position(TypedDict, total=False):
    game: str  # full name, like connect4:7x6
    position: str  # text in the game's notation; empty: the initial position
    moves: Moves  # moves played from `position`, as an array or as a record; see "Moves"
    game_number: int  # which game of a record with several games to play, from 1
    notation: str  # one of the game's `notations`, for moves in the reply; default: the game's own


class FactProbe(TypedDict):
    answers: List[Probe]  # in the order asked


class _FactLine(TypedDict):
    position: str  # as requested; with `moves`, the position that they lead to
    value: Value  # bounds of its value
    line: List[str]  # moves
    complete: bool  # true when it reaches the end of the game or repeats a position


class FactLine(_FactLine, total=False):
    record: str  # with `record`: the line as a file of that form


class ProofTreeNodeMove(TypedDict):
    move: str  # the move
    to: int  # `id` of the node that it leads to
    proof: bool  # it is a part of the proof


class ProofTreeNode(TypedDict):
    id: int  # its index in this list
    position: str  # text in the game's notation
    depth: int  # the fewest plies from the first
    # `end`: the game is over; `move`: the mover wants the bound, and one move suffices; `replies`: all moves;
    # `leaf`: the search that found the bound was not kept (`effort`); `aside`: not part of the proof
    kind: Kind
    first_to_move: Optional[bool]  # null when the game is over
    lo: int  # lower bound of the value, from First's view
    hi: int  # upper bound
    text: str  # the bounds in words
    source: Source  # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    lower: Optional[int]  # the lower bound that the proof uses here; null: none
    upper: Optional[int]  # the upper bound that it uses here
    rank: Optional[int]  # that bound is reached within that many plies; null where it rests on infinite play
    # 0, or the nodes of the search that finds a bound again; where both are used, one of them may be left to a
    # search and the other not
    effort: int
    moves: List[ProofTreeNodeMove]  # what was followed from here
    more: int  # moves of the proof from here that a limit cut off


class _ProofTree(TypedDict):
    game: str  # full name
    claim: str  # what is proved or disproved
    status: str  # `proved`, `disproved` or `solved`
    nodes: List[ProofTreeNode]  # the positions; the first is the one that was asked about
    more: int  # the sum of `more` of all nodes; 0: the proof is whole, down to its leaves


class ProofTree(_ProofTree, total=False):
    dot: str  # with `dot`: the graph in the language of Graphviz


class ProofExport(TypedDict):
    proof: str  # its name, for proof.read
    file: str  # path on the server's machine
    claim: str  # what it proves
    status: str  # `proved`, `disproved` or `solved`
    positions: int  # positions in it
    reasons: int  # bounds that it justifies
    leaves: int  # bounds that the checker searches again, included in `reasons`
    bytes: int  # size of the file


class ProofCancel(TypedDict):
    cancelled: int  # requests of this connection that end


class ProofRead(TypedDict):
    offset: int  # first byte of the piece
    size: int  # bytes of the piece
    bytes: int  # bytes of the whole certificate
    data: str  # the piece in base64


class ProofListProof(TypedDict):
    proof: str  # its name
    game: str  # full name
    rules: str  # version of the game's rules
    position: str  # text in the game's notation
    claim: str  # what it proves
    status: str  # `proved`, `disproved` or `solved`
    detail: str  # `full` or `frontier`
    positions: int  # positions in it
    reasons: int  # bounds that it justifies
    leaves: int  # bounds that the checker searches again, included in `reasons`
    bytes: int  # size of the file
    used: int  # when it was made, asked for or read last: milliseconds since 1970


class ProofListMaking(TypedDict):
    game: str  # full name
    position: str  # as requested
    claim: Optional[str]  # what it is to prove; null: the strongest that is proved
    detail: str  # `full` or `frontier`
    positions: int  # positions gathered so far
    seconds: float  # seconds since it was begun


class ProofList(TypedDict):
    proofs: List[ProofListProof]  # one entry a certificate, as the certificate states it; proof.verify checks it
    count: int  # certificates that are kept
    bytes: int  # bytes of their files
    bytes_max: int  # bytes that they may have; 0: no limit
    making: List[ProofListMaking]  # the certificate that is being made, if there is one
    waiting: int  # calls of proof.export that wait for their turn
    checker: bool  # whether this server has a checker for proof.verify


class ProofRemove(TypedDict):
    proof: str  # its name


class _ProofVerify(TypedDict):
    proof: str  # its name
    # `verified`: the claim follows from the rules; `rejected`: the file does not prove it; `unknown`: the checker
    # does not know that game, version of rules or format
    verdict: Verdict
    text: str  # the verdict in words


class ProofVerify(_ProofVerify, total=False):
    game: str  # full name, as the file says
    rules: str  # version of the rules; the checker's are its own
    plugin: str  # digest of the plug-in with the search's rules
    position: str  # text in the game's notation; empty: the initial position
    claim: str  # what it proves
    status: str  # `proved`, `disproved` or `solved`
    outcome: str  # the value in the game's words, where it follows
    detail: str  # `full` or `frontier`
    format: int  # format of the file
    lo: int  # lower bound of the value that it proves
    hi: int  # upper bound that it proves
    positions: int  # positions in it
    reasons: int  # bounds that it justifies
    leaves: int  # bounds that the checker searches again, included in `reasons`
    searched_nodes: int  # nodes of these searches
    seconds: float  # duration of a successful check
    reason: str  # reason why it is not verified
    where: str  # the position concerned
    offset: int  # the byte of the file concerned
