// The methods of the protocol, their parameters and results. Made from rpc.discover by `./dev protocol`; do not edit.

/** What every call takes besides its parameters. */
export interface CallOptions {
  /** Ends the wait for the reply: the call fails with the slug `closed`. */
  signal?: AbortSignal;
  /** Milliseconds to wait for the reply; then the call fails with the slug `timeout`. */
  timeout?: number;
}

export type Moves = string | readonly string[];
export type Size = number | string;
export type ProofNumber = number | "inf";
export type Status =
  "proved" | "disproved" | "solved" | "unsolved";
export type State =
  "queued" | "running" | "paused" | "solved" | "exhausted" | "cancelled" | "failed";
export type Detail =
  "frontier" | "full";
export type Source =
  "rules" | "fact" | "none";
export type Category =
  "win" | "win-or-draw" | "unknown" | "draw" | "draw-or-loss" | "loss";
export type Role =
  "none" | "query" | "submit" | "admin";
export type Lack =
  "none" | "disk" | "memory";
export type Shape =
  "square" | "hexagon" | "point" | "edge-across" | "edge-down";
export type Look =
  "disc" | "cross" | "ring" | "glyph" | "fill" | "letter";
export type Reason =
  "ready" | "thread" | "memory" | "after" | "disk-reserve" | "memory-short" | "group-full" | "group-paused" |
  "suspect" | "written" | "no-threads" | "running" | "stopping" | "disk" | "paused" | "budget" | "exhausted" |
  "solved" | "cancelled" | "failed";
export type TreeSource =
  "search" | "table" | "facts";
export type PositionStatus =
  "proved" | "disproved" | "open";
export type Numbers =
  "search" | "table" | "rules" | "cycle" | "none";
export type Record =
  "pgn" | "sgf" | "moves";
export type Dot =
  "positions" | "boards";
export type Kind =
  "end" | "move" | "replies" | "leaf" | "aside";
export type Verdict =
  "verified" | "rejected" | "unknown";

/** Bounds of a value, from First's view. */
export interface Value {
  /** lower bound */ lo: number | null;
  /** upper bound */ hi: number | null;
  /**
   * in words: `first wins`, `draw`, `second wins`, `first wins or draw`, `second wins or draw`, `unknown`; on other
   * scales than -1 to 1 like `first wins by 3` or `between -2 and 4`; some games have words of their own
   */
  text: string;
}

/** Nodes searched. */
export interface Nodes {
  /** by the first-level search */ level1: number;
  /** by the second-level searches */ level2: number;
}

/** The `result` of a job, and what `proofctl solve --json` prints. */
export interface Answer {
  /** full name */ game: string;
  /** as it was submitted */ position: string;
  /** as it was submitted */ claim: string;
  /**
   * `solved`: the exact value of the claim `value` is known; `proved`, `disproved`: the claim holds or does not;
   * `unsolved`: the budget or the memory was exhausted
   */
  status: Status;
  /** bounds of the value */ value: Value;
  /** best move */ move: string | null;
  /** the game is decided within that many plies */ plies: number | null;
  /** nodes searched */ nodes: Nodes;
  /** search time in seconds, restarts included; see "Jobs" */ seconds: number;
  /** proof number of the root, for the last claim */ pn: ProofNumber;
  /** disproof number of the root, for the last claim */ dn: ProofNumber;
  /** facts found */ facts: number;
  /** best play as far as it is proved */ line: string[];
}

export interface JobBudget {
  /** nodes of both levels */ nodes: number | null;
  /** search time */ seconds: number | null;
  /** seconds of processor time; absent: no bound */ cpu?: number;
  /** bytes of its table on disk; absent: no bound */ disk?: number;
}

/** A job and its progress. */
export interface Job {
  /** number of the job */ job: number;
  /** where it stands */ state: State;
  /** full name; empty when the job's record is damaged */ game: string;
  /** version of the game's rules under which it was submitted; null in jobs from before it was recorded */
  rules: string | null;
  /** of a game from a plug-in: the digest of its file */ plugin?: string;
  /** as it was submitted */ position: string;
  /** as it was submitted */ claim: string;
  /** the search algorithm */ algorithm: string;
  /** which solved positions become facts */ detail: Detail;
  /** jobs of higher priority run first */ priority: number;
  /** the client's name for it */ key: string | null;
  /** its group */ group: string | null;
  /** name of the token that it was submitted with, if there was one */ client?: string;
  /** bytes for its transposition table, trees and cache */ memory: number;
  /** mixed into the order of equal children */ seed: number;
  /** nodes to search for shorter wins */ shorten: number;
  /** jobs that must be solved before it runs */ after?: number[];
  /** number of its parent job */ under?: number;
  /** lines whose last move is tried before the others */ first?: string[];
  /** options that are not the default */ options?: { [name: string]: unknown };
  /** when it gives up; null: no bound */ budget: JobBudget;
  /** search threads that may work on it; 0: as many as are free */ threads: number;
  /** nodes searched */ nodes: Nodes;
  /** search time in seconds, restarts included; see "Jobs" */ seconds: number;
  /** seconds of processor time of its search threads */ cpu: number;
  /** bytes of its table on disk, at its last checkpoint; 0: none was made yet */ table_bytes: number;
  /** nodes a second, recent average */ rate: number;
  /** proof number of the root */ pn: ProofNumber;
  /** disproof number of the root */ dn: ProofNumber;
  /** move at the root that looks most promising for its mover, until the job is solved */ leading: string | null;
  /** the value that the search tries to prove or disprove for First */ threshold: number;
  /** bounds so far */ value: Value;
  /** entries of the transposition table */ entries: number;
  /** entries that it can hold */ capacity: number;
  /** facts found */ facts: number;
  /** nodes of a second-level search, as of now */ budget_level2: number;
  /** bytes of the server's files, all jobs together */ disk: number;
  /** milliseconds since 1970 */ submitted: number | null;
  /** milliseconds since 1970 */ started: number | null;
  /** milliseconds since 1970 */ finished: number | null;
  /** how often it continued after a restart of the server */ restarts: number;
  /** consecutive crashes of the server that it may have caused */ crashes: number;
  /** versions of the program that have worked on it, in order */ engines: string[];
  /** reason why it is paused, exhausted or failed */ reason: string | null;
  /** jobs under it, in the order of their submission, at most 1000; never in job.list */ sub_jobs?: number[];
  /** once it is solved or exhausted; never in job.list */ result?: Answer;
}

