(* Hex. Trusted: print_hex, and which game is registered at the end. *)
open Kernel
open Game

let board_of (p : pos) : hex_board = Obj.obj (Obj.repr p)
let pos_of (b : hex_board) : pos = Obj.obj (Obj.repr b)

(* Trusted: prints a position as the kernel has it. *)
let print_hex width height p =
  let b = board_of p in
  let row r = String.init width (fun c -> letter ((r * width) + c) ('x', b.black) ('o', b.white)) in
  String.concat "/" (List.init height row)
  ^ if b.black_moves then ", x to move" else ", o to move"

let cells_of size cells = List.fold_left (fun s c -> with_cell c s) (none (nat ((size / 63) + 1))) cells

(* Who is to move, where the key does not say so: the side that the stones give; after a chain, the side without one. *)
let decode layout width height key =
  let size = width * height in
  let bytes = ((2 * size) + 7) / 8 in
  let told = String.length key = bytes + 1 in
  Boards.expect_bits (if told then String.sub key 0 bytes else key) (2 * size);
  let first = Boards.plane size key 0 and second = Boards.plane size key 1 in
  let turn b =
    if chain width height layout true b.black then false
    else if chain width height layout false b.white then true
    else if told then key.[bytes] = '\000'
    else List.length first = List.length second
  in
  let b = { black = cells_of size first; white = cells_of size second; black_moves = true } in
  pos_of { b with black_moves = turn b }

let image size map p =
  let b = board_of p in
  pos_of { b with black = Boards.image_set size map b.black; white = Boards.image_set size map b.white }

(* Theorem 8: a chain of bridges, as a plan with a choice of two stones for each pair, and the script that joins the
   ends: what touches, and then what is joined under both stones of a pair, until nothing changes. *)
let bridges width height low position stone pairs =
  let size = width * height in
  let b = position in
  let held c = c >= size || mem c (stones_of low b) || stone = Some c in
  let touching c =
    List.filter held (neighbours width height c)
    @ (if edge width low c then [ size ] else [])
    @ if far width height low c then [ size + 1 ] else []
  in
  let up = Array.init (size + 2) Fun.id in
  let rec root c = if up.(c) = c then c else root up.(c) in
  let steps = ref [] in
  let join step u v = up.(root u) <- root v; steps := step :: !steps in
  for c = 0 to size - 1 do
    if held c then List.iter (fun d -> if root c <> root d then join (fun next -> Touch (c, d, next)) c d) (touching c)
  done;
  let bridge i (a, b) =
    let at_a = touching a and at_b = touching b in
    let end_at ends r = List.find (fun e -> root e = r) ends in
    let both = List.sort_uniq compare (List.filter (fun r -> List.exists (fun e -> root e = r) at_b) (List.map root at_a)) in
    match both with
    | r :: others ->
      let x = end_at at_a r and x' = end_at at_b r in
      let ends = List.map (fun s -> (end_at at_a s, end_at at_b s)) others in
      List.iter
        (fun (y, y') ->
          let way c d e = Touch (c, d, Touch (c, e, Done)) in
          join (fun next -> Case (nat i, x, y, A_script (way a x y, A_script (way b x' y', No_script)), next)) x y)
        ends
    | [] -> ()
  in
  let rec repeat () =
    let before = List.length !steps in
    List.iteri bridge pairs;
    if List.length !steps > before then repeat ()
  in
  repeat ();
  { stone_first = stone; the_plan = List.map (fun (a, b) -> [ Way (a, []); Way (b, []) ]) pairs;
    the_script = List.fold_left (fun next step -> step next) Done !steps }

let card width height fact theorem groups =
  if theorem <> 8 then unknown "the kernel does not know theorem %d of Hex" theorem;
  let stone, groups = match groups with [ c ] :: rest -> (Some c, rest) | _ -> (None, groups) in
  let on_board c = if c < width * height then c else refuse "cell %d is not on the board" c in
  let pair = function [ a; b ] -> (on_board a, on_board b) | _ -> refuse "a bridge should have two cells" in
  let pairs = List.map pair groups in
  known fact (bridges width height fact.f_low (board_of fact.f_at) (Option.map on_board stone) pairs)

(* Trusted: the game that the name stands for. *)
let () =
  register "hex" (fun params _ ->
      let width, height = match String.split_on_char 'x' params with
        | [ n ] -> (int_of_string n, int_of_string n)
        | [ w; h ] -> (int_of_string w, int_of_string h)
        | _ -> failwith "hex"
      in
      if min width height < 1 || max width height > 19 then failwith "hex";
      let theory = hex width height and layout = layout_of width height in
      { theory; scale = (fun v -> v + 1); best = 2; check = checked theory; squares = width * height;
        policy = Policy.by_rules theory.rules (fun _ m -> m); decode = decode layout width height;
        maps = List.map (Boards.symmetry width height) [ 0; 3 ]; image = image (width * height);
        image_move = (fun map _ m -> map m); print = print_hex width height; card = card width height })
