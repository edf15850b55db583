(* Keys of boards, as most games write them (clients/proofcheck/keys.h), and their symmetries. Not trusted. *)
open Kernel
open Game

(* The squares of set number i of a key of a board of n squares. *)
let plane n key i = List.filter (fun s -> bit key ((i * n) + s) = 1) (List.init n Fun.id)

(* Refuses a key that does not have that many bits. *)
let expect_bits key bits = if String.length key <> (bits + 7) / 8 then refuse "a key has %d bytes" (String.length key)

(* Symmetry number `how`: bit 0 mirrors columns, bit 1 mirrors rows, bit 2 then swaps columns and rows. *)
let symmetry width height how s =
  let x = s mod width and y = s / width in
  let x = if how land 1 = 1 then width - 1 - x else x and y = if how land 2 = 2 then height - 1 - y else y in
  if how land 4 = 4 then (x * width) + y else (y * width) + x

(* The image of a set of squares of a board of n squares. *)
let image_set n map set =
  let none = List.map (fun _ -> 0) set in
  List.fold_left (fun s c -> if mem c set then with_cell (map c) s else s) none (List.init n Fun.id)