export interface FactMove {
  /** the move */ move: string;
  /** lower bound of the value, from First's view */ lo: number;
  /** upper bound */ hi: number;
  /** the bounds in words */ text: string;
  /** what the bounds rest on; `rules`: the game is over, or ends after the moves that count */ source: Source;
  /** as above */ rank: number | null;
}

export interface FactError {
  /** as of an error reply */ code: number;
  /** what is wrong */ message: string;
}

/** What is proved about a position. */
export interface Fact {
  /** lower bound of the value, from First's view */ lo?: number;
  /** upper bound */ hi?: number;
  /** the bounds in words */ text?: string;
  /** what the bounds rest on; `rules`: the game is over, or ends after the moves that count */ source?: Source;
  /**
   * the game is decided within that many plies: the rank of the bound that is good for the side that wins, or the
   * larger one of a draw; null where nothing is proved and where the bound rests on infinite play
   */
  rank?: number | null;
  /** the move that gives the player to move its bound in the fewest known plies */ move?: string | null;
  /** 0: the fact can be checked one ply down; else the nodes of the search that finds it again */ effort?: number;
  /** the job that found it; 0: none */ job?: number;
  /** number of the worker that found it, 8 hexadecimal digits; `job` is then 0 */ worker?: string;
  /** with `moves`: what is proved about each move, best first for the side to move */ moves?: FactMove[];
  /** instead of all else: the position cannot be read */ error?: FactError;
}

/** A job after a change. */
export interface JobState {
  /** number of the job */ job: number;
  /** its state on disk */ state: State;
}

/** A group of jobs. */
export interface Group {
  /** its name */ group: string;
  /** number of its jobs that may run at once; null: any number */ limit: number | null;
  /** none of its jobs may run */ paused: boolean;
  /** its jobs, in any state */ jobs: number;
  /** its queued jobs */ queued: number;
  /** its running jobs */ running: number;
}

export interface ProbeMove {
  /** the move */ move: string;
  /** for the side to move after it; for the opponent when it ends the game */ category: Category;
  /** lower bound of the value, from First's view */ lo: number;
  /** upper bound */ hi: number;
  /** the bounds in words */ text: string;
  /** what the bounds rest on; `rules`: the game is over, or ends after the moves that count */ source: Source;
  /** as in *fact* */ rank: number | null;
  /** as in *fact* */ effort: number;
  /** true when the game is over */ terminal: boolean;
}

export interface ProbeError {
  /** as of an error reply */ code: number;
  /** name of the error */ slug: string;
  /** the member at fault */ field: string | null;
  /** what is wrong */ message: string;
}

/** What is proved about a position, for the side to move. */
export interface Probe {
  /** full name */ game?: string;
  /** as requested; with `moves`, the position that they lead to */ position?: string;
  /** null when the game is over */ first_to_move?: boolean | null;
  /** for the side to move; for First when the game is over */ category?: Category;
  /** lower bound of the value, from First's view */ lo?: number;
  /** upper bound */ hi?: number;
  /** the bounds in words */ text?: string;
  /** what the bounds rest on; `rules`: the game is over, or ends after the moves that count */ source?: Source;
  /** as in *fact* */ rank?: number | null;
  /** as in *fact* */ effort?: number;
  /** true when the game is over */ terminal?: boolean;
  /**
   * each legal move, best first; of wins the sooner, of losses the later is better; unknown moves stand before
   * draws
   */
  moves?: ProbeMove[];
  /** instead of all else: game, position or moves cannot be read */ error?: ProbeError;
}

export interface OpenrpcMethodParam {
  /** the parameter */ name: string;
  /** what it means */ description: string;
  /** false: it may be left out */ required: boolean;
  /** JSON schema */ schema: { [name: string]: unknown };
}

export interface OpenrpcMethod {
  /** the method */ name: string;
  /** what it does */ summary: string;
  /** remarks */ description?: string;
  /** `by-name` */ paramStructure: string;
  /** its parameters */ params: OpenrpcMethodParam[];
  /** name, description and JSON schema */ result: { [name: string]: unknown };
  /** the least role that may call it */ "x-role": Role;
  /** the params of a good call */ "x-example": { [name: string]: unknown };
}

/** An OpenRPC 1.2.6 document. */
export interface Openrpc {
  /** version of OpenRPC */ openrpc: string;
  /** title and version */ info: { [name: string]: unknown };
  /** one entry a method */ methods: OpenrpcMethod[];
  /** named schemas, and the errors */ components: { [name: string]: unknown };
}

export interface ServerHelloLimits {
  /** bytes of a request line */ line: number;
  /** bytes of a reply line */ reply: number;
  /** calls of a batch */ batch: number;
  /** levels of nesting in a request */ depth: number;
  /** calls of one connection in flight */ inflight: number;
  /** positions of one fact.query */ positions: number;
  /** jobs of one job.list */ jobs: number;
  /** bytes for all running jobs together */ memory: number;
  /** jobs that are not over; 0: no limit */ jobs_max: number;
  /** jobs of one client that are not over; 0: no limit */ jobs_per_client: number;
  /** requests a second of one connection; 0: no limit */ rate: number;
}

export interface ServerHelloAlgorithm {
  /** its name */ name: string;
  /** what it is */ text: string;
}

export interface ServerHello {
  /** `proofd` */ server: string;
  /** version of proofd */ version: string;
  /** version of the protocol: 1 */ protocol: number;
  /** names of this server's features; see "Features" */ features: string[];
  /** what the server accepts */ limits: ServerHelloLimits;
  /** what job.submit takes as `algorithm`, the default first */ algorithms: ServerHelloAlgorithm[];
  /** path of the Unix socket */ socket: string | null;
  /** process id */ pid: number;
  /** what this connection may do */ role: Role;
}

