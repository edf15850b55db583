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
Status = Literal[
    "proved", "disproved", "solved", "unsolved",
]
State = Literal[
    "queued", "running", "paused", "solved", "exhausted", "cancelled", "failed",
]
Detail = Literal[
    "frontier", "full",
]
Source = Literal[
    "rules", "fact", "none",
]
Category = Literal[
    "win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss",
]
Role = Literal[
    "none", "query", "submit", "admin",
]
Lack = Literal[
    "none", "disk", "memory",
]
Shape = Literal[
    "square", "hexagon", "point", "edge-across", "edge-down",
]
Look = Literal[
    "disc", "cross", "ring", "glyph", "fill", "letter",
]
Reason = Literal[
    "ready", "thread", "memory", "after", "disk-reserve", "memory-short", "group-full", "group-paused", "suspect",
    "written", "no-threads", "running", "stopping", "disk", "paused", "budget", "exhausted", "solved", "cancelled",
    "failed",
]
TreeSource = Literal[
    "search", "table", "facts",
]
PositionStatus = Literal[
    "proved", "disproved", "open",
]
Numbers = Literal[
    "search", "table", "rules", "cycle", "none",
]
Record = Literal[
    "pgn", "sgf", "moves",
]
Dot = Literal[
    "positions", "boards",
]
Kind = Literal[
    "end", "move", "replies", "leaf", "aside",
]
Verdict = Literal[
    "verified", "rejected", "unknown",
]


# Bounds of a value, from First's view.
class Value(TypedDict):
    # lower bound
    lo: Optional[int]
    # upper bound
    hi: Optional[int]
    # in words: `first wins`, `draw`, `second wins`, `first wins or draw`, `second wins or draw`, `unknown`; on
    # other scales than -1 to 1 like `first wins by 3` or `between -2 and 4`; some games have words of their own
    text: str


# Nodes searched.
class Nodes(TypedDict):
    # by the first-level search
    level1: int
    # by the second-level searches
    level2: int


# The `result` of a job, and what `proofctl solve --json` prints.
class Answer(TypedDict):
    # full name
    game: str
    # as it was submitted
    position: str
    # as it was submitted
    claim: str
    # `solved`: the exact value of the claim `value` is known; `proved`, `disproved`: the claim holds or does not;
    # `unsolved`: the budget or the memory was exhausted
    status: Status
    # bounds of the value
    value: Value
    # best move
    move: Optional[str]
    # the game is decided within that many plies
    plies: Optional[int]
    # nodes searched
    nodes: Nodes
    # search time, restarts included; see "Jobs"
    seconds: float
    # proof number of the root, for the last claim
    pn: ProofNumber
    # disproof number of the root, for the last claim
    dn: ProofNumber
    # facts found
    facts: int
    # best play as far as it is proved
    line: List[str]


class _JobBudget(TypedDict):
    # nodes of both levels
    nodes: Optional[int]
    # search time
    seconds: Optional[float]


class JobBudget(_JobBudget, total=False):
    # seconds of processor time; absent: no bound
    cpu: float
    # bytes of its table on disk; absent: no bound
    disk: int


