(* Breakthrough. Trusted: print_men, and which game is registered at the end. *)
open Kernel
open Game

let board_of (p : pos) : men = Obj.obj (Obj.repr p)
let pos_of (b : men) : pos = Obj.obj (Obj.repr b)

(* Trusted: prints a position as the kernel has it. *)
let print_men width height p =
  let b = board_of p in
  let square r c = letter ((r * width) + c) ('P', b.firsts) ('p', b.seconds) in
  String.concat "/" (List.init height (fun i -> String.init width (square (height - 1 - i))))
  ^ if b.first_goes then ", w to move" else ", b to move"

let decode n key =
  Boards.expect_bits key ((2 * n) + 1);
  let set i = List.fold_left (fun s c -> with_cell c s) (none (nat ((n / 63) + 1))) (Boards.plane n key i) in
  pos_of { firsts = set 0; seconds = set 1; first_goes = bit key (2 * n) = 0 }

let image n map p =
  let b = board_of p in
  pos_of { b with firsts = Boards.image_set n map b.firsts; seconds = Boards.image_set n map b.seconds }

(* A move is its first square, and 64 times one more than the step aside, which the mirror turns round. *)
let image_move map _ m = map (m land 63) + (64 * (1 + (((m / 64) - 1) * (map 1 - map 0))))

(* Where a move of the side to move ends. *)
let target width b m =
  let from = m land 63 and aside = (m / 64) - 1 in
  (if b.first_goes then from + width else from - width) + aside

(* A runner (theorem 10) as a strategy, which the kernel plays out against every reply: win at once, or else take the
   foremost man of the column straight ahead. Two men one step from their last row need only the first half. *)
let run_in rules width height column low _ _ p =
  let b = board_of p in
  let wins (_, q) = rules.over q = Some (if low then 2 else 0) in
  match List.find_opt wins (rules.succ0 p) with
  | Some (m, _) -> m
  | None ->
    let rows = List.init height (fun r -> if low then height - 1 - r else r) in
    let mine r = mem ((r * width) + column) (if low then b.firsts else b.seconds) in
    (match List.find_opt mine rows with Some r -> (r * width) + column + 64 | None -> -1)

let card rules width height fact theorem groups =
  if theorem <> 10 then unknown "the kernel does not know theorem %d of Breakthrough" theorem;
  let on_board s = if s >= width * height then refuse "square %d is not on the board" s in
  List.iter (List.iter on_board) groups;
  let runs fact square =
    let column = square mod width and low = fact.f_low in
    { fact with f_why = Plays (-1 - (2 * column) - Bool.to_int low, run_in rules width height column low () ()) }
  in
  let b = board_of fact.f_at in
  match groups with
  | [ [ from; into ] ] when b.first_goes = fact.f_low ->
    let m = from + (64 * (1 + into - (if b.first_goes then from + width else from - width))) in
    (match List.assoc_opt m (rules.succ0 fact.f_at) with
     | Some after -> [ { fact with f_why = Move m }; runs { fact with f_at = after; f_rank = fact.f_rank - 1 } into ]
     | None -> refuse "a card of theorem 10 has a step that is not legal")
  | [ (square :: _ as men) ] when List.length men <= 2 && b.first_goes <> fact.f_low -> [ runs fact square ]
  | _ -> refuse "a card of theorem 10 has groups of another form"

(* Trusted: the game that the name stands for. *)
let () =
  register "breakthrough" (fun params _ ->
      Scanf.sscanf params "%dx%d%!" (fun width height ->
          if width < 2 || height < 4 || width * height > 64 then failwith "breakthrough";
          let theory = breakthrough width height and squares = width * height in
          { theory; scale = (fun v -> v + 1); best = 2; check = checked theory; squares;
            policy = Policy.by_rules theory.rules (fun p m -> target width (board_of p) m); decode = decode squares;
            maps = List.map (Boards.symmetry width height) [ 0; 1 ]; image = image squares; image_move;
            print = print_men width height; card = card theory.rules width height }))
