/* Method table: the vocabulary of proto/methods.def, and the rows. Limits on text are generous bounds that refuse
 * nonsense early; the games and the server decide what is legal within them. */
#include "proto/methods.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/job_states.h"
#include "proto/series_values.h"

enum {
	GAME_BYTES = 95, /* a full name, the longest there is */
	POSITION_BYTES = 2047,
	RECORD_BYTES = 1 << 20,
	CLAIM_BYTES = 23,
	TITLE_BYTES = 120,
	TEXT_BYTES = 16384,
	SUITE_BYTES = 1 << 19,
	GROUP_BYTES = 32,
	LIMIT_MAX = 10000,
	PRIORITY_MAX = 100
};

/* Too large for an enum. */
#define JOB_MAX     UINT32_MAX
#define MEMORY_MIN  (INT64_C(1) << 20)
#define MEMORY_MAX  (INT64_C(1) << 50)
#define SECONDS_MAX INT64_C(1000000000)

#define PR_STRINGIFY_(text) #text
#define PR_STRINGIFY(macro) PR_STRINGIFY_(macro)

#define X(name, text, over) text,
static const char *const job_states[] = {PR_JOB_STATES(X) NULL};
#undef X
#define X(name, text, doc) text,
static const char *const wait_reasons[] = {PR_WAIT_REASONS(X) NULL};
#undef X
#define X(name, text) text,
static const char *const roles[] = {PR_ROLES(X) NULL};
static const char *const lacks[] = {PR_QUOTA_LACKS(X) NULL};
static const char *const experiment_states[] = {PR_EXPERIMENT_STATES(X) NULL};
#undef X
#define X(name, text, minutes, points, mean) text,
static const char *const series_ranges[] = {PR_SERIES_RANGES(X) NULL};
#undef X
static const char *const details[] = {"frontier", "full", NULL};
static const char *const answer_states[] = {"proved", "disproved", "solved", "unsolved", NULL};
static const char *const place_shapes[] = {"square", "hexagon", "point", "edge-across", "edge-down", NULL};
static const char *const piece_looks[] = {"disc", "cross", "ring", "glyph", "fill", "letter", NULL};
static const char *const tree_kinds[] = {"end", "move", "replies", "leaf", "aside", NULL};
static const char *const line_forms[] = {"pgn", "sgf", "moves", NULL};
static const char *const marks[] = {"!", "?", "!!", "??", "!?", "?!", NULL};
static const char *const verdicts[] = {"verified", "rejected", "unknown", NULL};
static const char *const dot_looks[] = {"positions", "boards", NULL};
static const char *const report_forms[] = {"json", "csv", "text", NULL};
static const char *const sources[] = {"rules", "fact", "none", NULL};
static const char *const categories[] = {"win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss", NULL};
static const char *const tree_sources[] = {"search", "table", "facts", NULL};
static const char *const tree_numbers[] = {"search", "table", "rules", "cycle", "none", NULL};
static const char *const actions[] = {"pause", "resume", "cancel", "remove", "set", NULL};
static const char *const build_states[] = {"queued", "running", "complete", "failed", "cancelled", NULL};
static const char *const build_phases[] = {"moves", "predecessors", "plies", "writing", NULL};
static const char *const tree_states[] = {"proved", "disproved", "open", NULL};

#define REQUIRED true
#define OPTIONAL false
/* clang-format off */
#define PARAM(name, type, required, min, max, preset, doc) {name, type, required, min, max, doc, NULL, NULL, preset}
#define OPT_BOOL(name, preset, doc) PARAM(name, PR_T_BOOL, OPTIONAL, 0, 0, preset, doc)
#define OPT_INT(name, min, max, preset, doc) PARAM(name, PR_T_INT, OPTIONAL, min, max, preset, doc)
#define OPT_STRING(name, min, max, preset, doc) PARAM(name, PR_T_STRING, OPTIONAL, min, max, preset, doc)
#define PARAMS(...) (const struct pr_param[]){__VA_ARGS__ __VA_OPT__(,) {0}}
#define GAME_PARAM PARAM("game", PR_T_STRING, REQUIRED, 1, GAME_BYTES, NULL, "full name, like connect4:7x6")
#define POSITION_PARAM OPT_STRING("position", 0, POSITION_BYTES, "\"\"", \
			     "text in the game's notation; empty: the initial position")
#define MOVES_PARAM PARAM("moves", PR_T_MOVES, OPTIONAL, 0, RECORD_BYTES, NULL, \
			  "moves played from `position`, as an array or as a record; see \"Moves\"")
