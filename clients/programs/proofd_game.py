"""A game for proofd in Python: `run(Game)` answers the server's questions on stdin (README.md has the messages).

A game is a class. Positions are any values that `write` can turn into text; a position's text is also its key, so it
must say everything that the rules can tell apart, the side to move included, and nothing else: write symmetric
positions the same way, and the search takes them for one.

    class Game:
        title, parameters, notation, example, author, version = ...   # texts for people; version of the rules
        values, step, infinite = (-1, 1), 2, 0   # worst and best for First; infinite play, where positions repeat
        repeats = False                          # whether a position can come back
        def __init__(self, parameters): ...      # raise ValueError(why) to refuse them
        moves_max, plies_max, size = ...         # most moves; most plies (0: unbounded); bytes of the longest position
        params = ...                             # optional: the parameters in canonical form
        def start(self): ...                     # the initial position
        def read(self, text): ...                # a position; raise ValueError(why) unless it is one
        def write(self, position): ...           # its text, in canonical form
        def over(self, position): ...            # None, or the value for First
        def first(self, position): ...           # whether First is to move
        def moves(self, position): ...           # names of the legal moves: texts without spaces, each once
        def play(self, position, move): ...      # the position after a move; `position` stays as it is
        def picture(self, position): ...         # optional: lines for people

All methods are functions of their arguments alone: no clock, no chance, no memory between calls."""
import json
import sys


def terms(game):
    """What `open` is answered with."""
    out = {"start": game.write(game.start()), "values": list(game.values), "step": game.step, "moves": game.moves_max,
           "plies": game.plies_max, "size": game.size, "version": game.version}
    for name in ("title", "parameters", "notation", "example", "author", "params", "repeats", "infinite"):
        if hasattr(game, name):
            out[name] = getattr(game, name)
    return out


def look(game, text):
    """What the rules say of one position."""
    try:
        position = game.read(text)
    except ValueError as why:
        return {"error": str(why) or "not a position of this game"}
    out, written = {}, game.write(position)
    if written != text:
        out["position"] = written
        position = game.read(written)  # the moves are those of the position as it is written
    value = game.over(position)
    if value is not None:
        out["over"] = value
    else:
        out["first"] = game.first(position)
        out["moves"] = [[move, game.write(game.play(position, move))] for move in game.moves(position)]
    return out


def answer(question, make, game):
    """The answer to a question, and the game that is open."""
    if "open" in question:
        try:
            game = make(question["open"])
        except ValueError as why:
            return {"error": str(why) or "no such parameters"}, game
        return terms(game), game
    if "positions" in question:
        return {"positions": [look(game, text) for text in question["positions"]]}, game
    if "picture" in question:
        draw = getattr(game, "picture", None)
        return {"picture": draw(game.read(question["picture"])) if draw else ""}, game
    return {"error": "no such question"}, game


def run(make):
    """Answers until stdin is closed. `make` takes the parameters."""
    game = None
    for line in sys.stdin:
        question = json.loads(line)
        out, game = answer(question, make, game)
        out["n"] = question.get("n")
        sys.stdout.write(json.dumps(out, separators=(",", ":")) + "\n")
        sys.stdout.flush()