# A job and its progress.
class _Job(TypedDict):
    # number of the job
    job: int
    # where it stands
    state: State
    # full name; empty when the job's record is damaged
    game: str
    # version of the game's rules under which it was submitted; null in jobs from before it was recorded
    rules: Optional[str]
    # as it was submitted
    position: str
    # as it was submitted
    claim: str
    # the search algorithm
    algorithm: str
    # which solved positions become facts
    detail: Detail
    # larger runs first
    priority: int
    # the client's name for it
    key: Optional[str]
    # its group
    group: Optional[str]
    # bytes for its transposition table, trees and cache
    memory: int
    # mixed into the order of equal children
    seed: int
    # nodes to search for shorter wins
    shorten: int
    # when it gives up; null: no bound
    budget: JobBudget
    # search threads that may work on it; 0: as many as are free
    threads: int
    # nodes searched
    nodes: Nodes
    # search time, restarts included; see "Jobs"
    seconds: float
    # seconds of processor time of its search threads
    cpu: float
    # bytes of its table on disk, at its last checkpoint; 0: none was made yet
    table_bytes: int
    # nodes a second, lately
    rate: float
    # proof number of the root
    pn: ProofNumber
    # disproof number of the root
    dn: ProofNumber
    # move at the root that looks most promising for its mover, until the job is solved
    leading: Optional[str]
    # the value of which the search asks whether First gets it
    threshold: int
    # bounds so far
    value: Value
    # entries of the transposition table
    entries: int
    # entries that it can hold
    capacity: int
    # facts found
    facts: int
    # nodes of a second-level search, as of now
    budget_level2: int
    # bytes of the server's files, all jobs together
    disk: int
    # milliseconds since 1970
    submitted: Optional[int]
    # milliseconds since 1970
    started: Optional[int]
    # milliseconds since 1970
    finished: Optional[int]
    # how often its run went on after a restart of the server
    restarts: int
    # crashes of the server in a row that it may have caused
    crashes: int
    # versions of the program that have worked on it, in order
    engines: List[str]
    # why it is paused, exhausted or failed
    reason: Optional[str]


class Job(_Job, total=False):
    # of a game from a plug-in: the digest of its file
    plugin: str
    # name of the token that it was submitted with, if there was one
    client: str
    # jobs that must be solved before it runs
    after: List[int]
    # the job that it serves
    under: int
    # lines whose last move is tried before the others
    first: List[str]
    # options that are not the default
    options: Dict[str, Any]
    # jobs under it, in the order of their submission, at most 1000; never in job.list
    sub_jobs: List[int]
    # once it is solved or exhausted; never in job.list
    result: Answer


class FactMove(TypedDict):
    # the move
    move: str
    # lower bound of the value, from First's view
    lo: int
    # upper bound
    hi: int
    # the bounds in words
    text: str
    # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    source: Source
    # as above
    rank: Optional[int]


class FactError(TypedDict):
    # as of an error reply
    code: int
    # what is wrong
    message: str


# What is proved about a position.
class Fact(TypedDict, total=False):
    # lower bound of the value, from First's view
    lo: int
    # upper bound
    hi: int
    # the bounds in words
    text: str
    # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    source: Source
    # the game is decided within that many plies: the rank of the bound that is good for the side that wins, or the
    # larger one of a draw; null where nothing is proved and where the bound rests on infinite play
    rank: Optional[int]
    # a move that gives the player to move its bound, as soon as is known
    move: Optional[str]
    # 0: the fact can be checked one ply down; else the nodes of the search that finds it again
    effort: int
    # the job that found it; 0: none
    job: int
    # the number of the worker of another machine that found it, eight hexadecimal digits; job is then 0
    worker: str
    # with `moves`: what is proved about each move, best first for the side to move
    moves: List[FactMove]
    # instead of all else: the position cannot be read
    error: FactError


# A job after a change.
class JobState(TypedDict):
    # number of the job
    job: int
    # its state on disk
    state: State


# A group of jobs.
class Group(TypedDict):
    # its name
    group: str
    # jobs of it that may run at once; null: any number
    limit: Optional[int]
    # none of its jobs may run
    paused: bool
    # its jobs, in any state
    jobs: int
    # queued ones of them
    queued: int
    # running ones of them
    running: int


class ProbeMove(TypedDict):
    # the move
    move: str
    # for the side to move after it; for the opponent when it ends the game
    category: Category
    # lower bound of the value, from First's view
    lo: int
    # upper bound
    hi: int
    # the bounds in words
    text: str
    # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    source: Source
    # as in *fact*
    rank: Optional[int]
    # as in *fact*
    effort: int
    # true when the game is over
    terminal: bool


class ProbeError(TypedDict):
    # as of an error reply
    code: int
    # name of the error
    slug: str
    # the member at fault
    field: Optional[str]
    # what is wrong
    message: str