#define GAME_NUMBER_PARAM OPT_INT("game_number", 1, 1 << 20, NULL, \
				"which game of a record with several games to play, from 1")
#define NOTATION_PARAM OPT_STRING("notation", 0, 31, NULL, \
			     "one of the game's `notations`, for moves in the reply; default: the game's own")
#define SETUP_PARAM {"setup", PR_T_OBJECT, OPTIONAL, 0, 0, \
		     "a diagram, instead of `position` and `moves`: the reply has its position", setup, NULL, NULL}
#define MATERIAL_PARAM PARAM("material", PR_T_STRING, REQUIRED, 1, 31, NULL, "name of the class, like KvB")
#define JOB_PARAM PARAM("job", PR_T_INT, REQUIRED, 1, JOB_MAX, NULL, "number of the job")
#define LINE_PARAM OPT_INT("depth", 0, PR_TREE_DEPTH_MAX, PR_STRINGIFY(PR_LINE_DEPTH), \
			   "plies: 0 the position, 1 also its moves, more: also the line of each move")
#define PRIORITY_PARAM(preset) \
	OPT_INT("priority", -PRIORITY_MAX, PRIORITY_MAX, preset, "jobs of higher priority run first")
#define DETAIL_PARAM(preset, doc) {"detail", PR_T_STRING, OPTIONAL, 0, 31, doc, NULL, details, preset}
#define DOT_PARAM {"dot", PR_T_STRING, OPTIONAL, 0, 31, \
		   "also return `dot`, with the texts of the positions or with pictures of them", NULL, dot_looks, NULL}
#define FORM_PARAM {"record", PR_T_STRING, OPTIONAL, 0, 31, \
		    "also return `record`, in a form that game.describe lists among the game's `records`", \
		    NULL, line_forms, NULL}
#define STATE_PARAM {"state", PR_T_STRING, OPTIONAL, 0, 31, "only jobs in that state", NULL, job_states, NULL}
#define PROBE_PARAM \
	{"positions", PR_T_OBJECTS, REQUIRED, 1, PR_POSITIONS_MAX, "the positions asked about", probe, NULL, NULL}
#define STUDY_PARAM(required) PARAM("study", PR_T_INT, required, 1, JOB_MAX, NULL, "number of the study")
#define REVISION_PARAM OPT_INT("revision", 1, INT64_MAX, NULL, \
			     "the revision of the study that is changed; required unless it is new")
#define TEXT_PARAM OPT_STRING("text", 0, TEXT_BYTES, "\"\"", "a comment, of several lines if need be")
#define NODES_PARAM {"nodes", PR_T_OBJECTS, OPTIONAL, 0, PR_NODES_MAX, \
		     "the moves instead of `moves`: each before those that follow it, these before its alternatives", \
		     node, NULL, NULL}
#define EXPERIMENT_PARAM PARAM("experiment", PR_T_INT, REQUIRED, 1, JOB_MAX, NULL, "number of the experiment")
#define REPORT_PARAM {"form", PR_T_STRING, OPTIONAL, 0, 31, "what is printed: `text` is for people", \
		      NULL, report_forms, "\"json\""}
#define RANGE_PARAM {"range", PR_T_STRING, OPTIONAL, 0, 31, "how long before now", NULL, series_ranges, "\"day\""}
#define BUDGET_PARAM {"budget", PR_T_OBJECT, OPTIONAL, 0, 0, "when to give up", budget, NULL, NULL}
#define QUESTION_PARAMS \
	POSITION_PARAM, MOVES_PARAM, GAME_NUMBER_PARAM, \
	OPT_STRING("claim", 1, CLAIM_BYTES, "\"value\"", \
	"`value`, `first-wins`, `second-wins`, `first-draws`, `second-draws` or `first-at-least-N`"), \
	OPT_STRING("algorithm", 1, 31, NULL, "the search algorithm; default: that of `game.describe`"), \
	DETAIL_PARAM("\"frontier\"", "which solved positions become facts"), \
	PARAM("options", PR_T_OPTIONS, OPTIONAL, 0, 0, "{}", "options of the search, by name; see below"), \
	BUDGET_PARAM, \
	PARAM("memory", PR_T_SIZE, OPTIONAL, MEMORY_MIN, MEMORY_MAX, NULL, \
	"bytes for the job's transposition table, trees and cache, at most `limits.memory` of server.hello; " \
	"default 512M, or that limit where it is less"), \
	OPT_INT("threads", 0, 1024, "0", "search threads that may work on it together; 0: as many as are free"), \
	OPT_INT("seed", 0, INT64_MAX, "0", "mixed into the order of equal children"), \
	OPT_INT("shorten", 0, INT64_MAX, "0", \
	"nodes to search for shorter wins once the answer is known; `mopn`, `minimal` and, in games without " \
	"cycles, `pss` ignore it"), \
	PRIORITY_PARAM("0"), \
	OPT_STRING("key", 1, 128, NULL, "the client's own name for the job; see \"Keys\""), \
	OPT_STRING("group", 1, GROUP_BYTES, NULL, "its group; see \"Groups\""), \
	PARAM("after", PR_T_INTS, OPTIONAL, 0, 64, "[]", \
	"numbers of jobs that must be solved before it runs; see \"Jobs\""), \
	OPT_INT("under", 1, JOB_MAX, NULL, \
	"number of its parent job, at whose position it begins unless `position` is given; see \"Sub-jobs\""), \
	PARAM("first", PR_T_STRINGS, OPTIONAL, 0, 64, "[]", \
	"lines of moves from its position, whose last move is tried before the others; see \"Hints\""), \
	PARAM("tags", PR_T_STRINGS, OPTIONAL, 0, 8, "[]", \
	    "its tags, named like groups; see \"Campaigns\""), \
	OPT_STRING("label", 1, 128, NULL, "what people call its position, shown in tables"), \
	OPT_BOOL("once", "false", \
	    "its key is made from its first tag and its question: the same question is not submitted twice")
