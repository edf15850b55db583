(* Policy 1 with words against policy 1 by the rules: the same move in every position of random games, for random
   weights, both sides and all bounds. Prints the number of positions. *)
open Kernel

let nat = Game.nat

let games =
  let line width height k = all_lines (nat width) (nat height) (nat k) false in
  let mnk_of width height k =
    (mnk (nat width) (nat height) (nat k) (nat 1) false, width * height, free_squares (nat width) (nat height),
     line width height k, fun _ m -> m)
  and connect4_of width height =
    let square p m =
      List.find (fun i -> not (occupied (Game_lines.board_of p) i)) (List.init height (fun r -> (r * width) + m))
    in
    (connect4 (nat width) (nat height), width * height, columns (nat width) (nat height), line width height 4, square)
  in
  [ connect4_of 4 4; connect4_of 7 6; connect4_of 5 4; mnk_of 3 3 3; mnk_of 5 5 4; mnk_of 4 4 3; mnk_of 7 6 5;
    mnk_of 4 2 2 ]

let () =
  Random.init 17;
  let compared = ref 0 in
  let compare_in (theory, cells, squares, lines, square) =
    let rules = theory.rules in
    let words = match Policy.lines_of squares lines with Some g -> g | None -> failwith "no words" in
    let empty = no_stones (nat cells) (nat 1) in
    for _ = 1 to int_of_string Sys.argv.(1) do
      let spread = 1 + Random.int 100 in
      let weights = Array.init cells (fun _ -> Random.int spread - (spread / 2)) in
      let low = Random.bool () and bound = Random.int 3 in
      let by_rules = Policy.by_rules rules square in
      let policies = (by_rules weights low bound, Policy.on_lines words by_rules weights low bound) in
      let rec play p =
        match rules.over p with
        | Some _ -> ()
        | None ->
          let moves = rules.succ0 p in
          if rules.first p = low then begin
            incr compared;
            let slow = fst policies p and quick = snd policies p in
            if slow <> quick then
              failwith (Printf.sprintf "%d squares: by the rules %d, with words %d" cells slow quick)
          end;
          play (snd (List.nth moves (Random.int (List.length moves))))
      in
      play (Game_lines.pos_of { xs = empty; os = empty; turn = true; left = 1 })
    done
  in
  List.iter compare_in games;
  Printf.printf "%d positions\n" !compared