export interface ServerStatsJobs {
  /** jobs in that state */ queued: number;
  /** jobs in that state */ running: number;
  /** jobs in that state */ paused: number;
  /** jobs in that state */ solved: number;
  /** jobs in that state */ exhausted: number;
  /** jobs in that state */ cancelled: number;
  /** jobs in that state */ failed: number;
}

export interface ServerStatsQuota {
  /** the resource that is short, for which running jobs are paused */ lack: Lack;
  /** reason, as a complete sentence; null: nothing is short */ text: string | null;
  /** jobs on hold until there is room on the disk */ disk: number;
  /** jobs on hold until there is memory */ memory: number;
}

export interface ServerStats {
  /** version of proofd */ version: string;
  /** process id */ pid: number;
  /** seconds since the start */ uptime: number;
  /** how many jobs are in each state */ jobs: ServerStatsJobs;
  /** search threads */ threads: number;
  /** search threads that are searching */ busy: number;
  /** nodes a second, over all running jobs */ rate: number;
  /** nodes searched since the start */ nodes: number;
  /** clients connected */ connections: number;
  /** facts stored */ facts: number;
  /** facts in the memtable, included in `facts` */ memtable: number;
  /** sorted runs on disk */ runs: number;
  /** bytes of the file of jobs, tables and the write-ahead log */ work_bytes: number;
  /** bytes of the file of facts */ facts_bytes: number;
  /** bytes free on the disk */ disk_free: number;
  /** transactions since the start */ commits: number;
  /** milliseconds of the slowest commit */ commit_ms_max: number;
  /** milliseconds of the last commit */ commit_ms_last: number;
  /** resident bytes of the process */ memory: number;
  /** bytes for all running jobs together */ memory_limit: number;
  /** shortage of disk or memory, as of about a second ago */ quota: ServerStatsQuota;
  /** number of another coordinator that uses the same prefix; see server.workers */
  other_coordinator: string | null;
}

export interface ServerWorkersCluster {
  /** whether messages can be exchanged with workers */ connected: boolean;
  /** address over which they are exchanged */ where: string;
  /** when `connected` last changed: milliseconds since 1970 */ since: number;
  /** number that this server drew as coordinator when it started: 16 hexadecimal digits */ coordinator: string;
  /** number of another coordinator that uses the same prefix: both lose most of the workers' time */
  other_coordinator: string | null;
  /** workers connected */ workers: number;
  /** their search threads */ threads: number;
  /** tasks sent to workers and not answered yet */ out: number;
  /** leaves that wait for a worker */ waiting: number;
  /** tasks since the start */ tasks: number;
  /** results accepted */ results: number;
  /** results that were repeated or too late */ late: number;
  /** tasks sent again */ sent_again: number;
  /** tasks cancelled because no job needed them any more */ cancelled: number;
  /** solved leaves that this server searched again and confirmed */ verified: number;
  /** solved leaves that it searched again and found false */ refuted: number;
  /** solved leaves that it could not confirm and did not use */ undecided: number;
  /** workers banned for a false result */ banned: number;
  /** workers refused */ refused: number;
  /** nodes of the results accepted */ nodes: number;
  /** seconds of processor time of the accepted results */ cpu: number;
  /** seconds of processor time of the thread that hands out tasks */ own_cpu: number;
  /** node limit of the latest task */ grain: number;
}

export interface ServerWorkersWorker {
  /** its number: 16 hexadecimal digits */ worker: string;
  /** its number in facts (`worker` of fact.query) */ giver: string;
  /** the name that it gives itself */ name: string;
  /** `there`, `silent`, `gone`, `refused` or `banned` */ state: string;
  /** reason why it is refused or banned, as a complete sentence */ why: string | null;
  /** whether it has the key of this cluster */ sealed: boolean;
  /** version of its program */ version: string;
  /** its search threads */ threads: number;
  /** bytes of memory that it may use */ memory: number;
  /** when it connected: milliseconds since 1970 */ since: number;
  /** when its last message arrived: milliseconds since 1970 */ seen: number;
  /** tasks that it has not answered yet */ in_hand: number;
  /** accepted results */ done: number;
  /** accepted results that solve their leaves */ solved: number;
  /** its solved leaves that this server searched again and confirmed */ verified: number;
  /** tasks that it refused */ refused: number;
  /** its tasks that were sent to other workers */ sent_again: number;
  /** nodes of its results */ nodes: number;
  /** seconds of processor time of its results */ cpu: number;
  /** nodes a second, recent average */ rate: number;
}

export interface ServerWorkers {
  /** totals of all workers; absent: this server has no workers on other machines */ cluster?: ServerWorkersCluster;
  /** connected workers first, then by name */ workers: ServerWorkersWorker[];
  /** workers known */ count: number;
  /** the server's time, milliseconds since 1970; `now` minus `seen` or `since` is an age */ now: number;
}

export interface ServerShutdown {
  /** true */ stopping: boolean;
}

export interface ServerBackup {
  /** `none` since the start, `running`, `complete` or `failed` */ state: string;
  /** name of the last backup */ name: string | null;
  /** records copied plus records verified so far */ done: number;
  /** records to copy and to verify */ all: number;
  /** bytes of new files */ bytes_copied: number;
  /** bytes of files that were there already */ bytes_kept: number;
  /** files complete so far */ files: number;
  /** files that were there already, included in `files` */ files_kept: number;
  /** duration so far */ seconds: number;
  /** of a failed backup: name of the error, as in "Errors" */ code?: string;
  /** of a failed backup: the reason */ error?: string;
}

export interface GameListGamePlugin {
  /** name of its file */ file: string;
  /** digest of its file */ digest: string;
  /** its author */ author: string;
}