#define QUESTIONS_PARAM \
	{"questions", PR_T_OBJECTS, REQUIRED, 1, PR_SUBMIT_MAX, "what the jobs are to search", questions, NULL, NULL}
#define TAG_PARAM OPT_STRING("tag", 1, GROUP_BYTES, NULL, "the jobs with that tag")
#define OF_GROUP_PARAM OPT_STRING("group", 1, GROUP_BYTES, NULL, "the jobs of that group")
/* clang-format on */

static const struct pr_param budget[] = {
	OPT_INT("nodes", 0, INT64_MAX, "0", "nodes of both levels; 0: no bound"),
	PARAM("seconds", PR_T_REAL, OPTIONAL, 0, SECONDS_MAX * 1000, "0",
	      "search time in seconds, restarts included; 0: no bound"),
	PARAM("cpu", PR_T_REAL, OPTIONAL, 0, SECONDS_MAX * 1000, "0",
	      "seconds of processor time, all its search threads together; 0: no bound"),
	PARAM("disk", PR_T_SIZE, OPTIONAL, 0, MEMORY_MAX, "0", "bytes of its table on disk; 0: no bound"),
	{0},
};

static const struct pr_param questions[] = {QUESTION_PARAMS, {0}};

static const struct pr_param probe[] = {
	GAME_PARAM, POSITION_PARAM, MOVES_PARAM, GAME_NUMBER_PARAM, NOTATION_PARAM, {0},
};

static const struct pr_param node[] = {
	PARAM("depth", PR_T_INT, REQUIRED, 1, PR_NODES_MAX, NULL, "plies from the position; of a first move 1"),
	PARAM("move", PR_T_STRING, REQUIRED, 1, 63, NULL, "in the game's notation"),
	{"mark", PR_T_STRING, OPTIONAL, 0, 31, "what is thought of the move", NULL, marks, NULL},
	TEXT_PARAM,
	{0},
};

static const struct pr_param setup[] = {
	PARAM("on", PR_T_STRING, REQUIRED, 1, 512, NULL, "as in `diagram`"),
	OPT_INT("side", 0, 1, NULL, "to move; may be left out where it follows from the pieces"),
	OPT_STRING("hands", 0, 1024, "\"\"", "as in `diagram`"),
	OPT_STRING("note", 0, 95, "\"\"", "as in `diagram`"),
	{0},
};

