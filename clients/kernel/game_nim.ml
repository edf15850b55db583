(* Nim. Trusted: print_nim, and which game is registered at the end. *)
open Kernel
open Game

let position_of (p : pos) : nim_position = Obj.obj (Obj.repr p)
let pos_of (n : nim_position) : pos = Obj.obj (Obj.repr n)

(* Trusted: prints a position as the kernel has it. *)
let print_nim p =
  let n = position_of p in
  String.concat "," (List.map string_of_int n.heaps) ^ if n.nim_first then ", x to move" else ", o to move"

let decode count key =
  if String.length key <> count + 1 then refuse "a key has %d bytes" (String.length key);
  let heaps = List.init count (fun i -> Char.code key.[i]) in
  if List.sort compare heaps <> heaps || List.exists (fun h -> h > 63) heaps then refuse "the heaps of a key are wrong";
  pos_of { heaps; nim_first = key.[count] = '\000' }

(* Trusted: the game that the name stands for. *)
let () =
  register "nim" (fun params _ ->
      let start = List.map int_of_string (String.split_on_char ',' params) in
      if List.length start > 8 || List.exists (fun h -> h < 1 || h > 63) start then failwith "nim";
      { theory = nim; scale = (fun v -> v + 1); best = 2; check = checked nim; squares = 0;
        policy = (fun _ _ _ _ -> 0); decode = decode (List.length start); maps = [ Fun.id ]; image = (fun _ p -> p);
        image_move = (fun _ _ m -> m);
        print = print_nim; card = (fun _ theorem _ -> refuse "Nim has no theorem %d" theorem) })
