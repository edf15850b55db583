(* `proofkernel --perft GAME KEY DEPTH`: for tests of the rules. The number of sequences of moves of each length from a
   position, as `proofctl perft` counts them, and the sum of the values of the positions at which the games among them
   end. `proofkernel --graph FILE` prints the graph that the kernel reads from FILE. *)
open Kernel
open Game

let perft name key depth =
  let game = game_named name "" in
  let rules = game.theory.rules in
  let rec count p depth =
    match rules.over p with
    | Some v -> ((if depth = 0 then 1 else 0), v, 1)
    | None ->
      if depth = 0 then (1, 0, 0)
      else
        List.fold_left (fun (n, sum, ends) (_, q) -> let m, s, e = count q (depth - 1) in (n + m, sum + s, ends + e)) (0, 0, 0)
          (rules.succ0 p)
  in
  let p = game.decode key in
  for d = 0 to depth do
    let n, sum, ends = count p d in
    Printf.printf "%d %d %d %d\n" d n ends sum
  done

let graph file =
  let input = open_in_bin file in
  Game_graph.print_graph (Game_graph.read (really_input_string input (in_channel_length input)))