# What is proved about a position, for the side to move.
class Probe(TypedDict, total=False):
    # full name
    game: str
    # as it was asked; with `moves`, the position that they lead to
    position: str
    # null when the game is over
    first_to_move: Optional[bool]
    # for the side to move; for First when the game is over
    category: Category
    # lower bound of the value, from First's view
    lo: int
    # upper bound
    hi: int
    # the bounds in words
    text: str
    # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    source: Source
    # as in *fact*
    rank: Optional[int]
    # as in *fact*
    effort: int
    # true when the game is over
    terminal: bool
    # each legal move, best first: a win is better the sooner, a loss the later; unknown ones stand before draws
    moves: List[ProbeMove]
    # instead of all else: game, position or moves cannot be read
    error: ProbeError


class OpenrpcMethodParam(TypedDict):
    # the parameter
    name: str
    # what it means
    description: str
    # false: it may be left out
    required: bool
    # JSON schema
    schema: Dict[str, Any]


_OpenrpcMethod = TypedDict(
    "_OpenrpcMethod",
    {
        # the method
        "name": str,
        # what it does
        "summary": str,
        # `by-name`
        "paramStructure": str,
        # its parameters
        "params": List[OpenrpcMethodParam],
        # name, description and JSON schema
        "result": Dict[str, Any],
        # the least role that may call it
        "x-role": Role,
        # the params of a good call
        "x-example": Dict[str, Any],
    },
)


class OpenrpcMethod(_OpenrpcMethod, total=False):
    # remarks
    description: str


# An OpenRPC 1.2.6 document.
class Openrpc(TypedDict):
    # version of OpenRPC
    openrpc: str
    # title and version
    info: Dict[str, Any]
    # one entry a method
    methods: List[OpenrpcMethod]
    # named schemas, and the errors
    components: Dict[str, Any]


class ServerHelloLimits(TypedDict):
    # bytes of a request line
    line: int
    # bytes of a reply line
    reply: int
    # calls of a batch
    batch: int
    # levels of nesting in a request
    depth: int
    # calls of one connection in flight
    inflight: int
    # the same under its older name
    pending: int
    # positions of one fact.query
    positions: int
    # jobs of one job.list
    jobs: int
    # bytes for all running jobs together
    memory: int
    # jobs that are not over; 0: no limit
    jobs_max: int
    # jobs of one client that are not over; 0: no limit
    jobs_per_client: int
    # requests a second of one connection; 0: no limit
    rate: int


class ServerHelloAlgorithm(TypedDict):
    # its name
    name: str
    # what it is
    text: str


class ServerHello(TypedDict):
    # `proofd`
    server: str
    # version of the program
    version: str
    # version of the protocol: 1
    protocol: int
    # names of what this server can do; see "Features"
    features: List[str]
    # what the server accepts
    limits: ServerHelloLimits
    # what job.submit takes as `algorithm`, the default first
    algorithms: List[ServerHelloAlgorithm]
    # path of the Unix socket
    socket: Optional[str]
    # process id
    pid: int
    # what this connection may do
    role: Role


class ServerStatsJobs(TypedDict):
    # jobs queued
    queued: int
    # jobs running
    running: int
    # jobs paused
    paused: int
    # jobs solved
    solved: int
    # jobs exhausted
    exhausted: int
    # jobs cancelled
    cancelled: int
    # jobs failed
    failed: int


class ServerStatsQuota(TypedDict):
    # what is short: running jobs are paused for it
    lack: Lack
    # why, as a sentence
    text: Optional[str]
    # jobs on hold until there is room on the disk
    disk: int
    # jobs on hold until there is memory
    memory: int


