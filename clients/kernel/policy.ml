(* Policies of strategies (proto/CERTIFICATE.md): functions from positions to the code of a move. The kernel plays them out
   against every reply, so nothing here is trusted: a mistake can only make a true strategy fail. *)
open Kernel

(* What is known of a position when W aims at the bound: the game is over within it, or over otherwise, or not over. *)
type outcome = Reached | Lost | Open

(* Policy 1 for any game, by its rules. [square p m]: the square of a move in a position, or -1. *)
let by_rules (rules : Kernel.game) square (weights : int array) low b =
  let outcome q = match rules.over q with
    | None -> Open
    | Some v -> if (if low then b <= v else v <= b) then Reached else Lost
  in
  let w_to_move q = rules.first q = low in
  let reaches q = List.exists (fun (_, r) -> outcome r = Reached) (rules.succ0 q) in
  let least codes = List.fold_left min max_int codes in
  fun p ->
    let after = List.map (fun (m, q) -> (m, q, outcome q)) (rules.succ0 p) in
    match List.filter (fun (_, _, o) -> o = Reached) after with
    | _ :: _ as wins -> least (List.map (fun (m, _, _) -> m) wins)
    | [] ->
      let safe (_, q, o) =
        o <> Lost && (o <> Open || w_to_move q || List.for_all (fun (_, r) -> outcome r <> Lost) (rules.succ0 q))
      in
      let twice (_, q, o) =
        o = Open && (not (w_to_move q))
        && List.for_all
             (fun (_, r) -> match outcome r with Reached -> true | Lost -> false | Open -> w_to_move r && reaches r)
             (rules.succ0 q)
      in
      let moves = List.filter safe after in
      let moves = match List.filter twice moves with [] -> moves | some -> some in
      let weight (m, _, _) = match square p m with -1 -> 0 | s -> weights.(s) in
      let best = List.fold_left (fun best move -> max best (weight move)) min_int moves in
      least (List.filter_map (fun (m, q, o) -> if weight (m, q, o) = best then Some m else None) moves)
