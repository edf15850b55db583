(* proofkernel: reads the text form of a certificate (proto/CERTIFICATE.md) and has the proved checker judge it.

   Trusted are the kernel (Kernel.v and the rules of the games in Games.v), its extraction, uint63.ml, the compiler, and
   the parts of this file that are marked so: they choose the game and print what was proved. Nothing else matters for
   soundness: whatever is read wrongly, the kernel only accepts a proof of what is printed. *)
open Kernel

exception Refused of string
exception Unknown of string

let refuse format = Printf.ksprintf (fun s -> raise (Refused s)) format
let unknown format = Printf.ksprintf (fun s -> raise (Unknown s)) format
let rec nat n = if n <= 0 then O else S (nat (n - 1))

(* --- games -------------------------------------------------------------------------------- *)

type game = {
  theory : theory;
  scale : int -> int;                      (* of a value, as the kernel counts values *)
  images : string -> (pos * (int -> int) * (int -> int)) list;
      (* of a key: positions that symmetries make of it, each with its map of moves and its map of cells *)
  card : fact -> int -> int list list -> fact list;
      (* facts that say what a card says: of a theorem and its groups, in the frame of the fact's position *)
  print : pos -> string;
}

let bit key i = Char.code key.[i / 8] lsr (i mod 8) land 1

let board_of (p : pos) : board = Obj.obj (Obj.repr p)
let pos_of (b : board) : pos = Obj.obj (Obj.repr b)

(* Trusted: prints a position as the kernel has it. *)
let print_board width height (p : pos) =
  let b = board_of p in
  let row r =
    String.init width (fun c ->
        let i = (r * width) + c in
        if mem0 i b.xs then 'x' else if mem0 i b.os then 'o' else '.')
  in
  String.concat "/" (List.init height (fun i -> row (height - 1 - i))) ^ if b.turn then ", x to move" else ", o to move"

let line_game theory width height per_turn opening maps decode move_cell =
  let images key =
    let first, second = decode key in
    let count = List.length first + List.length second in
    let turn, left =
      if count < opening then (true, opening - count)
      else ((count - opening) / per_turn mod 2 = 1, per_turn - ((count - opening) mod per_turn))
    in
    let image (cell, move) =
      (pos_of (stones (nat width) (nat height) (List.map cell first) (List.map cell second) turn (nat left)), move, cell)
    in
    List.fold_left (fun seen m -> if List.exists (fun (p, _, _) -> p = (let q, _, _ = image m in q)) seen then seen
                                  else image m :: seen) [] maps |> List.rev
  in
  { theory; scale = (fun v -> v + 1); images; print = print_board width height; card = move_cell }

let known fact (card : line_card) = [ { fact with f_why = Known (Obj.magic card) } ]

(* The pairs of THEOREMS.md, T1 and T2: those of the witness, and the upright ones, which follow from the board. *)
let connect4_card width height fact theorem groups =
  let b = board_of fact.f_at in
  let aim, level =
    match (theorem, groups) with
    | 1, _ -> (None, groups)
    | 2, [ r ] :: rest -> (Some r, rest)
    | _ -> refuse "a card of theorem %d does not have that form" theorem
  in
  let level = List.map (function [ a; b ] -> (a, b) | _ -> refuse "a pair should have two squares") level in
  let bases = List.concat_map (fun (a, b) -> [ a; b ]) level in
  let column c =
    let cells = List.init height (fun r -> (r * width) + c) in
    let empty = List.filter (fun i -> not (mem0 i b.xs || mem0 i b.os)) cells in
    let empty = match empty with a :: rest when List.mem a bases -> rest | l -> l in
    let rec pairs = function
      | a :: b :: rest -> { one = a; two = b; upright = true } :: (if aim = Some b then [] else pairs rest)
      | _ -> []
    in
    pairs empty
  in
  known fact @@ In_pairs
    ( List.map (fun (a, b) -> { one = a; two = b; upright = false }) level @ List.concat_map column (List.init width Fun.id),
      aim )

let decode_connect4 width height key =
  let mine = ref [] and others = ref [] and next = ref 0 in
  for c = 0 to width - 1 do
    (* the column's bits plus one: stones of the side to move, and a one above the topmost stone *)
    let sum = ref 0 in
    for b = 0 to height do
      sum := !sum lor (bit key !next lsl b);
      incr next
    done;
    let sum = !sum + 1 in
    let high = ref 0 in
    while sum lsr (!high + 1) > 0 do incr high done;
    for r = 0 to !high - 1 do
      let cell = (r * width) + c in
      if sum lsr r land 1 = 1 then mine := cell :: !mine else others := cell :: !others
    done
  done;
  if (List.length !mine + List.length !others) mod 2 = 0 then (!mine, !others) else (!others, !mine)

(* T5 and T11 are cards of the kernel; a first square of T11 is a move, after which the card speaks. The wins of T12 are played out: a
   record for each stone of the winner and for each that the other side has to put; what wins at once needs none. *)
let mnk_card per_turn game_over squares fact theorem groups =
  let on fact why = { fact with f_why = why } in
  let after fact cell = { fact with f_at = pos_of (put per_turn (board_of fact.f_at) cell); f_rank = fact.f_rank - 1 } in
  let winner_moves fact = (board_of fact.f_at).turn = fact.f_low in
  let completes fact cell =
    let b = board_of fact.f_at in
    (not (occupied b cell))
    && game_over (pos_of (if fact.f_low then { b with xs = add0 cell b.xs } else { b with os = add0 cell b.os }))
       = Some (if fact.f_low then 2 else 0)
  in
  let hold fact groups =
    if per_turn > 1 then known fact (In_groups groups)
    else
      let pair = function [ a; b ] -> (a, b) | _ -> refuse "a group of theorem 11 should have two squares" in
      known fact (In_weights (List.map pair groups))
  in
  let rec play_out fact stones =
    if winner_moves fact then
      match stones with
      | [ stone ] :: rest -> on fact (Move stone) :: play_out (after fact stone) rest
      | _ -> refuse "a card of theorem 12 ends too early"
    else
      on fact Replies
      :: (match List.filter (completes fact) (List.init squares Fun.id) with
          | [ forced ] -> play_out (after fact forced) stones
          | _ -> [])
  in
  match (theorem, groups) with
  | 5, _ -> known fact (In_groups groups)
  | 11, [ first ] :: rest when winner_moves fact -> on fact (Move first) :: hold (after fact first) rest
  | 11, _ -> hold fact groups
  | 12, _ -> play_out fact groups
  | _ -> unknown "the kernel does not know theorem %d" theorem

let decode_planes n key =
  let plane from = List.filter (fun i -> bit key (from + i) = 1) (List.init n Fun.id) in
  if 8 * String.length key >= (2 * n) + 8 then unknown "positions that cannot be reached in a game are not supported";
  (plane 0, plane n)

(* Trusted: the game that a name stands for. *)
let game_named name =
  let kind, params = match String.index_opt name ':' with
    | Some i -> (String.sub name 0 i, String.sub name (i + 1) (String.length name - i - 1))
    | None -> (name, "")
  in
  try
    match kind with
    | "connect4" ->
      Scanf.sscanf params "%dx%d%!" (fun w h ->
          let mirror = ((fun i -> (i / w * w) + w - 1 - (i mod w)), fun m -> w - 1 - m) in
          line_game (connect4 (nat w) (nat h)) w h 1 1 [ (Fun.id, Fun.id); mirror ] (decode_connect4 w h)
            (connect4_card w h))
    | "mnk" ->
      let exact = String.length params > 6 && String.sub params (String.length params - 6) 6 = ",exact" in
      let numbers = List.filter_map int_of_string_opt (String.split_on_char ',' params) in
      let w, h, k, p, q = match numbers with
        | [ w; h; k ] -> (w, h, k, 1, 1) | [ w; h; k; p ] -> (w, h, k, p, p) | [ w; h; k; p; q ] -> (w, h, k, p, q)
        | _ -> raise (Scanf.Scan_failure "")
      in
      let map how i =
        let x = i mod w and y = i / w in
        let x = if how land 1 = 1 then w - 1 - x else x and y = if how land 2 = 2 then h - 1 - y else y in
        if how land 4 = 4 then (x * w) + y else (y * w) + x
      in
      let maps = List.init (if w = h then 8 else 4) (fun how -> (map how, map how)) in
      line_game (mnk (nat w) (nat h) (nat k) (nat p) exact) w h p q maps (decode_planes (w * h))
        (mnk_card p (mnk (nat w) (nat h) (nat k) (nat p) exact).rules.over (w * h))
    | _ -> unknown "the kernel does not know the game %s" name
  with Scanf.Scan_failure _ | End_of_file | Failure _ -> unknown "the kernel does not know the game %s" name

(* --- the text form ------------------------------------------------------------------------ *)

let unhex s =
  try String.init (String.length s / 2) (fun i -> Char.chr (int_of_string ("0x" ^ String.sub s (2 * i) 2)))
  with _ -> refuse "'%s' is not in hexadecimal" s

let number s = match int_of_string_opt s with Some n -> n | None -> refuse "'%s' is not a number" s
let after s n = String.sub s n (String.length s - n)

let rec groups bytes at =
  if at >= String.length bytes then []
  else
    let size = Char.code bytes.[at] in
    if at + 1 + (2 * size) > String.length bytes then refuse "a witness ends in the middle of a group";
    List.init size (fun i -> Char.code bytes.[at + 1 + (2 * i)] + (256 * Char.code bytes.[at + 2 + (2 * i)]))
    :: groups bytes (at + 1 + (2 * size))

(* One reason of a record, as a fact about each image of the record's position. *)
let facts_of game images text =
  let fields = String.split_on_char ',' text in
  let head = List.hd fields in
  if String.length head < 3 then refuse "'%s' is not a reason" text;
  let low = head.[0] = '>' and bound = game.scale (number (after head 2)) in
  let rank = ref 0 and move = ref None and card = ref None in
  List.iter
    (fun f ->
      match f.[0] with
      | 'r' -> rank := number (after f 1)
      | 'm' -> move := Some (number (after f 1))
      | 'c' -> (
        match String.split_on_char ':' (after f 1) with
        | [ theorem; witness ] -> card := Some (number theorem, groups (unhex witness) 0)
        | _ -> refuse "'%s' is not a card" f)
      | 'e' -> unknown "leaves with an effort are not supported: export with --detail full"
      | _ -> refuse "'%s' is not part of a reason" f)
    (List.tl fields);
  List.concat_map
    (fun (p, map_move, map_cell) ->
      let fact why = { f_at = p; f_low = low; f_b = bound; f_rank = !rank; f_why = why } in
      match (!card, !move) with
      | Some (theorem, groups), _ -> game.card (fact Replies) theorem (List.map (List.map map_cell) groups)
      | None, Some m -> [ fact (Move (map_move m)) ]
      | None, None -> [ fact Replies ])
    images

let read_certificate input =
  let header = Hashtbl.create 20 in
  let line () = try input_line input with End_of_file -> refuse "the certificate ends too early" in
  if not (String.length (line ()) >= 24) then refuse "this is not the text form of a certificate";
  let rec read_header () =
    let l = line () in
    if l <> "" then begin
      (match String.index_opt l ':' with
       | Some i -> Hashtbl.replace header (String.sub l 0 i) (String.trim (after l (i + 1)))
       | None -> ());
      read_header ()
    end
  in
  read_header ();
  let field name = try Hashtbl.find header name with Not_found -> refuse "the header has no line '%s'" name in
  let game = game_named (field "game") in
  let facts = ref [] and records = ref 0 in
  let rec read_records () =
    match line () with
    | "end" -> ()
    | "block" -> read_records ()
    | l ->
      let l = match String.index_opt l ' ' with None -> refuse "'%s' is not a record" l | Some _ -> l in
      let said = match Str.bounded_split (Str.regexp_string " : ") l 2 with a :: _ -> a | [] -> l in
      (match String.split_on_char ' ' said with
       | key :: reasons ->
         incr records;
         let images = game.images (unhex key) in
         List.iter (fun r -> if r <> "" then facts := List.rev_append (facts_of game images r) !facts) reasons
       | [] -> ());
      read_records ()
  in
  read_records ();
  (game, field, !facts, !records)

(* --- the verdict -------------------------------------------------------------------------- *)

(* Trusted: prints what the kernel has proved. *)
let judge (game, field, facts, records) =
  let root = match game.images (unhex (field "root")) with (p, _, _) :: _ -> p | [] -> assert false in
  let claim low name trivial =
    let said = field name in
    if said <> "-" && game.scale (number said) <> trivial then
      match verify game.theory low (game.scale (number said)) root facts with
      | None -> refuse "First gets at %s %s: the records do not prove it" (if low then "least" else "most") said
      | Some plies ->
        Printf.printf "proved: %s, %s: First gets at %s %s%s\n" (field "game") (game.print root)
          (if low then "least" else "most") said
          (if plies = 0 then "" else Printf.sprintf ", within %d plies" plies)
  in
  claim true "lo" 0;
  claim false "hi" (game.scale 1);
  Printf.printf "VERIFIED: %d records, %d facts\n" records (List.length facts)

let usage = "usage: proofkernel FILE\n\
  Checks a certificate with a checker that is proved correct. FILE is a certificate or its text form; `-` is standard\n\
  input, in text form. A binary certificate is translated by proofcheck, which must be in the PATH or named by\n\
  PROOFCHECK. Exit status: 0 VERIFIED; 1 REJECTED; 2 UNKNOWN, or the file cannot be read."

let open_text name =
  if name = "-" then stdin
  else begin
    let file = try open_in_bin name with Sys_error e -> unknown "%s" e in
    let first = try input_line file with End_of_file -> "" in
    if String.length first >= 23 && String.sub first 0 23 = "proofd certificate text" then (seek_in file 0; file)
    else begin
      close_in file;
      let checker = try Sys.getenv "PROOFCHECK" with Not_found -> "proofcheck" in
      Unix.open_process_args_in checker [| checker; "--text"; name |]
    end
  end

let () =
  match Sys.argv with
  | [| _; "--help" |] -> print_endline usage
  | [| _; name |] -> (
    try judge (read_certificate (open_text name)) with
    | Refused why -> Printf.printf "REJECTED: %s\n" why; exit 1
    | Unknown why -> Printf.printf "UNKNOWN: %s\n" why; exit 2)
  | _ -> prerr_endline usage; exit 2