class ServerStats(TypedDict):
    # version of the program
    version: str
    # process id
    pid: int
    # seconds since the start
    uptime: float
    # how many jobs are in each state
    jobs: ServerStatsJobs
    # search threads
    workers: int
    # search threads that search
    busy: int
    # nodes a second, all running jobs together
    rate: float
    # nodes searched since the start
    nodes: int
    # clients connected
    connections: int
    # facts stored
    facts: int
    # facts of them in the memtable
    memtable: int
    # the same under its older name
    delta: int
    # sorted runs on disk
    runs: int
    # bytes of the file of jobs, tables and the write-ahead log
    work_bytes: int
    # bytes of the file of facts
    facts_bytes: int
    # bytes free on the disk
    disk_free: int
    # transactions since the start
    commits: int
    # milliseconds of the slowest commit
    commit_ms_max: float
    # milliseconds of the last commit
    commit_ms_last: float
    # resident bytes of the process
    memory: int
    # bytes for all running jobs together
    memory_limit: int
    # disk and memory that jobs have to leave free, about a second ago
    quota: ServerStatsQuota
    # number of another server that uses the same prefix for its workers (see server.workers)
    other_coordinator: Optional[str]


class ServerWorkersCluster(TypedDict):
    # whether messages can be exchanged with workers
    connected: bool
    # address over which they are exchanged
    where: str
    # since when it is as it is: milliseconds since 1970
    since: int
    # number of this server's life as the workers' coordinator, sixteen hexadecimal digits
    coordinator: str
    # that of another server that uses the same prefix, which costs both most of the workers' time
    other_coordinator: Optional[str]
    # workers that are there
    workers: int
    # their search threads
    threads: int
    # tasks that workers have
    out: int
    # leaves that wait for a worker
    waiting: int
    # tasks since the start
    tasks: int
    # results that counted
    results: int
    # results that came twice or too late
    late: int
    # tasks that were sent again
    sent_again: int
    # tasks that were of no use any more
    cancelled: int
    # solved leaves that were searched again here, and found true
    verified: int
    # the same, and found false
    refuted: int
    # the same, not found again, and not used
    undecided: int
    # workers that gave a false result
    banned: int
    # workers that were turned away
    refused: int
    # nodes of the results that counted
    nodes: int
    # seconds of processor time that workers spent on them
    cpu: float
    # seconds of processor time of the thread that hands out tasks
    own_cpu: float
    # nodes that the latest task may search
    grain: int


class ServerWorkersWorker(TypedDict):
    # its number, sixteen hexadecimal digits
    worker: str
    # the number that its facts have (`worker` of fact.query)
    giver: str
    # what it calls itself
    name: str
    # `there`, `silent`, `gone`, `refused` or `banned`
    state: str
    # why it is refused or banned, as a sentence
    why: Optional[str]
    # it has the key of this cluster
    sealed: bool
    # version of its program
    version: str
    # its search threads
    threads: int
    # bytes of memory of its machine that it may use
    memory: int
    # when it came: milliseconds since 1970
    since: int
    # when it was last heard of: milliseconds since 1970
    seen: int
    # tasks that it has
    in_hand: int
    # results of it that counted
    done: int
    # solved leaves of them
    solved: int
    # those of them that were searched again here, and found true
    verified: int
    # tasks that it refused
    refused: int
    # tasks of it that were sent to others
    sent_again: int
    # nodes of its results
    nodes: int
    # seconds of processor time that it spent on them
    cpu: float
    # nodes a second, lately
    rate: float


class _ServerWorkers(TypedDict):
    # those that are there first, then by name
    workers: List[ServerWorkersWorker]
    # workers that are known
    count: int
    # the server's time, milliseconds since 1970: `now` less `seen` or `since` is an age
    now: int


class ServerWorkers(_ServerWorkers, total=False):
    # all of them together; missing: this server has no workers on other machines
    cluster: ServerWorkersCluster


class ServerShutdown(TypedDict):
    # true
    stopping: bool


class _ServerBackup(TypedDict):
    # `none` since the start, `running`, `complete` or `failed`
    state: str
    # the last backup
    name: Optional[str]
    # records copied, and records verified, so far
    done: int
    # records to copy and to verify
    all: int
    # bytes of new files
    bytes_copied: int
    # bytes that were there already
    bytes_kept: int
    # files complete so far
    files: int
    # files of them that were there already
    files_kept: int
    # time it has taken
    seconds: float


