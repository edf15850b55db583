(* Reads the file of an AND/OR graph (proto/GRAPH.md), in lines or in JSON. Not trusted: `proofkernel --graph` prints the
   graph as the kernel has it. *)
open Kernel
open Game

(* Nodes by number, in the order of the file. *)
type t = { names : string array; nodes : node array; low : int; high : int; infinite : int; root : int }

type said = Says_moves of bool * string list | Says_value of int

(* The header, and the nodes as the file says them. *)
let build ?root ?infinite (low, high) (said : (string * said) list) =
  if said = [] || low > high then refuse "the graph has no node, or no value";
  let names = Array.of_list (List.map fst said) in
  let number = Hashtbl.create (Array.length names) in
  Array.iteri
    (fun i name -> if Hashtbl.mem number name then refuse "the graph has the node '%s' twice" name; Hashtbl.add number name i)
    names;
  let find name = try Hashtbl.find number name with Not_found -> refuse "the graph has no node '%s'" name in
  let node = function
    | Says_value v -> if v < low || v > high then refuse "a value of the graph is not on its scale"; Ends (v - low)
    | Says_moves (_, []) -> refuse "a node of the graph has no child and is no end"
    | Says_moves (true, children) -> First_moves (List.map find children)
    | Says_moves (false, children) -> Second_moves (List.map find children)
  in
  let infinite = match infinite with Some v -> v | None -> if low <= 0 && 0 <= high then 0 else low in
  if infinite < low || infinite > high then refuse "infinite play is not on the scale of the graph";
  { names; nodes = Array.of_list (List.map (fun (_, s) -> node s) said); low; high; infinite;
    root = (match root with Some name -> find name | None -> 0) }

let integer s = match int_of_string_opt s with Some n when abs n <= 32768 -> n | _ -> refuse "'%s' is not a value" s

let of_lines text =
  let range = ref None and infinite = ref None and root = ref None and said = ref [] in
  let words line =
    let rec until = function w :: _ when w.[0] = '#' -> [] | w :: rest -> w :: until rest | [] -> [] in
    until (List.filter (fun w -> w <> "") (String.split_on_char ' ' (String.map (function '\t' | '\r' -> ' ' | c -> c) line)))
  in
  let read line =
    match words line with
    | [] -> ()
    | name :: "or" :: (_ :: _ as children) -> said := (name, Says_moves (true, children)) :: !said
    | name :: "and" :: (_ :: _ as children) -> said := (name, Says_moves (false, children)) :: !said
    | [ name; "="; value ] -> said := (name, Says_value (integer value)) :: !said
    | [ "values"; l; h ] when !said = [] && !range = None -> range := Some (integer l, integer h)
    | [ "infinite"; v ] when !said = [] && !infinite = None -> infinite := Some (integer v)
    | [ "root"; name ] when !said = [] && !root = None -> root := Some name
    | _ -> refuse "'%s' is not a line of a graph" line
  in
  List.iter read (String.split_on_char '\n' text);
  build ?root:!root ?infinite:!infinite (Option.value !range ~default:(-1, 1)) (List.rev !said)

type json = Text of string | Number of int | List of json list | Object of (string * json) list

let json_of text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else refuse "the graph ends too early" in
  let next () = let c = peek () in incr at; c in
  let rec skip () = if !at < String.length text && String.contains " \t\r\n" text.[!at] then (incr at; skip ()) in
  let expect c = skip (); if next () <> c then refuse "the graph should have '%c' at byte %d" c (!at - 1) in
  let string () =
    expect '"';
    let out = Buffer.create 16 in
    let rec go () =
      match next () with
      | '"' -> Buffer.contents out
      | '\\' ->
        (match next () with
         | 'u' ->
           let code = List.fold_left (fun n _ -> (16 * n) + int_of_string (Printf.sprintf "0x%c" (next ()))) 0 [ 1; 2; 3; 4 ] in
           if code land 0xf800 = 0xd800 then unknown "names outside the basic plane are not supported as escapes";
           Buffer.add_utf_8_uchar out (Uchar.of_int code)
         | c -> Buffer.add_char out c);
        go ()
      | c -> Buffer.add_char out c; go ()
    in
    go ()
  in
  let rec items close item =
    skip ();
    if peek () = close then (incr at; [])
    else
      let first = item () in
      skip ();
      match next () with
      | ',' -> first :: more close item
      | c when c = close -> [ first ]
      | _ -> refuse "the graph should have a comma at byte %d" (!at - 1)
  and more close item = match items close item with [] -> refuse "the graph has a comma too many" | l -> l in
  let rec value () =
    skip ();
    match peek () with
    | '"' -> Text (string ())
    | '[' -> incr at; List (items ']' value)
    | '{' -> incr at; Object (items '}' (fun () -> let name = string () in expect ':'; (name, value ())))
    | _ ->
      let from = !at in
      while !at < String.length text && String.contains "-0123456789" text.[!at] do incr at done;
      Number (integer (String.sub text from (!at - from)))
  in
  let v = value () in
  skip ();
  if !at <> String.length text then refuse "the graph goes on after its end";
  v

let of_json text =
  let members = match json_of text with Object m -> m | _ -> refuse "the graph is not an object" in
  let names = List.map fst members in
  let known = List.for_all (fun name -> List.mem name [ "root"; "nodes"; "values"; "infinite" ]) names in
  if not known || List.length (List.sort_uniq compare names) < List.length names then
    refuse "the graph has a member twice, or one that graphs do not have";
  let texts = List.map (function Text s -> s | _ -> refuse "a child is not a name") in
  let node (name, what) =
    match what with
    | Object [ ("or", List l) ] -> (name, Says_moves (true, texts l))
    | Object [ ("and", List l) ] -> (name, Says_moves (false, texts l))
    | Object [ ("value", Number v) ] -> (name, Says_value v)
    | _ -> refuse "the node '%s' is neither a move nor an end" name
  in
  let range = match List.assoc_opt "values" members with
    | Some (List [ Number l; Number h ]) -> (l, h) | None -> (-1, 1) | _ -> refuse "the values of the graph are wrong"
  in
  let infinite = match List.assoc_opt "infinite" members with
    | Some (Number v) -> Some v | None -> None | _ -> refuse "infinite play of the graph is wrong"
  in
  match (List.assoc_opt "root" members, List.assoc_opt "nodes" members) with
  | Some (Text root), Some (Object nodes) -> build ~root ?infinite range (List.map node nodes)
  | _ -> refuse "the graph has no root or no nodes"

let read text =
  let rec first i = if i < String.length text && String.contains " \t\r\n" text.[i] then first (i + 1) else i in
  let i = first 0 in
  if i < String.length text && text.[i] = '{' then of_json text else of_lines text
