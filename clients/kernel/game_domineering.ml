(* Domineering. Trusted: print_dominoes, and which game is registered at the end. *)
open Kernel
open Game

let board_of (p : pos) : dominoes = Obj.obj (Obj.repr p)
let pos_of (b : dominoes) : pos = Obj.obj (Obj.repr b)

(* Trusted: prints a position as the kernel has it. *)
let print_dominoes width height p =
  let b = board_of p in
  let square r c = if mem ((r * width) + c) b.filled then '#' else '.' in
  String.concat "/" (List.init height (fun i -> String.init width (square (height - 1 - i))))
  ^ if b.vertical then ", v to move" else ", h to move"

(* The key has the free squares on which a domino fits; the others are covered. *)
let decode width height key =
  let n = width * height in
  Boards.expect_bits key (n + 1);
  let free = Boards.plane n key 0 in
  let taken = List.filter (fun s -> not (List.mem s free)) (List.init n Fun.id) in
  pos_of
    { filled = List.fold_left (fun s c -> with_cell c s) (none (nat ((n / 63) + 2))) taken; vertical = bit key n = 0 }

let image n map p = let b = board_of p in pos_of { b with filled = Boards.image_set n map b.filled }

(* A move is the lower or left square of a domino, which the image of the other square may become. *)
let image_move width map p m = min (map m) (map (if (board_of p).vertical then m + width else m + 1))

(* Theorem 9: the cover, then the dominoes, each as its lower or left square. *)
let card width fact theorem groups =
  if theorem <> 9 then unknown "the kernel does not know theorem %d of Domineering" theorem;
  let domino = function
    | [ a; b ] when abs (a - b) = (if fact.f_low then width else 1) -> min a b
    | _ -> refuse "a group of theorem 9 should be a domino"
  in
  match groups with
  | cover :: rest -> known fact { the_cover = cover; certain = List.map domino rest }
  | [] -> refuse "a card of theorem 9 has no cover"

(* Trusted: the game that the name stands for. *)
let () =
  register "domineering" (fun params _ ->
      Scanf.sscanf params "%dx%d%!" (fun width height ->
          if width < 1 || height < 1 || width * height > 64 then failwith "domineering";
          let squares = board_squares width height in
          let theory = domineering width height squares in
          let check facts =
            Option.map (fun shown low b p -> domineering_claim width height squares shown low b (board_of p)) (check theory fuel facts)
          in
          { theory; scale = (fun v -> v + 1); best = 2; check; squares = width * height;
            policy = Policy.by_rules theory.rules (fun _ m -> m); decode = decode width height;
            maps = List.map (Boards.symmetry width height) [ 0; 1; 2; 3 ]; image = image (width * height);
            image_move = image_move width; print = print_dominoes width height; card = card width }))