export interface GameListGame {
  /** name without parameters */ name: string;
  /** name in words */ title: string;
  /** what its parameters mean */ params: string;
  /** a full name */ example: string;
  /** of a game from a plug-in: where its rules come from */ plugin?: GameListGamePlugin;
}

export interface GameList {
  /** one entry a game */ games: GameListGame[];
}

export interface GameDescribePlugin {
  /** name of its file */ file: string;
  /** digest of its file */ digest: string;
  /** its author */ author: string;
  /** its author's version of the rules */ rules: number;
}

export interface GameDescribeValues {
  /** worst value */ min: number;
  /** best value */ max: number;
  /** difference of neighbouring values */ step: number;
}

export interface GameDescribe {
  /** full name */ game: string;
  /** name in words */ title: string;
  /** what its parameters mean */ params: string;
  /** how positions and moves are written */ notation: string;
  /** a full name */ example: string;
  /** version of the rules; of a graph or a plug-in it changes with the file */ rules_version: string;
  /** of a game from a plug-in: where its rules come from */ plugin?: GameDescribePlugin;
  /** the scale, from First's view */ values: GameDescribeValues;
  /** true when no position can be repeated */ acyclic: boolean;
  /** value of infinite play; null in acyclic games */ infinite: number | null;
  /** bound on the moves of a position */ moves_max: number;
  /** bound on the plies of a game without repetition */ plies_max: number;
  /** notations for moves in addition to its own; all are accepted */ notations: string[];
  /** forms that fact.line can write as `record` */ records: string[];
  /** position.show has its board as data and as a drawing */ has_board: boolean;
  /** position.show takes `setup` */ can_set_up: boolean;
}

/** a diagram, instead of `position` and `moves`: the reply has its position */
export interface Setup {
  /** as in `diagram` */ on?: string;
  /** to move; may be left out where it follows from the pieces */ side?: number;
  /** as in `diagram` */ hands?: string;
  /** as in `diagram` */ note?: string;
}

export interface PositionShowGeometrySide {
  /** what players call it */ name: string;
  /** as SVG writes it; null: black and white stones */ colour: string | null;
}

export interface PositionShowGeometryPlace {
  /** of its centre, in twelfths of a cell */ x: number;
  /** likewise, downwards */ y: number;
  /** what is drawn when it is empty */ shape: Shape;
  /** 0 light, 1 dark */ shade: number;
  /** part of the board; 0: there are no parts */ region: number;
  /** its name in the game's notation; may be empty */ name: string;
}

export interface PositionShowGeometryPiece {
  /** its letter in `diagram` */ letter: string;
  /** in words */ name: string;
  /** the side that owns it */ side: number | null;
  /** how it is drawn */ look: Look;
  /** text to draw, for the look `glyph` */ glyph: string | null;
}

export interface PositionShowGeometryStroke {
  /** where the line begins */ x1: number;
  /** where the line begins */ y1: number;
  /** where it ends */ x2: number;
  /** where it ends */ y2: number;
  /** the side in whose colour it is drawn */ side: number | null;
  /** whether it is a heavy line */ heavy: boolean;
}

export interface PositionShowGeometryLabel {
  /** of its centre */ x: number;
  /** of its centre */ y: number;
  /** the coordinate */ text: string;
}

export interface PositionShowGeometry {
  /** the two sides; `side` is an index in this list everywhere */ sides: PositionShowGeometrySide[];
  /** pieces may be in hand */ hands: boolean;
  /** where pieces can stand */ places: PositionShowGeometryPlace[];
  /** kinds of pieces */ pieces: PositionShowGeometryPiece[];
  /** lines under the pieces */ strokes: PositionShowGeometryStroke[];
  /** coordinates at the border */ labels: PositionShowGeometryLabel[];
}

export interface PositionShowDiagram {
  /** a character for each place: the letter of a piece, or a dot */ on: string;
  /** letters of the pieces in hand: those of side 0, a slash, those of side 1 */ hands: string;
  /** the side to move; null when the game is over */ side: number | null;
  /** what the board does not show */ note: string;
  /** places worth marking */ playable: number[];
  /** places of the last of the `moves` */ last: number[];
}

export interface PositionShowLegal {
  /** as in `moves` */ move: string;
  /** its places, in the order in which a player points at them */ places: number[];
}

export interface PositionShow {
  /** full name */ game: string;
  /** text in the game's notation */ position: string;
  /** the board as text of several lines */ board: string;
  /** null when the game is over */ first_to_move: boolean | null;
  /** true when the game is over */ terminal: boolean;
  /** value of a terminal position */ value?: number;
  /** `value` in words */ text?: string;
  /** legal moves */ moves: string[];
  /** the exact key, in hexadecimal digits */ key: string;
  /** the board, the same for all positions of the game */ geometry?: PositionShowGeometry;
  /** the position on that board */ diagram?: PositionShowDiagram;
  /** the legal moves with their places */ legal?: PositionShowLegal[];
  /** a drawing, an SVG document */ svg?: string;
}

/** options of the search, by name; see below */
export interface Options {
  /**
   * 1+epsilon trick: thresholds rise by this share of a number instead of by 1; default 0.25 for df-pn, 0 for PDS
   */
  epsilon?: number;
  /** PDS also leaves a node when one number reaches this multiple of its threshold; not for paper; default 16 */
  patience?: number;
  /**
   * mobility initialization: pn and dn of a leaf start from its number of legal moves instead of 1; in df-pn at
   * level 1 as well; default yes
   */
  mobility?: boolean;
  /** initial numbers from the game's own heuristic where it has one; never for paper and pn; default yes */
  heuristics?: boolean;
  /**
   * evaluation cut-off: positions that the game can solve statically are leaves; not for paper, pn2, pn, detail
   * full; default yes
   */
  knowledge?: boolean;
  /** weak PN search: the maximum child number plus the number of other children instead of the sum; default no */
  weak?: boolean;
  /** level 2 looks up solved positions in a cache in memory; never for paper, pn2 and pn; default yes */
  cache?: boolean;
  /** node limit of a level-2 search while the transposition table is empty; not for paper and pn2; default 2000 */
  "cap-first"?: number;
  /**
   * node limit of a level-2 search when the transposition table is full, of pn2 always; not for paper; default
   * 1000000
   */
  "cap-last"?: number;
  /**
   * table entries, lost ones included, at which the level-2 budget reaches half of their number; not for paper;
   * default 450000
   */
  "fraction-a"?: number;
  /** how slowly that share grows around `fraction-a`, in table entries; not for paper; default 300000 */
  "fraction-b"?: number;
  /** of paper: nodes that both levels together may store (N in the paper); default 1000000 */
  "paper-nodes"?: number;
  /** size of the transposition table in entries, limited by memory; default: what memory allows; default 0 */
  table?: number;
  /** of pn2: keep the children of a level-2 root with their numbers, not only the root; default yes */
  "keep-children"?: boolean;
}