class ServerBackup(_ServerBackup, total=False):
    # of a failed backup: name of the error, as in "Errors"
    code: str
    # of a failed backup: why
    error: str


class GameListGamePlugin(TypedDict):
    # name of its file
    file: str
    # digest of its file
    digest: str
    # whom to ask about it
    author: str


class _GameListGame(TypedDict):
    # name without parameters
    name: str
    # name in words
    title: str
    # what its parameters mean
    params: str
    # a full name
    example: str


class GameListGame(_GameListGame, total=False):
    # of a game from a plug-in: where its rules come from
    plugin: GameListGamePlugin


class GameList(TypedDict):
    # one entry a game
    games: List[GameListGame]


class GameDescribePlugin(TypedDict):
    # name of its file
    file: str
    # digest of its file
    digest: str
    # whom to ask about it
    author: str
    # its author's version of the rules
    rules: int


class GameDescribeValues(TypedDict):
    # worst value
    min: int
    # best value
    max: int
    # difference of neighbouring values
    step: int


class _GameDescribe(TypedDict):
    # full name
    game: str
    # name in words
    title: str
    # what its parameters mean
    params: str
    # how positions and moves are written
    notation: str
    # a full name
    example: str
    # version of the rules; of a graph or a plug-in it changes with the file
    rules_version: str
    # the scale, from First's view
    values: GameDescribeValues
    # true when no position can be repeated
    acyclic: bool
    # value of infinite play; null in acyclic games
    infinite: Optional[int]
    # bound on the moves of a position
    moves_max: int
    # bound on the plies of a game without repetition
    plies_max: int
    # notations for moves besides its own; all are read
    notations: List[str]
    # what fact.line may write as `record`
    records: List[str]
    # position.show has its board as data and as a drawing
    has_board: bool
    # position.show takes `setup`
    can_set_up: bool


class GameDescribe(_GameDescribe, total=False):
    # of a game from a plug-in: where its rules come from
    plugin: GameDescribePlugin


# a diagram, instead of `position` and `moves`: the reply has its position
class Setup(TypedDict, total=False):
    # as in `diagram`
    on: str
    # to move; may be left out where it follows from the pieces
    side: int
    # as in `diagram`
    hands: str
    # as in `diagram`
    note: str


class PositionShowGeometrySide(TypedDict):
    # what players call it
    name: str
    # as SVG writes it; null: black and white stones
    colour: Optional[str]


class PositionShowGeometryPlace(TypedDict):
    # of its centre, in twelfths of a cell
    x: int
    # likewise, downwards
    y: int
    # what is drawn when it is empty
    shape: Shape
    # 0 light, 1 dark
    shade: int
    # part of the board; 0: there are no parts
    region: int
    # as players write it, or empty
    name: str


class PositionShowGeometryPiece(TypedDict):
    # stands for it in `diagram`
    letter: str
    # in words
    name: str
    # whose it is
    side: Optional[int]
    # how it is drawn
    look: Look
    # text to draw, for the look `glyph`
    glyph: Optional[str]


class PositionShowGeometryStroke(TypedDict):
    # from
    x1: int
    # from
    y1: int
    # to
    x2: int
    # to
    y2: int
    # in whose colour
    side: Optional[int]
    # a heavy line
    heavy: bool


class PositionShowGeometryLabel(TypedDict):
    # of its centre
    x: int
    # of its centre
    y: int
    # the coordinate
    text: str


class PositionShowGeometry(TypedDict):
    # the two sides; `side` is an index in this list everywhere
    sides: List[PositionShowGeometrySide]
    # pieces may be in hand
    hands: bool
    # where pieces can stand
    places: List[PositionShowGeometryPlace]
    # kinds of pieces
    pieces: List[PositionShowGeometryPiece]
    # lines under the pieces
    strokes: List[PositionShowGeometryStroke]
    # coordinates at the border
    labels: List[PositionShowGeometryLabel]


