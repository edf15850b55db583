(* proofkernel: reads the text form of a certificate (proto/CERTIFICATE.md) and has the proved checker judge it.

   Trusted are the kernel (Kernel.v and the rules of the games), its extraction, uint63.ml, the compiler, and the parts
   of this file and of those of the games that are marked so: they choose the game and print what was proved. Nothing
   else matters for soundness: whatever is read wrongly, the kernel only accepts a proof of what is printed. *)
open Kernel
open Game

(* --- the text form ------------------------------------------------------------------------ *)

let unhex s =
  let digit c = match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | 'A' .. 'F' -> Char.code c - 55
    | _ -> refuse "'%s' is not in hexadecimal" s
  in
  if String.length s mod 2 = 1 then refuse "'%s' is not in hexadecimal" s;
  String.init (String.length s / 2) (fun i -> Char.chr ((16 * digit s.[2 * i]) + digit s.[(2 * i) + 1]))

let number s = match int_of_string_opt s with Some n -> n | None -> refuse "'%s' is not a number" s

(* Trusted: a value of a game as the kernel counts values. The kernel's integers have no sign: to it a negative number
   is a very large one, and every value is at most that. *)
let value_of game s =
  let value = game.scale (number s) in
  if value < 0 || value > game.best then refuse "the bound %s is off the scale of the game" s;
  value

let rank_of s =
  let rank = number s in
  if rank < 1 || rank > 65534 then refuse "a rank is 1 to 65534, not %s" s;
  rank

let after s n = String.sub s n (String.length s - n)

(* Strategies with the same weights have the same number in images under the same map. *)
let numbers : (int * string, int) Hashtbl.t = Hashtbl.create 1000
let strategy game how map witness =
  if game.squares = 0 then refuse "the game has no strategies";
  if String.length witness <> 1 + game.squares then refuse "the witness of a strategy should have %d bytes" (1 + game.squares);
  if witness.[0] <> '\001' then refuse "strategies have policy 1, not %d" (Char.code witness.[0]);
  let weights = Array.init game.squares (fun i -> (Char.code witness.[i + 1] lxor 128) - 128) in
  let number = match Hashtbl.find_opt numbers (how, witness) with
    | Some n -> n
    | None -> Hashtbl.add numbers (how, witness) (Hashtbl.length numbers + 1); Hashtbl.length numbers
  in
  fun low bound ->
    let policy = game.policy weights low bound in
    Plays (number, if how = 0 then policy else carry_policy game map policy)

let rec groups bytes at =
  if at >= String.length bytes then []
  else
    let size = Char.code bytes.[at] in
    if at + 1 + (2 * size) > String.length bytes then refuse "a witness ends in the middle of a group";
    List.init size (fun i -> Char.code bytes.[at + 1 + (2 * i)] + (256 * Char.code bytes.[at + 2 + (2 * i)]))
    :: groups bytes (at + 1 + (2 * size))

(* A number of seven bits a byte, lowest first, in as few bytes as possible; and the place after it. *)
let rec number_at bytes at scale =
  if at >= String.length bytes || scale > 1 lsl 14 then refuse "a number of a zone is wrong";
  let byte = Char.code bytes.[at] in
  if byte = 0 && scale > 1 then refuse "a number of a zone is too long";
  if byte < 128 then (byte * scale, at + 1)
  else let rest, next = number_at bytes (at + 1) (scale lsl 7) in (((byte - 128) * scale) + rest, next)

let rec answers bytes at =
  if at >= String.length bytes then []
  else
    let theorem, at = number_at bytes at 1 in
    let size, at = number_at bytes at 1 in
    if theorem = 0 || theorem > 65535 || (theorem >= 100 && theorem <= 103) || at + size > String.length bytes then
      refuse "an answer of a zone is wrong";
    (theorem, String.sub bytes at size) :: answers bytes (at + size)

(* A zone (theorem 103) as facts: all replies, and for the position after each what the first answer says that the kernel
   accepts. Where it accepts none, a record is needed, as after any reply. *)
let zone game map witness fact =
  let list = answers witness 0 in
  if list = [] || List.length list > 32 then refuse "a zone has 1 to 32 answers";
  let says at (theorem, witness) =
    let fact = { fact with f_at = at; f_rank = fact.f_rank - 1 } in
    match game.card fact theorem (List.map (List.map map) (groups witness 0)) with
    | exception (Refused _ | Unknown _ | Not_found | Invalid_argument _ | Failure _) -> None
    | facts ->
      (match game.check facts with
       | Some shown when shown fact.f_low fact.f_b at <> None -> Some facts
       | _ -> None)
  in
  let after (_, at) =
    if fact.f_rank < 2 || game.theory.rules.over at <> None then []
    else Option.value (List.find_map (says at) list) ~default:[]
  in
  fact :: List.concat_map after (game.theory.rules.succ0 fact.f_at)