/** when to give up */
export interface Budget {
  /** nodes of both levels; 0: no bound */ nodes?: number;
  /** search time in seconds, restarts included; 0: no bound */ seconds?: number;
  /** seconds of processor time, all its search threads together; 0: no bound */ cpu?: number;
  /** bytes of its table on disk; 0: no bound */ disk?: Size;
}

export interface JobSubmit {
  /** number of the job */ job: number;
}

export interface JobExplainMemory {
  /** what this job wants */ wanted: number;
  /** what running jobs have reserved */ reserved: number;
  /** what all running jobs together may have */ limit: number;
}

export interface JobExplain {
  /** number of the job */ job: number;
  /** where it stands */ state: State;
  /** reason, in one word; see "Why a job waits" */ reason: Reason;
  /** reason, in complete sentences */ text: string;
  /** numbers of the jobs that it waits for: running ones, then those queued before it; at most 20 */
  jobs: number[];
  /** jobs that are running */ running: number;
  /** queued jobs that go before it */ before: number;
  /** in bytes */ memory: JobExplainMemory;
  /** search threads that work on it */ threads: number;
  /** when its run began, in milliseconds since 1970; null: it is not running */ since: number | null;
  /** when its last checkpoint was on disk; null: none since the server started */ checkpoint: number | null;
}

export interface JobList {
  /** without their results */ jobs: Job[];
  /** `before` of the next page; absent when there are no more */ next?: number;
}

export interface JobRemove {
  /** number of the job */ job: number;
}

export interface JobUnwatch {
  /** number of the job */ job: number;
}

export interface JobHistoryPoint {
  /** milliseconds since 1970 */ t: number;
  /** what happened */ event: string;
  /** nodes of both levels so far */ nodes: number;
  /** proof number of the root */ pn: ProofNumber;
  /** disproof number of the root */ dn: ProofNumber;
  /** entries of the transposition table */ entries: number;
  /** facts found */ facts: number;
}

export interface JobHistory {
  /** in order of time */ points: JobHistoryPoint[];
}

export interface JobTreePosition {
  /** index of its parent in this list, from 0; null: the first position */ parent: number | null;
  /** plies below the first position */ depth: number;
  /** the move that leads here */ move: string | null;
  /** null when the game is over */ first_to_move: boolean | null;
  /** status of the claim here: by the rules or a fact, else by the numbers */ status: PositionStatus;
  /** proof number; null: there is none */ pn: ProofNumber | null;
  /** disproof number */ dn: ProofNumber | null;
  /**
   * source of `pn` and `dn`. `search`: frames or tree, as of now; `table`: as of when the search left the position
   * last; `rules`; `cycle`: the line has met the position before; `none`
   */
  numbers: Numbers;
  /** whether `pn` and `dn` are true on this line only */ path_dependent: boolean;
  /** nodes spent on it; null: not known */ effort: number | null;
  /** search threads that are at it or below it now */ threads: number;
  /** name of the worker on another machine that searches it now, see `server.workers`; absent: none */
  worker?: string;
  /** its moves that a search looks at */ moves: number;
  /** those of its moves for which rules or facts settle the claim */ known: number;
  /** what the rules or facts say about it; absent: nothing */ value?: Value;
}

export interface JobTree {
  /** number of the job */ job: number;
  /** where the job stands */ state: State;
  /**
   * `search`: the running search, as of now; `table`: its table, as it was stored; `facts`: neither, only what is
   * proved
   */
  source: TreeSource;
  /** full name */ game: string;
  /** the first position of the tree */ position: string;
  /** moves that lead there from the job's position */ line: string[];
  /** the claim in work: First gets at least this value */ threshold: number;
  /** nodes searched by the job */ nodes: Nodes;
  /** search time of the job */ seconds: number;
  /** false: positions within `depth` were left out for lack of room */ whole: boolean;
  /** the tree from top to bottom: each position is followed by those below it, the one with most effort first */
  positions: JobTreePosition[];
}

export interface GroupList {
  /** in order of their names */ groups: Group[];
}

export interface FactQuery {
  /** in the order asked */ facts: Fact[];
  /** 0: only the positions' own facts were used; their moves may give more, or a smaller rank */ depth?: number;
}

export interface Position {
  /** full name, like connect4:7x6 */ game?: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
}

export interface FactProbe {
  /** in the order asked */ answers: Probe[];
}

export interface FactLine {
  /** as requested; with `moves`, the position that they lead to */ position: string;
  /** bounds of its value */ value: Value;
  /** moves */ line: string[];
  /** true when it reaches the end of the game or repeats a position */ complete: boolean;
  /** with `record`: the line as a file of that form */ record?: string;
}

export interface ProofTreeNodeMove {
  /** the move */ move: string;
  /** `id` of the node that it leads to */ to: number;
  /** it is a part of the proof */ proof: boolean;
}