class PositionShowDiagram(TypedDict):
    # a character for each place: the letter of a piece, or a dot
    on: str
    # letters of the pieces in hand of each side, a / between
    hands: str
    # to move; null when the game is over
    side: Optional[int]
    # what the board does not show
    note: str
    # places worth marking
    playable: List[int]
    # places of the last of the `moves`
    last: List[int]


class PositionShowLegal(TypedDict):
    # as in `moves`
    move: str
    # the places that it names, in the order in which a player points at them
    places: List[int]


class _PositionShow(TypedDict):
    # full name
    game: str
    # text in the game's notation
    position: str
    # a picture of several lines
    board: str
    # null when the game is over
    first_to_move: Optional[bool]
    # true when the game is over
    terminal: bool
    # legal moves
    moves: List[str]
    # the exact key, in hexadecimal digits
    key: str


class PositionShow(_PositionShow, total=False):
    # value of a terminal position
    value: int
    # the same in words
    text: str
    # the board, the same for all positions of the game
    geometry: PositionShowGeometry
    # the position on that board
    diagram: PositionShowDiagram
    # the legal moves again
    legal: List[PositionShowLegal]
    # a drawing, an SVG document
    svg: str


# options of the search, by name; see below
Options = TypedDict(
    "Options",
    {
        # 1+epsilon trick: thresholds rise by this share of a number instead of by 1; default 0.25 for df-pn, 0 for
        # PDS
        "epsilon": float,
        # PDS also leaves a node when one number reaches this multiple of its threshold; not for paper; default 16
        "patience": int,
        # mobility initialization: leaf pn/dn start from the number of legal moves instead of 1/1; in df-pn at level
        # 1, too; default yes
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
        # a of the level-2 budget x / (1 + exp((a - x) / b)), x entries that the table holds or has lost; not for
        # paper; default 450000
        "fraction-a": int,
        # b of the level-2 budget; not for paper; default 300000
        "fraction-b": int,
        # of paper: nodes that both levels may store together (N in the paper); default 1000000
        "paper-nodes": int,
        # size of the transposition table in entries, at most what memory allows; default: what memory allows;
        # default 0
        "table": int,
        # of pn2: the children of a level-2 root are kept with their numbers, not the root alone; default yes
        "keep-children": bool,
    },
    total=False,
)


# when to give up
class Budget(TypedDict, total=False):
    # nodes of both levels; 0: no bound
    nodes: int
    # search time, restarts included; 0: no bound
    seconds: float
    # seconds of processor time, all its search threads together; 0: no bound
    cpu: float
    # bytes of its table on disk; 0: no bound
    disk: Size


class JobSubmit(TypedDict):
    # number of the job
    job: int


class JobExplainMemory(TypedDict):
    # by this job
    wanted: int
    # by the running jobs
    reserved: int
    # for all running jobs together
    limit: int


class JobExplain(TypedDict):
    # number of the job
    job: int
    # where it stands
    state: State
    # why, in one word; see "Why a job waits"
    reason: Reason
    # why, as sentences
    text: str
    # numbers of the jobs that are in its way: the running ones, then those queued before it; at most 20
    jobs: List[int]
    # jobs that are running
    running: int
    # queued jobs that go before it
    before: int
    # in bytes
    memory: JobExplainMemory
    # search threads that work on it
    threads: int
    # when its run began, in milliseconds since 1970; null: it does not run
    since: Optional[int]
    # when its last checkpoint was on disk; null: none since the server started
    checkpoint: Optional[int]


class _JobList(TypedDict):
    # without their results
    jobs: List[Job]


class JobList(_JobList, total=False):
    # `before` of the next page; absent when there are no more
    next: int


class JobRemove(TypedDict):
    # number of the job
    job: int


class JobUnwatch(TypedDict):
    # number of the job
    job: int


class JobHistoryPoint(TypedDict):
    # milliseconds since 1970
    t: int
    # what happened
    event: str
    # nodes of both levels so far
    nodes: int
    # proof number of the root
    pn: ProofNumber
    # disproof number of the root
    dn: ProofNumber
    # entries of the transposition table
    entries: int
    # facts found
    facts: int