(* One reason of a record, as a fact about each image of the record's position. A trivial bound is no fact: nothing but
   other trivial bounds rests on it. *)
let facts_of game images text =
  let fields = String.split_on_char ',' text in
  let head = List.hd fields in
  if String.length head < 3 then refuse "'%s' is not a reason" text;
  let low = head.[0] = '>' and bound = value_of game (after head 2) in
  let rank = ref 0 and move = ref None and card = ref None in
  List.iter
    (fun f ->
      match f.[0] with
      | 'r' -> rank := rank_of (after f 1)
      | 'm' -> move := Some (number (after f 1))
      | 'c' -> (
        match String.split_on_char ':' (after f 1) with
        | [ "101"; _ ] -> unknown "a card cites a table, and tables are not checked here"
        | [ theorem; witness ] -> card := Some (number theorem, unhex witness)
        | _ -> refuse "'%s' is not a card" f)
      | 'e' -> unknown "leaves with an effort are not supported: export with --detail full"
      | _ -> refuse "'%s' is not part of a reason" f)
    (List.tl fields);
  let original, _, _ = List.hd images in
  if (if low then bound <= 0 else bound >= game.best) then [] else
  List.concat_map
    (fun (p, how, map) ->
      let fact why = { f_at = p; f_low = low; f_b = bound; f_rank = !rank; f_why = why } in
      match (!card, !move) with
      | Some (100, witness), _ -> [ fact (strategy game how map witness low bound) ]
      | Some (103, witness), _ -> zone game map witness (fact Replies)
      | Some (theorem, witness), _ -> game.card (fact Replies) theorem (List.map (List.map map) (groups witness 0))
      | None, Some m -> [ fact (Move (game.image_move map original m)) ]
      | None, None -> [ fact Replies ])
    images

let read_graph input size =
  if size < 0 then refuse "a graph has %d bytes" size;
  if size = 0 then ""
  else
    let graph = try really_input_string input size with End_of_file | Invalid_argument _ -> refuse "the graph ends too early" in
    if input_line input <> "" then refuse "the graph has more bytes than the header says";
    graph

let read_certificate input =
  let header = Hashtbl.create 20 in
  let line () = try input_line input with End_of_file -> refuse "the certificate ends too early" in
  if not (String.length (line ()) >= 24) then refuse "this is not the text form of a certificate";
  let rec read_header () =
    let l = line () in
    String.iter (function '\000' .. '\031' | '\127' -> refuse "the header has a control character" | _ -> ()) l;
    if l <> "" then begin
      (match String.index_opt l ':' with
       | Some i -> Hashtbl.replace header (String.sub l 0 i) (String.trim (after l (i + 1)))
       | None -> ());
      read_header ()
    end
  in
  read_header ();
  let field name = try Hashtbl.find header name with Not_found -> refuse "the header has no line '%s'" name in
  let game = game_named (field "game") (read_graph input (number (field "graph"))) in
  if number (field "graph") = 0 && field "rules" <> "1" then unknown "the kernel knows version 1 of the rules, not %s" (field "rules");
  let facts = ref [] and records = ref 0 in
  let rec read_records () =
    match line () with
    | "end" -> ()
    | "block" -> read_records ()
    | l ->
      let l = match String.index_opt l ' ' with None -> refuse "'%s' is not a record" l | Some _ -> l in
      (match String.split_on_char ' ' l with
       | key :: reasons ->
         incr records;
         let images = images game (unhex key) in
         let rec add = function
           | [] | ":" :: _ -> ()  (* after the colon the position is drawn *)
           | reason :: rest ->
             if reason <> "" then facts := List.rev_append (facts_of game images reason) !facts;
             add rest
         in
         add reasons
       | [] -> ());
      read_records ()
  in
  read_records ();
  (game, field, !facts, !records)

(* --- the verdict -------------------------------------------------------------------------- *)

(* The bounds of the header must be those that its claim needs. Not trusted: what is proved is printed. *)
let check_claim field =
  let claim = field "claim" and status = field "status" and lo = field "lo" and hi = field "hi" in
  let least = match claim with
    | "first-wins" | "second-draws" -> 1
    | "second-wins" | "first-draws" -> 0
    | _ when String.length claim > 7 && String.sub claim 0 7 = "first>=" -> number (after claim 7)
    | "value" -> 0
    | _ -> refuse "'%s' is not a claim" claim
  in
  let upper = (status = "disproved") <> (String.sub claim 0 1 = "s") in
  let follows =
    if claim = "value" then status = "solved" && lo <> "-" && lo = hi
    else
      List.mem status [ "proved"; "disproved" ]
      && if upper then lo = "-" && hi <> "-" && number hi < least else hi = "-" && lo <> "-" && number lo >= least
  in
  if not follows then refuse "the claim %s, %s, does not follow from the bounds %s and %s" claim status lo hi