/* clang-format off */
#define FIELD(name, type, presence, doc) {name, type, presence, doc, NULL, NULL}
#define BOOL(name, doc) FIELD(name, PR_T_BOOL, PR_ALWAYS, doc)
#define INT(name, doc) FIELD(name, PR_T_INT, PR_ALWAYS, doc)
#define INTS(name, doc) FIELD(name, PR_T_INTS, PR_ALWAYS, doc)
#define INT_OR_NULL(name, doc) FIELD(name, PR_T_INT, PR_OR_NULL, doc)
#define MAYBE_INT(name, doc) FIELD(name, PR_T_INT, PR_SOMETIMES, doc)
#define REAL(name, doc) FIELD(name, PR_T_REAL, PR_ALWAYS, doc)
#define STRING(name, doc) FIELD(name, PR_T_STRING, PR_ALWAYS, doc)
#define STRINGS(name, doc) FIELD(name, PR_T_STRINGS, PR_ALWAYS, doc)
#define STRING_OR_NULL(name, doc) FIELD(name, PR_T_STRING, PR_OR_NULL, doc)
#define MAYBE_STRING(name, doc) FIELD(name, PR_T_STRING, PR_SOMETIMES, doc)
#define CHOICE(name, list, doc) {name, PR_T_STRING, PR_ALWAYS, doc, NULL, list}
#define FIELDS(...) (const struct pr_field[]){__VA_ARGS__, {0}}
#define OBJECT(name, presence, doc, ...) {name, PR_T_OBJECT, presence, doc, RESULT(__VA_ARGS__), NULL}
#define OBJECT_OF(name, presence, doc, shape) {name, PR_T_OBJECT, presence, doc, SHAPE(shape), NULL}
#define LIST(name, presence, doc, ...) {name, PR_T_OBJECTS, presence, doc, RESULT(__VA_ARGS__), NULL}
#define LIST_OF(name, presence, doc, shape) {name, PR_T_OBJECTS, presence, doc, SHAPE(shape), NULL}
#define RESULT(...) &(const struct pr_shape){NULL, NULL, FIELDS(__VA_ARGS__)}
#define SHAPE(name) &name##_shape
#define NAMED(id, doc, ...) static const struct pr_shape id##_shape = {#id, doc, FIELDS(__VA_ARGS__)}
#define JOB_FIELD INT("job", "number of the job")
#define PLUGIN_FIELDS STRING("file", "name of its file"), STRING("digest", "digest of its file"), \
	STRING("author", "its author")
#define MAYBE_CHOICE(name, list, doc) {name, PR_T_STRING, PR_SOMETIMES, doc, NULL, list}
#define STUDY_FIELDS \
	INT("study", "number of the study"), STRING("title", "what it is called"), STRING("game", "its game"), \
	MAYBE_STRING("client", "name of the client that changed it last"), \
	INT("revision", "counts its changes, from 1"), REAL("created", "seconds since 1970"), \
	REAL("changed", "seconds since 1970, of the last change"), INT("moves", "how many moves it has")
#define EXPERIMENT_FIELDS \
	INT("experiment", "its number"), STRING("title", "what it is called; empty: nothing"), \
	MAYBE_STRING("client", "name of the client that started it"), CHOICE("state", experiment_states, "its state"), \
	MAYBE_STRING("reason", "why it has failed, or waits"), INT("questions", "questions of its suite"), \
	INT("variants", "variants of its suite"), INT("seeds", "seeds of its suite"), \
	INT("runs", "runs that it makes"), INT("done", "runs that have ended"), \
	INT("answered", "runs that have answered their questions"), \
	INT("wrong", "runs whose answer contradicts the suite"), \
	MAYBE_INT("builds", "number of builds of proofctl that did its runs, if several"), \
	INT("created", "when it was started: milliseconds since 1970"), \
	MAYBE_INT("ended", "when it ended: milliseconds since 1970")
#define PROOF_FIELDS(presence) \
	FIELD("positions", PR_T_INT, presence, "positions in it"), \
	FIELD("reasons", PR_T_INT, presence, "bounds that it justifies"), \
	FIELD("leaves", PR_T_INT, presence, "bounds that the checker searches again, included in `reasons`"), \
	FIELD("cards", PR_T_INT, presence, "bounds that a theorem of the game gives, included in `reasons`")
#define BOUND_FIELDS(presence) \
	FIELD("lo", PR_T_INT, presence, "lower bound of the value, from First's view"), \
	FIELD("hi", PR_T_INT, presence, "upper bound"), FIELD("text", PR_T_STRING, presence, "the bounds in words"), \
	{"source", PR_T_STRING, presence, \
	 "what the bounds rest on; `rules`: the game is over, or ends after the moves that count", NULL, sources}
/* clang-format on */

#define X(name, text, decimals, doc) FIELD(text, PR_T_REAL, PR_SOMETIMES, doc),
static const struct pr_field sample[] = {INT("t", "when it begins: milliseconds since 1970"), PR_SERIES(X){0}};
#undef X
static const struct pr_shape sample_shape = {"sample", "What the server did in a minute, or means of a longer time.",
					     sample};

#define X(name, text, over) INT(text, "jobs in that state"),
static const struct pr_field job_counts[] = {PR_JOB_STATES(X){0}};
NAMED(experiment, "A suite that the server runs, or has run.", EXPERIMENT_FIELDS);

static const struct pr_shape job_counts_shape = {NULL, NULL, job_counts};
#undef X