class JobHistory(TypedDict):
    # in order of time
    points: List[JobHistoryPoint]


class _JobTreePosition(TypedDict):
    # place of its parent in this list, from 0; null: it is the first
    parent: Optional[int]
    # plies below the first position
    depth: int
    # that leads here
    move: Optional[str]
    # null when the game is over
    first_to_move: Optional[bool]
    # of the claim: by the rules or a fact, else by the numbers
    status: PositionStatus
    # proof number; null: there is none
    pn: Optional[ProofNumber]
    # disproof number
    dn: Optional[ProofNumber]
    # where these come from. `search`: frames or tree, as of now; `table`: as of when the search left the position
    # last; `rules`; `cycle`: the line has met the position before; `none`
    numbers: Numbers
    # they are true on this line only
    path_dependent: bool
    # nodes spent on it; null: not known
    effort: Optional[int]
    # search threads that are at it or below it now
    threads: int
    # its moves that a search looks at
    moves: int
    # moves of these that the rules or facts settle for the claim
    known: int


class JobTreePosition(_JobTreePosition, total=False):
    # name of the worker on another machine that searches it now, see `server.workers`; absent: none
    worker: str
    # what the rules or facts say of it; absent: nothing
    value: Value


class JobTree(TypedDict):
    # number of the job
    job: int
    # where the job stands
    state: State
    # `search`: the running search, as of now; `table`: its table, as it was stored; `facts`: neither, only what is
    # proved
    source: TreeSource
    # full name
    game: str
    # the first position of the tree
    position: str
    # moves that lead there from the job's position
    line: List[str]
    # the claim in work: First gets at least this value
    threshold: int
    # nodes searched by the job
    nodes: Nodes
    # search time of the job
    seconds: float
    # false: there was no room for all positions within `depth`
    whole: bool
    # the tree from top to bottom: each position is followed by those below it, the one with most effort first
    positions: List[JobTreePosition]


class GroupList(TypedDict):
    # in order of their names
    groups: List[Group]


class _FactQuery(TypedDict):
    # in the order asked
    facts: List[Fact]


class FactQuery(_FactQuery, total=False):
    # 0: that was the depth; what each move tells may be more, or have a smaller rank
    depth: int


class Position(TypedDict, total=False):
    # full name, like connect4:7x6
    game: str
    # text in the game's notation; empty: the initial position
    position: str
    # moves played from `position`, as an array or as a record; see "Moves"
    moves: Moves
    # which game of a record that holds several is played, from 1
    game_number: int
    # one of the game's `notations`, for moves in the reply; default: the game's own
    notation: str


class FactProbe(TypedDict):
    # in the order asked
    answers: List[Probe]


class _FactLine(TypedDict):
    # as it was asked; with `moves`, the position that they lead to
    position: str
    # bounds of its value
    value: Value
    # moves
    line: List[str]
    # true when it reaches the end of the game or repeats a position
    complete: bool


class FactLine(_FactLine, total=False):
    # with `record`: the line as a file of that form
    record: str


class ProofTreeNodeMove(TypedDict):
    # the move
    move: str
    # `id` of the node that it leads to
    to: int
    # it is a part of the proof
    proof: bool


class ProofTreeNode(TypedDict):
    # its index in this list
    id: int
    # text in the game's notation
    position: str
    # the fewest plies from the first
    depth: int
    # `end`: the game is over; `move`: the mover wants the bound, and one move suffices; `replies`: all moves;
    # `leaf`: the search that found the bound was not kept (`effort`); `aside`: no part of the proof
    kind: Kind
    # null when the game is over
    first_to_move: Optional[bool]
    # lower bound of the value, from First's view
    lo: int
    # upper bound
    hi: int
    # the bounds in words
    text: str
    # what the bounds rest on; `rules`: the game is over, or ends after the moves that count
    source: Source
    # the lower bound that the proof uses here; null: none
    lower: Optional[int]
    # the upper bound that it uses here
    upper: Optional[int]
    # that bound is reached within that many plies; null where it rests on infinite play
    rank: Optional[int]
    # 0, or the nodes of the search that finds a bound again; where both are used, one of them may be left to a
    # search and the other not
    effort: int
    # what was followed from here
    moves: List[ProofTreeNodeMove]
    # moves of the proof from here that a limit cut off
    more: int