export interface ProofTreeNode {
  /** its index in this list */ id: number;
  /** text in the game's notation */ position: string;
  /** the fewest plies from the first */ depth: number;
  /**
   * `end`: the game is over; `move`: the mover wants the bound, and one move suffices; `replies`: all moves;
   * `leaf`: the search that found the bound was not kept (`effort`); `aside`: not part of the proof
   */
  kind: Kind;
  /** null when the game is over */ first_to_move: boolean | null;
  /** lower bound of the value, from First's view */ lo: number;
  /** upper bound */ hi: number;
  /** the bounds in words */ text: string;
  /** what the bounds rest on; `rules`: the game is over, or ends after the moves that count */ source: Source;
  /** the lower bound that the proof uses here; null: none */ lower: number | null;
  /** the upper bound that it uses here */ upper: number | null;
  /** that bound is reached within that many plies; null where it rests on infinite play */ rank: number | null;
  /**
   * 0, or the nodes of the search that finds a bound again; where both are used, one of them may be left to a
   * search and the other not
   */
  effort: number;
  /** what was followed from here */ moves: ProofTreeNodeMove[];
  /** moves of the proof from here that a limit cut off */ more: number;
}

export interface ProofTree {
  /** full name */ game: string;
  /** what is proved or disproved */ claim: string;
  /** `proved`, `disproved` or `solved` */ status: string;
  /** the positions; the first is the one that was asked about */ nodes: ProofTreeNode[];
  /** the sum of `more` of all nodes; 0: the proof is whole, down to its leaves */ more: number;
  /** with `dot`: the graph in the language of Graphviz */ dot?: string;
}

export interface ProofExport {
  /** its name, for proof.read */ proof: string;
  /** path on the server's machine */ file: string;
  /** what it proves */ claim: string;
  /** `proved`, `disproved` or `solved` */ status: string;
  /** positions in it */ positions: number;
  /** bounds that it justifies */ reasons: number;
  /** bounds that the checker searches again, included in `reasons` */ leaves: number;
  /** size of the file */ bytes: number;
}

export interface ProofCancel {
  /** requests of this connection that end */ cancelled: number;
}

export interface ProofRead {
  /** first byte of the piece */ offset: number;
  /** bytes of the piece */ size: number;
  /** bytes of the whole certificate */ bytes: number;
  /** the piece in base64 */ data: string;
}

export interface ProofListProof {
  /** its name */ proof: string;
  /** full name */ game: string;
  /** version of the game's rules */ rules: string;
  /** text in the game's notation */ position: string;
  /** what it proves */ claim: string;
  /** `proved`, `disproved` or `solved` */ status: string;
  /** `full` or `frontier` */ detail: string;
  /** positions in it */ positions: number;
  /** bounds that it justifies */ reasons: number;
  /** bounds that the checker searches again, included in `reasons` */ leaves: number;
  /** size of the file */ bytes: number;
  /** when it was made, asked for or read last: milliseconds since 1970 */ used: number;
}

export interface ProofListMaking {
  /** full name */ game: string;
  /** as requested */ position: string;
  /** what it is to prove; null: the strongest that is proved */ claim: string | null;
  /** `full` or `frontier` */ detail: string;
  /** positions gathered so far */ positions: number;
  /** seconds since it was begun */ seconds: number;
}

export interface ProofList {
  /** one entry a certificate, as the certificate states it; proof.verify checks it */ proofs: ProofListProof[];
  /** certificates that are kept */ count: number;
  /** bytes of their files */ bytes: number;
  /** bytes that they may have; 0: no limit */ bytes_max: number;
  /** the certificate that is being made, if there is one */ making: ProofListMaking[];
  /** calls of proof.export that wait for their turn */ waiting: number;
  /** whether this server has a checker for proof.verify */ checker: boolean;
}

export interface ProofRemove {
  /** its name */ proof: string;
}

export interface ProofVerify {
  /** its name */ proof: string;
  /**
   * `verified`: the claim follows from the rules; `rejected`: the file does not prove it; `unknown`: the checker
   * does not know that game, version of rules or format
   */
  verdict: Verdict;
  /** the verdict in words */ text: string;
  /** full name, as the file says */ game?: string;
  /** version of the rules; the checker's are its own */ rules?: string;
  /** digest of the plug-in with the search's rules */ plugin?: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** what it proves */ claim?: string;
  /** `proved`, `disproved` or `solved` */ status?: string;
  /** the value in the game's words, where it follows */ outcome?: string;
  /** `full` or `frontier` */ detail?: string;
  /** format of the file */ format?: number;
  /** lower bound of the value that it proves */ lo?: number;
  /** upper bound that it proves */ hi?: number;
  /** positions in it */ positions?: number;
  /** bounds that it justifies */ reasons?: number;
  /** bounds that the checker searches again, included in `reasons` */ leaves?: number;
  /** nodes of these searches */ searched_nodes?: number;
  /** duration of a successful check */ seconds?: number;
  /** reason why it is not verified */ reason?: string;
  /** the position concerned */ where?: string;
  /** the byte of the file concerned */ offset?: number;
}

export interface ServerHelloParams {
  /** a token of `proofd --token-file`, for its role; ignored when no token is needed */ token?: string;
}

export interface ServerWorkersParams {
  /** workers at most */ limit?: number;
}

export interface ServerShutdownParams {
  /** a token of the role `admin`; not needed on a connection of that role */ token?: string;
}

export interface ServerBackupParams {
  /** name of the backup to make, of A-Z a-z 0-9 . _ -; without it no backup begins */ name?: string;
}

export interface GameDescribeParams {
  /** full name, like connect4:7x6 */ game: string;
}

export interface PositionShowParams {
  /** full name, like connect4:7x6 */ game: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
  /** also return `geometry`, `diagram` and `legal`: the board as data */ data?: boolean;
  /** also return `svg` */ svg?: boolean;
  /** a diagram, instead of `position` and `moves`: the reply has its position */ setup?: Setup;
}