NAMED(value, "Bounds of a value, from First's view.", INT_OR_NULL("lo", "lower bound"),
      INT_OR_NULL("hi", "upper bound"),
      STRING("text",
	     "in words: `first wins`, `draw`, `second wins`, `first wins or draw`, `second wins or draw`, "
	     "`unknown`; on scales other than -1 to 1, like `first wins by 3` or `between -2 and 4`; some games "
	     "have words of their own"));

NAMED(nodes, "Nodes searched.", INT("level1", "by the first-level search"),
      INT("level2", "by the second-level searches"),
      MAYBE_INT("positions",
		"positions made: the children that expansions make, each time they do; a unit of work that is the same "
		"for "
		"all algorithms. Not counted are moves played again on the way to a known child, what the rules look "
		"ahead "
		"for (static solves, immediate wins, initial numbers), and proofs that are written out. Absent "
		"in results of versions that did not count them; jobs begun by those have a part"));

NAMED(answer, "The `result` of a job, and what `proofctl solve --json` prints.", STRING("game", "full name"),
      STRING("position", "as it was submitted"), STRING("claim", "as it was submitted"),
      CHOICE("status", answer_states,
	     "`solved`: the exact value of the claim `value` is known; `proved`, `disproved`: the claim holds or does "
	     "not; `unsolved`: the budget or the memory was exhausted"),
      OBJECT_OF("value", PR_ALWAYS, "bounds of the value", value), STRING_OR_NULL("move", "best move"),
      INT_OR_NULL("plies", "the game is decided within that many plies"),
      OBJECT_OF("nodes", PR_ALWAYS, "nodes searched", nodes),
      REAL("seconds", "search time in seconds, restarts included; see \"Jobs\""),
      FIELD("pn", PR_T_PROOF_NUMBER, PR_ALWAYS, "proof number of the root, for the last claim"),
      FIELD("dn", PR_T_PROOF_NUMBER, PR_ALWAYS, "disproof number of the root, for the last claim"),
      INT("facts", "facts found"), STRINGS("line", "best play as far as it is proved"));

NAMED(job, "A job and its progress.", JOB_FIELD, CHOICE("state", job_states, "where it stands"),
      STRING("game", "full name; empty when the job's record is damaged"),
      STRING_OR_NULL(
	      "rules",
	      "version of the game's rules under which it was submitted; null in jobs from before it was recorded"),
      MAYBE_STRING("plugin", "of a game from a plug-in: the digest of its file"),
      STRING("position", "as it was submitted"), STRING("claim", "as it was submitted"),
      STRING("algorithm", "the search algorithm"), CHOICE("detail", details, "which solved positions become facts"),
      INT("priority", "jobs of higher priority run first"), STRING_OR_NULL("key", "the client's name for it"),
      STRING_OR_NULL("group", "its group"), FIELD("tags", PR_T_STRINGS, PR_SOMETIMES, "its tags"),
      MAYBE_STRING("label", "what people call its position"),
      MAYBE_STRING("client", "name of the token that it was submitted with, if there was one"),
      INT("memory", "bytes for its transposition table, trees and cache"),
      INT("seed", "mixed into the order of equal children"), INT("shorten", "nodes to search for shorter wins"),
      FIELD("after", PR_T_INTS, PR_SOMETIMES, "jobs that must be solved before it runs"),
      MAYBE_INT("under", "number of its parent job"),
      FIELD("first", PR_T_STRINGS, PR_SOMETIMES, "lines whose last move is tried before the others"),
      FIELD("options", PR_T_DOCUMENT, PR_SOMETIMES, "options that are not the default"),
      OBJECT("budget", PR_ALWAYS, "when it gives up; null: no bound", INT_OR_NULL("nodes", "nodes of both levels"),
	     FIELD("seconds", PR_T_REAL, PR_OR_NULL, "search time"),
	     FIELD("cpu", PR_T_REAL, PR_SOMETIMES, "seconds of processor time; absent: no bound"),
	     MAYBE_INT("disk", "bytes of its table on disk; absent: no bound")),
      INT("threads", "search threads that may work on it; 0: as many as are free"),
      OBJECT_OF("nodes", PR_ALWAYS, "nodes searched", nodes),
      REAL("seconds", "search time in seconds, restarts included; see \"Jobs\""),
      REAL("cpu", "seconds of processor time of its search threads"),
      INT("table_bytes", "bytes of its table on disk, at its last checkpoint; 0: none was made yet"),
      REAL("rate", "nodes a second, recent average"),
      FIELD("pn", PR_T_PROOF_NUMBER, PR_ALWAYS, "proof number of the root"),
      FIELD("dn", PR_T_PROOF_NUMBER, PR_ALWAYS, "disproof number of the root"),
      STRING_OR_NULL("leading", "move at the root that looks most promising for its mover, until the job is solved"),
      INT("threshold", "the value that the search tries to prove or disprove for First"),
      OBJECT_OF("value", PR_ALWAYS, "bounds so far", value), INT("entries", "entries of the transposition table"),
      INT("capacity", "entries that it can hold"), INT("facts", "facts found"),
      INT("budget_level2", "current node budget of a second-level search"),
      INT("disk", "bytes of the server's files, all jobs together"),
      INT_OR_NULL("submitted", "milliseconds since 1970"), INT_OR_NULL("started", "milliseconds since 1970"),
      INT_OR_NULL("finished", "milliseconds since 1970"),
      INT("restarts", "how often it continued after a restart of the server"),
      INT("crashes", "consecutive crashes of the server that it may have caused"),
      STRINGS("engines", "versions of the program that have worked on it, in order"),
      STRING_OR_NULL("reason", "reason why it is paused, exhausted or failed"),
      FIELD("sub_jobs", PR_T_INTS, PR_SOMETIMES,
	    "jobs under it, in the order of their submission, at most 1000; never in job.list"),
      OBJECT_OF("result", PR_SOMETIMES, "once it is solved or exhausted; never in job.list", answer));

