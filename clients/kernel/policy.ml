(* Policies of strategies (proto/CERTIFICATE.md): functions from positions to the code of a move. The kernel plays them out
   against every reply, so nothing here is trusted: a mistake can only make a true strategy fail. *)
open Kernel

(* Instead of a code, where W has no safe move. *)
let no_move = max_int

(* What is known of a position when W aims at the bound: the game is over within it, over outside it, or not over. *)
type outcome = Reached | Lost | Open

(* Policy 1 for any game, by its rules. [square p m]: the square of a move in a position, or -1. *)
let by_rules (rules : Kernel.game) square (weights : int array) low b =
  let outcome q = match rules.over q with
    | None -> Open
    | Some v -> if (if low then b <= v else v <= b) then Reached else Lost
  in
  let w_to_move q = rules.first q = low in
  let reaches q = List.exists (fun (_, r) -> outcome r = Reached) (rules.succ0 q) in
  let least codes = List.fold_left min no_move codes in
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

(* Policy 1 for line games with turns of one stone on boards of at most 62 squares, whose lines have no stops: the same
   function as [by_rules], with the lines in words. Squares are numbered as their cells are. *)
type lines = {
  cells : int;
  codes : int array;
  below : int array;            (* of each square, those below it *)
  opens : int array;            (* the squares that can be played once this one is occupied *)
  whole : int array;            (* the squares of each line *)
  through : int array array;    (* the lines through each square *)
}

let lines_of (squares : square list) (lines : line list) =
  let word = List.fold_left (fun w c -> w lor (1 lsl c)) 0 in
  let squares = Array.of_list squares in
  let cells = Array.length squares in
  if cells > 62 || List.exists (fun l -> l.stops <> []) lines then None
  else
    let below = Array.map (fun (q : square) -> word q.below) squares in
    let opened i j = below.(j) lsr i land 1 = 1 && below.(j) land lnot (below.(i) lor (1 lsl i)) = 0 in
    let each f = Array.init cells f in
    let whole = List.map (fun l -> word l.on) lines in
    Some
      {
        cells;
        codes = Array.map (fun q -> q.code) squares;
        below;
        opens = each (fun i -> word (List.filter (opened i) (List.init cells Fun.id)));
        whole = Array.of_list whole;
        through = each (fun i -> Array.of_list (List.filter (fun l -> l lsr i land 1 = 1) whole));
      }

(* The squares on which a line is completed whose other squares one side has; [others]: stones of the other side. *)
let completing lines occupied others =
  let found = ref 0 in
  for i = 0 to Array.length lines - 1 do
    let line = Array.unsafe_get lines i in
    let empty = line land lnot occupied in
    if empty <> 0 && empty land (empty - 1) = 0 && line land others = 0 then found := !found lor empty
  done;
  !found

(* W has a line after each reply of M: [play], what M can play; [wins], where W completes a line. *)
let wins_twice g play wins =
  let ready = play land wins in
  if ready land (ready - 1) <> 0 then true
  else
    let all = ref true in
    for i = 0 to g.cells - 1 do
      (* of one threat only the reply on its square is an answer *)
      if (if ready = 0 then play else ready) lsr i land 1 = 1 && g.opens.(i) land wins = 0 then all := false
    done;
    !all

let on_lines g by_rules (weights : int array) low b =
  let by_rules = by_rules weights low b in
  let lost = if low then b <= 0 else b >= 2 in
  fun (p : pos) ->
    let board : board = Obj.obj (Obj.repr p) in
    match (board.xs, board.os) with
    | [ x ], [ o ] when not lost ->
      let own, other = if low then (x, o) else (o, x) in
      let occupied = x lor o in
      let play = ref 0 and empty = ref 0 in
      for i = 0 to g.cells - 1 do
        if occupied lsr i land 1 = 0 then begin
          incr empty;
          if occupied land g.below.(i) = g.below.(i) then play := !play lor (1 lsl i)
        end
      done;
      let play = !play in
      if !empty < 4 then by_rules p  (* the board may be full soon *)
      else begin
        let best squares weight =
          let code = ref no_move and most = ref min_int in
          for i = 0 to g.cells - 1 do
            if squares lsr i land 1 = 1 && (weight i > !most || (weight i = !most && g.codes.(i) < !code)) then begin
              most := weight i;
              code := g.codes.(i)
            end
          done;
          !code
        in
        let wins = completing g.whole occupied other in
        if play land wins <> 0 then best (play land wins) (fun _ -> 0)
        else begin
          let threats = completing g.whole occupied own in
          let safe = ref 0 in
          for i = 0 to g.cells - 1 do
            let bit = 1 lsl i in
            if play land bit <> 0 && (play lxor bit lor g.opens.(i)) land threats = 0 then safe := !safe lor bit
          done;
          let safe = !safe in
          let twice = ref 0 in
          if safe land (safe - 1) <> 0 then
            for i = 0 to g.cells - 1 do
              let bit = 1 lsl i in
              if safe land bit <> 0 then
                let wins = wins lor completing g.through.(i) (occupied lor bit) other in
                if wins <> 0 && wins_twice g (play lxor bit lor g.opens.(i)) wins then twice := !twice lor bit
            done;
          best (if !twice <> 0 then !twice else safe) (fun i -> weights.(i))
        end
      end
    | _ -> by_rules p