export interface JobSubmitParams {
  /** full name, like connect4:7x6 */ game: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** `value`, `first-wins`, `second-wins`, `first-draws`, `second-draws` or `first-at-least-N` */ claim?: string;
  /** the search algorithm */ algorithm?: string;
  /** which solved positions become facts */ detail?: Detail;
  /** options of the search, by name; see below */ options?: Options;
  /** when to give up */ budget?: Budget;
  /**
   * bytes for the job's transposition table, trees and cache, at most `limits.memory` of server.hello; default
   * 512M, or that limit where it is less
   */
  memory?: Size;
  /** search threads that may work on it together; 0: as many as are free */ threads?: number;
  /** mixed into the order of equal children */ seed?: number;
  /** nodes to search for shorter wins once the answer is known */ shorten?: number;
  /** jobs of higher priority run first */ priority?: number;
  /** the client's own name for the job; see "Keys" */ key?: string;
  /** its group; see "Groups" */ group?: string;
  /** numbers of jobs that must be solved before it runs; see "Jobs" */ after?: readonly number[];
  /** number of its parent job, at whose position it begins unless `position` is given; see "Sub-jobs" */
  under?: number;
  /** lines of moves from its position, whose last move is tried before the others; see "Hints" */
  first?: readonly string[];
}

export interface JobGetParams {
  /** number of the job */ job: number;
}

export interface JobExplainParams {
  /** number of the job */ job: number;
}

export interface JobListParams {
  /** only jobs in that state */ state?: State;
  /** jobs at most; never more than `limits.jobs` of server.hello */ limit?: number;
  /** only jobs with a smaller number */ before?: number;
}

export interface JobPauseParams {
  /** number of the job */ job: number;
}

export interface JobResumeParams {
  /** number of the job */ job: number;
}

export interface JobCancelParams {
  /** number of the job */ job: number;
}

export interface JobSetParams {
  /** number of the job */ job: number;
  /** jobs of higher priority run first */ priority?: number;
  /** when to give up */ budget?: Budget;
}

export interface JobRemoveParams {
  /** number of the job */ job: number;
}

export interface JobWatchParams {
  /** number of the job */ job: number;
  /** seconds between two notifications */ interval?: number;
}

export interface JobUnwatchParams {
  /** number of the job */ job: number;
}

export interface JobHistoryParams {
  /** number of the job */ job: number;
  /** points at most */ limit?: number;
}

export interface JobTreeParams {
  /** number of the job */ job: number;
  /** moves played from the job's position to the one that the tree begins with; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** plies below it */ depth?: number;
  /** positions at most */ nodes_max?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
}

export interface GroupSetParams {
  /** its name: letters, digits, dots, hyphens and underscores */ group: string;
  /** number of its jobs that may run at once; 0: any number */ limit?: number;
  /** true: none of its jobs may run */ paused?: boolean;
}

export interface FactQueryParams {
  /** full name, like connect4:7x6 */ game: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** many positions, instead of `position` */ positions?: readonly string[];
  /** moves played from `position`, as an array or as a record; see "Moves". true: as `each_move` */
  moves?: string | readonly string[] | boolean;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** also return what is proved about each move */ each_move?: boolean;
  /**
   * 1: use the position's own fact and what is known after its moves; 0: use its own fact alone; default 0 with
   * `positions`, else 1 where its own fact does not give the value exactly; with the moves always 1
   */
  depth?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
}

export interface FactProbeParams {
  /** what is asked about */ positions: readonly Position[];
}

export interface FactLineParams {
  /** full name, like connect4:7x6 */ game: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
  /** moves at most */ limit?: number;
  /** also return `record`, in a form that game.describe lists among the game's `records` */ record?: Record;
  /** maximum number of equally good moves to show as variations in the record */ variations?: number;
}

export interface ProofTreeParams {
  /** full name, like connect4:7x6 */ game: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** one of the game's `notations`, for moves in the reply; default: the game's own */ notation?: string;
  /** as for job.submit; default the strongest that is proved */ claim?: string;
  /** plies below the position at most */ depth?: number;
  /** nodes at most */ nodes_max?: number;
  /** also moves that are no part of the proof, where their value is known */ all?: boolean;
  /** also return `dot`, with the texts of the positions or with pictures of them */ dot?: Dot;
}

export interface ProofExportParams {
  /** the job whose answer is meant; or else `game`, `position` and `claim` */ job?: number;
  /** full name, like connect4:7x6 */ game?: string;
  /** text in the game's notation; empty: the initial position */ position?: string;
  /** moves played from `position`, as an array or as a record; see "Moves" */ moves?: Moves;
  /** which game of a record with several games to play, from 1 */ game_number?: number;
  /** as for job.submit; default the strongest that is proved */ claim?: string;
  /** `full`: the whole proof; `frontier`: the checker searches leaves again */ detail?: Detail;
  /** make a compressed file, about a third of the size */ compress?: boolean;
}

export interface ProofReadParams {
  /** its name, from proof.export */ proof: string;
  /** first byte */ offset?: number;
  /** bytes at most */ size?: number;
}

export interface ProofListParams {
  /** certificates at most */ limit?: number;
}

export interface ProofRemoveParams {
  /** its name, from proof.export or proof.list */ proof: string;
}

export interface ProofVerifyParams {
  /** its name, from proof.export or proof.list */ proof: string;
}

export interface RpcMethods {
  /** Describe the protocol as an OpenRPC document. */
  discover(params?: { [name: string]: never }, options?: CallOptions): Promise<Openrpc>;
}

export interface ServerMethods {
  /**
   * Report versions, features and limits, and take a token. See "Who may do what". The answer to a wrong token
   * waits a fraction of a second.
   */
  hello(params?: ServerHelloParams, options?: CallOptions): Promise<ServerHello>;
  /** Report what the server is doing. See "When the disk is full". */
  stats(params?: { [name: string]: never }, options?: CallOptions): Promise<ServerStats>;
  /** List the workers on other machines. */
  workers(params?: ServerWorkersParams, options?: CallOptions): Promise<ServerWorkers>;
  /** Write a checkpoint of every running job and stop. See "Who may do what". */
  shutdown(params?: ServerShutdownParams, options?: CallOptions): Promise<ServerShutdown>;
  /** Make a backup of the data directory, or report its progress. See "Backups". */
  backup(params?: ServerBackupParams, options?: CallOptions): Promise<ServerBackup>;
}