NAMED(job_state, "A job after a change.", JOB_FIELD, CHOICE("state", job_states, "its state on disk"));

NAMED(row, "A job in a table of many.", JOB_FIELD, CHOICE("state", job_states, "where it stands"),
      MAYBE_STRING("label", "what people call its position"), STRING("game", "full name"),
      STRING("position", "as it was submitted"), MAYBE_STRING("claim", "as it was submitted; absent: `value`"),
      MAYBE_INT("lo", "lower bound of the value, from First's view; absent, and so are the next two: nothing is known"),
      MAYBE_INT("hi", "upper bound"), MAYBE_STRING("text", "the bounds in words"), INT("nodes", "nodes of both levels"),
      REAL("cpu", "seconds of processor time"),
      FIELD("pn", PR_T_PROOF_NUMBER, PR_SOMETIMES, "proof number of the root; absent before its first run"),
      FIELD("dn", PR_T_PROOF_NUMBER, PR_SOMETIMES, "disproof number of the root"),
      MAYBE_STRING("reason", "reason why it is paused, exhausted or failed"));

NAMED(group, "A group of jobs.", STRING("group", "its name"),
      INT_OR_NULL("limit", "number of its jobs that may run at once; null: any number"),
      BOOL("paused", "none of its jobs may run"), INT("jobs", "its jobs, in any state"),
      INT("queued", "its queued jobs"), INT("running", "its running jobs"));

NAMED(build, "A table that the server builds.", STRING("game", "full name"), STRING("material", "name of the class"),
      CHOICE("state", build_states, "`queued`: it waits, for the build before it or for what `reason` says"),
      INT("threads", "its threads"), INT("memory", "bytes that it reserves while it runs, an estimate"),
      REAL("seconds", "duration of its last run"),
      MAYBE_STRING("building", "the class that is built now: this one, or one that it rests on"),
      {"phase", PR_T_STRING, PR_SOMETIMES, "what is being done", NULL, build_phases},
      MAYBE_INT("plies", "settled so far"), MAYBE_INT("done", "entries of the phase that are done"),
      MAYBE_INT("all", "entries of the phase"), MAYBE_INT("made", "tables that were made, once it is complete"),
      MAYBE_INT("bytes", "size of the table"), MAYBE_INT("discarded", "checkpoints that were deleted"),
      MAYBE_STRING("code", "name of the error, as in \"Errors\", of `reason`"),
      MAYBE_STRING("reason", "why it failed, or waits"));

NAMED(theorem,
      "A bound that a theorem of the game gives at a position. It is knowledge of the game, which no fact need have; "
      "`solver/games/THEOREMS.md` states and proves the theorems of the built-in games.",
      INT("number", "of the theorem; 1 is T1"), STRING("title", "its name; empty for those of plug-ins"),
      OBJECT_OF("value", PR_ALWAYS, "the bound", value),
      INT_OR_NULL("plies", "the game is decided within that many plies; null where the bound rests on infinite play"),
      STRING("text", "why the bound holds, a sentence"),
      LIST("groups", PR_ALWAYS, "the groups of squares that the sentence speaks of",
	   STRING("mark", "a digit or a letter for it on the board; `*` when there are no more of them"),
	   STRINGS("squares", "their names; column and row, counted from 1 at the bottom left, where they have none"),
	   INTS("places", "the same as indices of the `places` of `geometry`")));