class _ProofTree(TypedDict):
    # full name
    game: str
    # what is proved or disproved
    claim: str
    # `proved`, `disproved` or `solved`
    status: str
    # the positions; the first is the one that was asked about
    nodes: List[ProofTreeNode]
    # the sum of `more` of all nodes; 0: the proof is whole, down to its leaves
    more: int


class ProofTree(_ProofTree, total=False):
    # with `dot`: the graph in the language of Graphviz
    dot: str


class ProofExport(TypedDict):
    # its name, for proof.read
    proof: str
    # path on the server's machine
    file: str
    # what it proves
    claim: str
    # `proved`, `disproved` or `solved`
    status: str
    # positions in it
    positions: int
    # bounds that it justifies
    reasons: int
    # bounds of them that the checker searches again
    leaves: int
    # size of the file
    bytes: int


class ProofCancel(TypedDict):
    # requests of this connection that end
    cancelled: int


class ProofRead(TypedDict):
    # first byte of the piece
    offset: int
    # bytes of the piece
    size: int
    # bytes of the whole certificate
    bytes: int
    # the piece in base64
    data: str


class ProofListProof(TypedDict):
    # its name
    proof: str
    # full name
    game: str
    # version of the game's rules
    rules: str
    # text in the game's notation
    position: str
    # what it proves
    claim: str
    # `proved`, `disproved` or `solved`
    status: str
    # `full` or `frontier`
    detail: str
    # positions in it
    positions: int
    # bounds that it justifies
    reasons: int
    # bounds of them that the checker searches again
    leaves: int
    # size of the file
    bytes: int
    # when it was made, asked for or read last: milliseconds since 1970
    used: int


class ProofListMaking(TypedDict):
    # full name
    game: str
    # as it was asked for
    position: str
    # what it is to prove; null: the strongest that is proved
    claim: Optional[str]
    # `full` or `frontier`
    detail: str
    # positions gathered so far
    positions: int
    # since it was begun
    seconds: float


class ProofList(TypedDict):
    # what each says of itself; proof.verify judges it
    proofs: List[ProofListProof]
    # certificates that are kept
    count: int
    # bytes of their files
    bytes: int
    # bytes that they may have; 0: no limit
    bytes_max: int
    # the certificate that is being made, if one is
    making: List[ProofListMaking]
    # calls of proof.export that wait for their turn
    waiting: int
    # proof.verify works here
    checker: bool


class ProofRemove(TypedDict):
    # its name
    proof: str


class _ProofVerify(TypedDict):
    # its name
    proof: str
    # `verified`: the claim follows from the rules; `rejected`: the file does not prove it; `unknown`: the checker
    # does not know that game, version of rules or format
    verdict: Verdict
    # the verdict in words
    text: str


class ProofVerify(_ProofVerify, total=False):
    # full name, as the file says
    game: str
    # version of the rules; the checker's are its own
    rules: str
    # digest of the plug-in that the search had its rules from
    plugin: str
    # text in the game's notation; empty: the initial position
    position: str
    # what it proves
    claim: str
    # `proved`, `disproved` or `solved`
    status: str
    # the value in the game's words, where it follows
    outcome: str
    # `full` or `frontier`
    detail: str
    # format of the file
    format: int
    # lower bound of the value that it proves
    lo: int
    # upper bound that it proves
    hi: int
    # positions in it
    positions: int
    # bounds that it justifies
    reasons: int
    # bounds of them that the checker searched again
    leaves: int
    # nodes of these searches
    searched_nodes: int
    # time of a check that ended well
    seconds: float
    # why it is not verified
    reason: str
    # the position concerned
    where: str
    # the byte of the file concerned
    offset: int
