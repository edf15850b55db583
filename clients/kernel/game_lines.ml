(* Connect Four and m,n,k. Trusted: print_board, and which games are registered at the end. *)
open Kernel
open Game

let board_of (p : pos) : board = Obj.obj (Obj.repr p)
let pos_of (b : board) : pos = Obj.obj (Obj.repr b)

(* Trusted: prints a position as the kernel has it. *)
let print_board width height (p : pos) =
  let b = board_of p in
  let row r = String.init width (fun c -> letter ((r * width) + c) ('x', b.xs) ('o', b.os)) in
  String.concat "/" (List.init height (fun i -> row (height - 1 - i))) ^ if b.turn then ", x to move" else ", o to move"

let line_game (theory : theory) width height per_turn opening maps stones policy card =
  let empty = no_stones (nat width) (nat height) in
  let put = List.fold_left (fun s c -> with_cell c s) empty in
  (* The kernel finds records of images itself where it knows the symmetries. *)
  let maps = if theory.images = [] then maps else [ Fun.id ] in
  let decode key =
    let first, second = stones key in
    let count = List.length first + List.length second in
    let turn, left =
      if count < opening then (true, opening - count)
      else ((count - opening) / per_turn mod 2 = 1, per_turn - ((count - opening) mod per_turn))
    in
    pos_of { xs = put first; os = put second; turn; left }
  in
  let image map p =
    let b = board_of p and set = Boards.image_set (width * height) in
    pos_of { b with xs = set map b.xs; os = set map b.os }
  in
  (* A column is the number of its lowest square. *)
  { theory; scale = (fun v -> v + 1); best = 2; check = checked theory; squares = width * height;
    policy; decode; maps; image; image_move = (fun map _ m -> map m); print = print_board width height; card }

(* The policy of strategies, with words where they will do. *)
let policy_of (theory : theory) square squares lines =
  let by_rules = Policy.by_rules theory.rules square in
  match Policy.lines_of squares lines with Some g -> Policy.on_lines g by_rules | None -> by_rules

let known fact (card : line_card) = known fact card

(* The pairs of THEOREMS.md, T1 and T2: those of the witness, and the upright ones, which follow from the board. *)
let connect4_card width height fact theorem groups =
  let b = board_of fact.f_at in
  let aim, level =
    match (theorem, groups) with
    | 1, _ -> (None, groups)
    | 2, [ r ] :: rest -> (Some r, rest)
    | _ -> refuse "a card of theorem %d has groups of another form" theorem
  in
  let level = List.map (function [ a; b ] -> (a, b) | _ -> refuse "a pair should have two squares") level in
  let bases = List.concat_map (fun (a, b) -> [ a; b ]) level in
  let column c =
    let cells = List.init height (fun r -> (r * width) + c) in
    let empty = List.filter (fun i -> not (mem i b.xs || mem i b.os)) cells in
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

(* T5 and T11 are cards of the kernel; first squares of T11 are moves, with the card after them. Wins of T12 are played
   out: a record for each stone of the winner and for each that the other side has to put; wins at once need none. *)
let mnk_card per_turn game_over squares fact theorem groups =
  let on fact why = { fact with f_why = why } in
  let after fact cell = { fact with f_at = pos_of (put per_turn (board_of fact.f_at) cell); f_rank = fact.f_rank - 1 } in
  let winner_moves fact = (board_of fact.f_at).turn = fact.f_low in
  let completes fact cell =
    let b = board_of fact.f_at in
    (not (occupied b cell))
    && game_over (pos_of (if fact.f_low then { b with xs = with_cell cell b.xs } else { b with os = with_cell cell b.os }))
       = Some (if fact.f_low then 2 else 0)
  in
  let hold fact groups =
    if per_turn > 1 then known fact (In_groups groups)
    else
      let pair = function [ a; b ] -> (a, b) | _ -> refuse "a group of theorem 11 should have two squares" in
      known fact (In_weights (List.map pair groups))
  in
  let rec play_first fact groups = function
    | [] -> hold fact groups
    | stone :: rest ->
      let next = after fact stone in
      on fact (Move stone) :: (if game_over next.f_at = None then play_first next groups rest else [])
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
  | 11, first :: rest when winner_moves fact -> play_first fact rest first
  | 11, [] when winner_moves fact ->
    (* any move will do *)
    play_first fact [] [ List.find (fun cell -> not (occupied (board_of fact.f_at) cell)) (List.init squares Fun.id) ]
  | 11, _ -> hold fact groups
  | 12, _ -> play_out fact groups
  | _ -> unknown "the kernel does not know theorem %d" theorem

let decode_planes n key =
  let plane from = List.filter (fun i -> bit key (from + i) = 1) (List.init n Fun.id) in
  if 8 * String.length key >= (2 * n) + 8 then unknown "positions that cannot be reached in a game are not supported";
  (plane 0, plane n)

(* Trusted: the games that the names stand for. *)
let () =
  register "connect4" (fun params _ ->
      Scanf.sscanf params "%dx%d%!" (fun w h ->
          let theory = connect4 (nat w) (nat h) in
          let square p m = List.find (fun i -> not (occupied (board_of p) i)) (List.init h (fun r -> (r * w) + m)) in
          line_game theory w h 1 1 (List.map (Boards.symmetry w h) [ 0; 1 ]) (decode_connect4 w h)
            (policy_of theory square (columns (nat w) (nat h)) (all_lines (nat w) (nat h) (nat 4) false))
            (connect4_card w h)));
  register "mnk" (fun params _ ->
      let exact, words = match List.rev (String.split_on_char ',' params) with
        | "exact" :: words -> (true, List.rev words) | words -> (false, List.rev words)
      in
      let numbers = List.map int_of_string words in
      if List.exists (fun n -> n < 1) numbers then failwith "mnk";
      let w, h, k, p, q = match numbers with
        | [ w; h; k ] -> (w, h, k, 1, 1) | [ w; h; k; p; q ] -> (w, h, k, p, q) | _ -> failwith "mnk"
      in
      let maps = List.init (if w = h then 8 else 4) (Boards.symmetry w h) in
      let theory = mnk (nat w) (nat h) (nat k) (nat p) exact in
      let policy =
        if p > 1 then Policy.by_rules theory.rules (fun _ m -> m)
        else policy_of theory (fun _ m -> m) (free_squares (nat w) (nat h)) (all_lines (nat w) (nat h) (nat k) exact)
      in
      line_game theory w h p q maps (decode_planes (w * h)) policy (mnk_card p theory.rules.over (w * h)))