NAMED(fact, "What is proved about a position.", BOUND_FIELDS(PR_SOMETIMES),
      FIELD("rank", PR_T_INT, PR_SOMETIMES | PR_OR_NULL,
	    "the game is decided within that many plies: the rank of the bound that is good for the side that wins, or "
	    "the larger one of a draw; null where nothing is proved and where the bound rests on infinite play"),
      FIELD("move", PR_T_STRING, PR_SOMETIMES | PR_OR_NULL,
	    "the move that gives the player to move its bound in the fewest known plies"),
      MAYBE_INT("effort", "0: the fact can be checked one ply down; else the nodes of the search that finds it again"),
      MAYBE_INT("job", "the job that found it; 0: none"),
      MAYBE_STRING("worker", "number of the worker that found it, 8 hexadecimal digits; `job` is then 0"),
      LIST("moves", PR_SOMETIMES, "with `moves`: what is proved about each move, best first for the side to move",
	   STRING("move", "the move"), BOUND_FIELDS(PR_ALWAYS), INT_OR_NULL("rank", "as above")),
      LIST_OF("theorems", PR_SOMETIMES,
	      "with `theorems`: what theorems of the game say of the position; absent when they say nothing", theorem),
      OBJECT("error", PR_SOMETIMES, "instead of everything else: the position cannot be read",
	     INT("code", "as in an error reply"), STRING("message", "what is wrong")));

/* clang-format off */
#define VERDICT_FIELDS(presence, doc) \
	{"category", PR_T_STRING, presence, doc, NULL, categories}, BOUND_FIELDS(presence), \
	FIELD("rank", PR_T_INT, (presence) | PR_OR_NULL, "as in *fact*"), \
	FIELD("effort", PR_T_INT, presence, "as in *fact*"), \
	FIELD("terminal", PR_T_BOOL, presence, "true when the game is over")
/* clang-format on */

NAMED(probe, "What is proved about a position, for the side to move.", MAYBE_STRING("game", "full name"),
      MAYBE_STRING("position", "as requested; with `moves`, the position that they lead to"),
      FIELD("first_to_move", PR_T_BOOL, PR_SOMETIMES | PR_OR_NULL, "null when the game is over"),
      VERDICT_FIELDS(PR_SOMETIMES, "for the side to move; for First when the game is over"),
      LIST("moves", PR_SOMETIMES,
	   "each legal move, best first; sooner wins and later losses are better; unknown moves come before draws",
	   STRING("move", "the move"),
	   VERDICT_FIELDS(PR_ALWAYS, "for the side to move after it; for the opponent when it ends the game")),
      OBJECT("error", PR_SOMETIMES, "instead of everything else: game, position or moves cannot be read",
	     INT("code", "as in an error reply"), STRING("slug", "name of the error"),
	     STRING_OR_NULL("field", "the member at fault"), STRING("message", "what is wrong")));