(* Trusted: prints what the kernel has proved. *)
let judge (game, field, facts, records) =
  let root = game.decode (unhex (field "root")) in
  let position = game.print root in
  check_claim field;
  let over = game.theory.rules.over root in
  if over <> None && records > 0 then refuse "the game is over at the root, which has records";
  (* Facts with one strategy stand side by side, so that it is played out once. *)
  let strategy_of f = match f.f_why with Plays (n, _) -> n | _ -> 0 in
  let plain, played = List.partition (fun f -> strategy_of f = 0) facts in
  let facts = List.rev_append plain (List.sort (fun f g -> compare (strategy_of f) (strategy_of g)) played) in
  let shown = match game.check facts with Some shown -> shown | None -> refuse "a record is not a proof of its bound" in
  let claim low name trivial =
    let said = field name in
    if said <> "-" && value_of game said <> trivial then
      let bound = value_of game said in
      let plies = match over with
        | Some value -> if (if low then value >= bound else value <= bound) then Some 0 else None
        | None -> shown low bound root
      in
      match plies with
      | None -> refuse "First gets at %s %s: the records do not prove it" (if low then "least" else "most") said
      | Some plies ->
        Printf.printf "proved: %s, %s: First gets at %s %s%s\n" (field "game") position
          (if low then "least" else "most") said
          (if plies = 0 then "" else Printf.sprintf ", within %u plies" plies)
  in
  claim true "lo" 0;
  claim false "hi" game.best;
  Printf.printf "VERIFIED: %d records, %d facts\n" records (List.length facts)

let usage = "usage: proofkernel FILE\n\
  \       proofkernel --list\n\
  \       proofkernel --graph FILE\n\
  Checks a certificate with a checker that is proved correct. FILE is a certificate or its text form; `-` is standard\n\
  input, in text form. A binary certificate is translated by proofcheck, which must be in the PATH or named by\n\
  PROOFCHECK. With --list it judges the files whose names are the lines of standard input, one after the other; a line\n\
  that begins with VERIFIED, REJECTED, UNKNOWN or FAILED ends what it says of each. With --graph FILE is a graph: prints it as it is read from a certificate. Exit status: 0 VERIFIED; 1 REJECTED; 2 UNKNOWN, or the file cannot be read."

let open_text name =
  if name = "-" then stdin
  else begin
    let file = try open_in_bin name with Sys_error e -> unknown "%s" e in
    let first = try input_line file with End_of_file -> "" in
    if String.length first >= 23 && String.sub first 0 23 = "proofd certificate text" then (seek_in file 0; file)
    else begin
      close_in file;
      let checker = try Sys.getenv "PROOFCHECK" with Not_found -> "proofcheck" in
      try Unix.open_process_args_in checker [| checker; "--text"; name |]
      with Unix.Unix_error (e, _, _) ->
        unknown "'%s', which translates binary certificates, cannot be run: %s" checker (Unix.error_message e)
    end
  end

(* Judges a file; the exit status. *)
let verdict name =
  Hashtbl.reset numbers;
  match
    let input = open_text name in
    Fun.protect ~finally:(fun () -> close_in_noerr input) (fun () -> judge (read_certificate input))
  with
  | () -> 0
  | exception Refused why -> Printf.printf "REJECTED: %s\n" why; 1
  | exception Unknown why -> Printf.printf "UNKNOWN: %s\n" why; 2
  | exception (Invalid_argument _ | Failure _ | Not_found | Division_by_zero) ->
    Printf.printf "REJECTED: the file is not of the form of a certificate\n"; 1

let rec judge_list () =
  match input_line stdin with
  | exception End_of_file -> ()
  | name ->
    (try ignore (verdict name) with e -> Printf.printf "FAILED: %s\n" (Printexc.to_string e));
    flush stdout;
    judge_list ()

let () =
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1 lsl 20; space_overhead = 200 };
  match Sys.argv with
  | [| _; "--help" |] -> print_endline usage
  | [| _; "--perft"; name; key; depth |] -> Explore.perft name (unhex key) (number depth)
  | [| _; "--graph"; name |] ->
    (try Explore.graph name
     with Refused why | Unknown why | Sys_error why -> Printf.eprintf "proofkernel: %s: %s\n" name why; exit 2)
  | [| _; "--list" |] -> judge_list ()
  | [| _; name |] -> exit (verdict name)
  | _ -> prerr_endline usage; exit 2
