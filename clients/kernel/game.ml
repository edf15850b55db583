(* What the program knows of every game, and how games are registered: each in a file of its own, listed in
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
      (* policy 1 of strategies with a weight for each square; of a bound and a position: the code of a move, or Policy.no_move *)
  decode : string -> pos;                  (* the position of a key *)
  maps : (int -> int) list;
      (* symmetries as maps of cells, the identity first: a record is read as a fact about each image of its position *)
  image : (int -> int) -> pos -> pos;      (* of a position under a map *)
  image_move : (int -> int) -> pos -> int -> int;
      (* under a map, the code of what a move of a position becomes in the position's image *)
  card : fact -> int -> int list list -> fact list;
      (* facts that say what a card says: of a theorem and its groups, in the frame of the fact's position *)
  print : pos -> string;
}

(* By the word before the colon: a function that makes a game of the parameters after it and of the certificate's graph.
   It raises Failure, End_of_file or Scanf.Scan_failure when there is no such game. *)
let games : (string, string -> string -> game) Hashtbl.t = Hashtbl.create 20
let register name make = Hashtbl.replace games name make

let game_named name graph =
  let kind, params = match String.index_opt name ':' with
    | Some i -> (String.sub name 0 i, String.sub name (i + 1) (String.length name - i - 1))
    | None -> (name, "")
  in
  try (Hashtbl.find games kind) params graph
  with Not_found | Scanf.Scan_failure _ | End_of_file | Failure _ -> unknown "the kernel does not know the game %s" name

(* The different images of a key's position, each with its map and the number of that map. *)
let images game key =
  let position = game.decode key in
  let add seen (how, map) =
    let p = if how = 0 then position else game.image map position in
    if List.exists (fun (q, _, _) -> q = p) seen then seen else (p, how, map) :: seen
  in
  List.rev (List.fold_left add [] (List.mapi (fun how map -> (how, map)) game.maps))

(* A policy of a record's own frame, carried over to the image of the record: what it plays in a position is the image of
   what it plays in the position of which that one is the image. So ties are broken by the codes of the record's frame. *)
let carry_policy game map policy =
  let back = Array.make game.squares 0 in
  for i = 0 to game.squares - 1 do back.(map i) <- i done;
  fun p ->
    let original = game.image (Array.get back) p in
    let m = policy original in
    if m = Policy.no_move then m else game.image_move map original m

(* Plies of a game, at most, and so how far strategies are played out. *)
let fuel = nat 5000
(* The kernel's check, and the question for a bound of a position. *)
let checked theory facts = Option.map (claim theory) (check theory fuel facts)

(* Trusted: the letter of a square on a printed board, x where First has a stone and o where Second has one. *)
let letter i (x, first) (o, second) =
  match (mem i first, mem i second) with
  | true, true -> refuse "square %d holds stones of both sides" i
  | true, false -> x
  | false, true -> o
  | false, false -> '.'

let bit key i = Char.code key.[i / 8] lsr (i mod 8) land 1

(* The type of positions, and of what the kernel knows of them, depends on the game: the extraction forgets it. *)
let known fact card = [ { fact with f_why = Known (Obj.magic card) } ]