export interface GameMethods {
  /** List the games. */
  list(params?: { [name: string]: never }, options?: CallOptions): Promise<GameList>;
  /** Describe one game. */
  describe(params: GameDescribeParams, options?: CallOptions): Promise<GameDescribe>;
}

export interface PositionMethods {
  /**
   * Show a position and its legal moves. On boards of hexagons a drawing multiplies y by sqrt(3)/2; the corners of
   * a hexagon are then at (0,-8), (6,-4), (6,4), (0,8), (-6,4) and (-6,-4) from its centre. An edge-across is the
   * line between (x-6,y) and (x+6,y), an edge-down that between (x,y-6) and (x,y+6).
   */
  show(params: PositionShowParams, options?: CallOptions): Promise<PositionShow>;
}

export interface JobMethods {
  /** Submit a job. The reply is sent when the job is on disk. */
  submit(params: JobSubmitParams, options?: CallOptions): Promise<JobSubmit>;
  /** Return one job. */
  get(params: JobGetParams, options?: CallOptions): Promise<Job>;
  /** Explain why a job is not being searched. */
  explain(params: JobExplainParams, options?: CallOptions): Promise<JobExplain>;
  /**
   * List jobs, newest first. A call looks at 10,000 jobs at most, so a page may be short, or empty, and still have
   * a `next`.
   */
  list(params?: JobListParams, options?: CallOptions): Promise<JobList>;
  /** Pause a job and keep its work. The reply is sent when the new state is on disk. */
  pause(params: JobPauseParams, options?: CallOptions): Promise<JobState>;
  /** Queue a paused, exhausted or failed job again. The reply is sent when the new state is on disk. */
  resume(params: JobResumeParams, options?: CallOptions): Promise<JobState>;
  /** End a job for good; its facts stay. The reply is sent when the new state is on disk. */
  cancel(params: JobCancelParams, options?: CallOptions): Promise<JobState>;
  /**
   * Change the priority or the budget of a job. The reply is sent when the change is on disk. What is left out
   * stays as it is.
   */
  set(params: JobSetParams, options?: CallOptions): Promise<JobState>;
  /**
   * Forget a job that is over; its facts stay. The reply is sent when the job is gone from the disk. Connections
   * that watch it receive its last state first; later calls get `no-such-job`.
   */
  remove(params: JobRemoveParams, options?: CallOptions): Promise<JobRemove>;
  /**
   * Subscribe to the progress of a job. `job.progress` notifications with the *job* as params follow until the job
   * is over; the last one has the result.
   */
  watch(params: JobWatchParams, options?: CallOptions): Promise<Job>;
  /** End the subscription to a job. */
  unwatch(params: JobUnwatchParams, options?: CallOptions): Promise<JobUnwatch>;
  /**
   * Return the events of a job, for a progress plot. A point that is damaged on disk has `t` 0 and the event
   * `damaged`.
   */
  history(params: JobHistoryParams, options?: CallOptions): Promise<JobHistory>;
  /**
   * Return the top of a job's search, with what was spent where. The first position is always expanded, then the
   * open one with most effort, as long as there is room. Solved positions are not, nor is one that its line has met
   * before. See "Trees".
   */
  tree(params: JobTreeParams, options?: CallOptions): Promise<JobTree>;
}

export interface GroupMethods {
  /**
   * Limit or pause a group of jobs. The reply is sent when the settings are on disk. What is left out stays as it
   * is.
   */
  set(params: GroupSetParams, options?: CallOptions): Promise<Group>;
  /** List the groups of jobs. A group is listed while a job is in it, or it has a limit or is paused. */
  list(params?: { [name: string]: never }, options?: CallOptions): Promise<GroupList>;
}

export interface FactMethods {
  /**
   * Return what is proved about positions. A position that cannot be read makes its entry an `error` in a list of
   * several; the whole call fails when it was the only one. See "What is known of a position".
   */
  query(params: FactQueryParams, options?: CallOptions): Promise<FactQuery>;
  /**
   * Return what is proved about positions and each of their moves, for the side to move. A category tells what the
   * side to move gets: `win`, `draw`, `loss`, or what is still possible. Over HTTP it is `/query`; see "HTTP and
   * WebSocket" and "What is known of a position".
   */
  probe(params: FactProbeParams, options?: CallOptions): Promise<FactProbe>;
  /** Return best play from a proved position. See "Records of lines". */
  line(params: FactLineParams, options?: CallOptions): Promise<FactLine>;
}

export interface ProofMethods {
  /** Return the top of a proof as a graph. See "Trees of proofs". */
  tree(params: ProofTreeParams, options?: CallOptions): Promise<ProofTree>;
  /**
   * Make the certificate of an answer. The reply is sent when the certificate (`CERTIFICATE.md`) is complete. See
   * "Certificates".
   */
  export(params?: ProofExportParams, options?: CallOptions): Promise<ProofExport>;
  /**
   * End the exports and checks that this connection waits for. Each is answered with the error `shutting-down`, and
   * nothing is left of it. An export goes on while another connection waits for one with the same parameters.
   */
  cancel(params?: { [name: string]: never }, options?: CallOptions): Promise<ProofCancel>;
  /** Return a piece of a certificate. */
  read(params: ProofReadParams, options?: CallOptions): Promise<ProofRead>;
  /** List the certificates that are kept, the one used last first. */
  list(params?: ProofListParams, options?: CallOptions): Promise<ProofList>;
  /** Remove a certificate. Facts stay; proof.export makes it again. */
  remove(params: ProofRemoveParams, options?: CallOptions): Promise<ProofRemove>;
  /** Check a certificate with proofcheck, the independent checker. See "Certificates". */
  verify(params: ProofVerifyParams, options?: CallOptions): Promise<ProofVerify>;
}

export interface Methods {
  readonly rpc: RpcMethods;
  readonly server: ServerMethods;
  readonly game: GameMethods;
  readonly position: PositionMethods;
  readonly job: JobMethods;
  readonly group: GroupMethods;
  readonly fact: FactMethods;
  readonly proof: ProofMethods;
}