NAMED(tree, "The top of a search: positions with their numbers, and what facts say of them.",
      INT_OR_NULL("job", "number of the job; null: no job searches the position, and the tree has only what facts and "
			 "rules say"),
      {"state", PR_T_STRING, PR_OR_NULL, "where the job stands", NULL, job_states},
      CHOICE("source", tree_sources,
	     "`search`: the running search, as of now; `table`: its table, as it was stored; `facts`: neither, only "
	     "what is proved"),
      STRING("game", "full name"), STRING("position", "the first position of the tree"),
      STRINGS("line", "moves that lead there from the job's position"),
      INT("threshold", "the claim in work: First gets at least this value"),
      OBJECT_OF("nodes", PR_ALWAYS, "nodes searched by the job", nodes), REAL("seconds", "search time of the job"),
      BOOL("whole", "false: positions within `depth` were left out for lack of room"),
      LIST("positions", PR_ALWAYS,
	   "the tree from top to bottom: each position is followed by those below it, the one with most effort first",
	   INT_OR_NULL("parent", "index of its parent in this list, from 0; null: the first position"),
	   INT("depth", "plies below the first position"), STRING_OR_NULL("move", "the move that leads here"),
	   FIELD("first_to_move", PR_T_BOOL, PR_OR_NULL, "null when the game is over"),
	   CHOICE("status", tree_states, "status of the claim here: by the rules or a fact, else by the numbers"),
	   FIELD("pn", PR_T_PROOF_NUMBER, PR_OR_NULL, "proof number; null: there is none"),
	   FIELD("dn", PR_T_PROOF_NUMBER, PR_OR_NULL, "disproof number"),
	   CHOICE("numbers", tree_numbers,
		  "source of `pn` and `dn`. `search`: frames or tree, as of now; `table`: as of when the search left "
		  "the "
		  "position last; `rules`; `cycle`: the line has met the position before; `none`"),
	   BOOL("path_dependent", "whether `pn` and `dn` are true on this line only"),
	   INT_OR_NULL("effort", "nodes spent on it; null: not known"),
	   INT("threads", "search threads that are at it or below it now"),
	   MAYBE_STRING(
		   "worker",
		   "name of the worker on another machine that searches it now, see `server.workers`; absent: none"),
	   INT("moves", "its moves that a search looks at; by position.analyze for the first position only, else 0"),
	   INT("known", "those of its moves for which rules or facts settle the claim; likewise"),
	   OBJECT_OF("value", PR_SOMETIMES, "what the rules or facts say about it; absent: nothing", value),
	   FIELD("alike", PR_T_STRINGS, PR_SOMETIMES,
		 "by position.analyze, for each move: other moves that lead to the same position or a mirror image"),
	   OBJECT("job", PR_SOMETIMES, "likewise: the best job that begins after the move", INT("job", "its number"),
		  CHOICE("state", job_states, "where it stands"), INT("nodes", "nodes of both levels so far"),
		  FIELD("pn", PR_T_PROOF_NUMBER, PR_ALWAYS, "proof number of its root"),
		  FIELD("dn", PR_T_PROOF_NUMBER, PR_ALWAYS, "disproof number of its root"))));

NAMED(openrpc, "An OpenRPC 1.2.6 document.", STRING("openrpc", "version of OpenRPC"),
      FIELD("info", PR_T_DOCUMENT, PR_ALWAYS, "title and version"),
      LIST("methods", PR_ALWAYS, "one entry a method", STRING("name", "the method"), STRING("summary", "what it does"),
	   MAYBE_STRING("description", "remarks"), STRING("paramStructure", "`by-name`"),
	   LIST("params", PR_ALWAYS, "its parameters", STRING("name", "the parameter"),
		STRING("description", "what it means"), BOOL("required", "false: it may be left out"),
		FIELD("schema", PR_T_DOCUMENT, PR_ALWAYS, "JSON schema")),
	   FIELD("result", PR_T_DOCUMENT, PR_ALWAYS, "name, description and JSON schema"),
	   CHOICE("x-role", roles, "the least role that may call it"),
	   FIELD("x-example", PR_T_DOCUMENT, PR_ALWAYS, "the params of a good call")),
      FIELD("components", PR_T_DOCUMENT, PR_ALWAYS, "named schemas, and the errors"));

static const struct pr_method_info table[PR_METHOD_COUNT] = {
#define METHOD(id, handler, text, thread_, role_, feature_, summary_, params_, result_, example_, note_)               \
	[PR_##id] = {text, summary_, thread_, role_, feature_, params_, result_, example_, note_},
#include "proto/methods.def"
#undef METHOD
};

bool pr_method_find(const char *name, enum pr_method *out)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		if (!strcmp(table[i].name, name)) {
			*out = (enum pr_method)i;
			return true;
		}
	return false;
}

const struct pr_method_info *pr_method_info(enum pr_method method)
{
	PD_ASSERT((unsigned)method < PR_METHOD_COUNT);
	return &table[method];
}

const char *pr_role_text(enum pr_role role)
{
	PD_ASSERT((unsigned)role < PR_ROLE_COUNT);
	return roles[role];
}

bool pr_role_find(const char *text, size_t size, enum pr_role *out)
{
	for (unsigned i = PR_ROLE_QUERY; i < PR_ROLE_COUNT; i++) /* no token gives the role public */
		if (strlen(roles[i]) == size && !memcmp(roles[i], text, size)) {
			*out = (enum pr_role)i;
			return true;
		}
	return false;
}

const struct pr_shape *pr_shape_at(unsigned index)
{
	static const struct pr_shape *const shapes[] = {
		SHAPE(value), SHAPE(nodes),      SHAPE(answer), SHAPE(job),    SHAPE(theorem),
		SHAPE(fact),  SHAPE(job_state),  SHAPE(row),    SHAPE(group),  SHAPE(probe),
		SHAPE(tree),  SHAPE(experiment), SHAPE(build),  SHAPE(sample), SHAPE(openrpc)};
	return index < sizeof shapes / sizeof *shapes ? shapes[index] : NULL;
}
