(* What the program knows of every game, and how games make themselves known: each in a file of its own, listed in
   kernel.cmake. *)
open Kernel

exception Refused of string
exception Unknown of string

let refuse format = Printf.ksprintf (fun s -> raise (Refused s)) format
let unknown format = Printf.ksprintf (fun s -> raise (Unknown s)) format
let rec nat n = if n <= 0 then O else S (nat (n - 1))

type game = {
  theory : theory;
  scale : int -> int;                      (* of a value, as the kernel counts values *)
  best : int;                              (* the best value for First, as the kernel counts *)
  check : fact list -> (bool -> int -> pos -> int option) option;
      (* [check] and then [claim] of the kernel for this game: trusted, like the theory *)
  squares : int;                           (* of the board; 0: the game has no strategies *)
  policy : int array -> bool -> int -> pos -> int;
      (* policy 1 of strategies with a weight for each square; of a bound and a position: the code of a move *)
  images : string -> (pos * (int -> int) * (int -> int)) list;
      (* of a key: positions that symmetries make of it, each with its map of moves and its map of cells *)
  card : fact -> int -> int list list -> fact list;
      (* facts that say what a card says: of a theorem and its groups, in the frame of the fact's position *)
  print : pos -> string;
}

(* By the word before the colon: makes a game of the parameters after it and of the graph that the certificate holds.
   Raises Failure, End_of_file or Scanf.Scan_failure when there is no such game. *)
let games : (string, string -> string -> game) Hashtbl.t = Hashtbl.create 20
let register name make = Hashtbl.replace games name make

let game_named name graph =
  let kind, params = match String.index_opt name ':' with
    | Some i -> (String.sub name 0 i, String.sub name (i + 1) (String.length name - i - 1))
    | None -> (name, "")
  in
  try (Hashtbl.find games kind) params graph
  with Not_found | Scanf.Scan_failure _ | End_of_file | Failure _ -> unknown "the kernel does not know the game %s" name

(* Plies of a game, at most, and so how far strategies are played out. *)
let fuel = nat 5000
(* The kernel's check, and the question for a bound of a position. *)
let checked theory facts = Option.map (claim theory) (check theory fuel facts)

let bit key i = Char.code key.[i / 8] lsr (i mod 8) land 1

(* The type of positions, and of what the kernel knows of them, depends on the game: the extraction forgets it. *)
let known fact card = [ { fact with f_why = Known (Obj.magic card) } ]
