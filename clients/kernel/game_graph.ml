(* AND/OR graphs. Trusted: print_graph, read, and which game is registered at the end. *)
open Kernel
open Game

let number_of (p : pos) : int = Obj.obj (Obj.repr p)
let pos_of (n : int) : pos = Obj.obj (Obj.repr n)

(* Trusted: the graph as the kernel has it, in lines (proto/GRAPH.md). *)
let print_graph (g : Graph_file.t) =
  let name i = g.names.(i) in
  let children l = String.concat " " (List.map name l) in
  Printf.printf "values %d %d\ninfinite %d\nroot %s\n" g.low g.high g.infinite (name g.root);
  for i = 0 to Array.length g.names - 1 do
    match g.nodes.(i) with
    | First_moves l -> Printf.printf "%s or %s\n" (name i) (children l)
    | Second_moves l -> Printf.printf "%s and %s\n" (name i) (children l)
    | Ends v -> Printf.printf "%s = %d\n" (name i) (v + g.low)
  done

(* Trusted: names are printed, and must not look like other words or lines. *)
let read text =
  let g = Graph_file.read text and wrong () = refuse "a node has a name of 1 to 64 bytes without blanks and slashes" in
  let check name =
    if name = "" || String.length name > 64 then wrong ();
    String.iter (function '\000' .. ' ' | '/' | '\127' -> wrong () | _ -> ()) name
  in
  Array.iter check g.names;
  g

(* Trusted: the game that the name stands for. A number outside the graph is no node; none is asked for. *)
let () =
  register "andor" (fun _ text ->
      let g = read text in
      let node_of i = if i >= 0 && i < Array.length g.nodes then g.nodes.(i) else Second_moves [] in
      let theory = graph node_of and count = Array.length g.names in
      let numbers = Hashtbl.create count in
      Array.iteri (fun i name -> Hashtbl.replace numbers name i) g.names;
      let decode key =
        match Hashtbl.find_opt numbers key with
        | Some i -> pos_of i
        | None -> refuse "the graph has no node '%s'" key
      in
      { theory; scale = (fun v -> v - g.low); best = g.high - g.low;
        check = (fun facts -> Option.map (fun shown low b p -> graph_claim node_of (g.infinite - g.low) shown low b (number_of p))
                    (check theory fuel facts));
        squares = 0; policy = (fun _ _ _ _ -> 0); decode; maps = [ Fun.id ];
        image = (fun _ p -> p); image_move = (fun _ _ m -> m);
        print = (fun p -> Printf.sprintf "node %s of the graph with %d nodes that `proofkernel --graph` prints"
                    g.names.(number_of p) count);
        card = (fun _ theorem _ -> refuse "graphs have no theorem %d" theorem) })
