(** Breakthrough, to be compared with the section `breakthrough` of solver/games/RULES.md. Squares are numbered row by row from
    the bottom left; First's men go up, Second's go down. [steps_of] says where a man on a square can go: one row on, in its own
    column if that square is empty, and in a column beside it if no man of its own side is there; a man of the other side is
    taken. A side has won when one of its men is on its last row ([arrived]) or when the other side has no men. The code of a move is the square where
    it begins plus 64 times the direction: 0 to the column before, 1 straight, 2 to the column behind. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells.
Import ListNotations.
Local Open Scope uint63_scope.

(** The men of the side to move and those of the other side, by the number of the square. *)
Record men := Men { firsts : cells; seconds : cells; first_goes : bool }.
Definition men_eqb (p q : men) : bool :=
  same (firsts p) (firsts q) && same (seconds p) (seconds q) && Bool.eqb (first_goes p) (first_goes q).
Lemma men_eqb_ok : forall p q, men_eqb p q = true -> p = q.
Proof.
  intros [a b c] [d e f]; unfold men_eqb; simpl. rewrite !andb_true_iff. intros [[A B] C].
  apply same_ok in A. apply same_ok in B. apply Bool.eqb_prop in C. congruence.
Qed.
Definition men_hash (p : men) : int := mix (firsts p) (mix (seconds p) (if first_goes p then 1 else 2)).
Definition men_of (first : bool) (p : men) : cells := if first then firsts p else seconds p.

Section Breakthrough.
Variables (width height : int) (squares : list int).

Definition has (s : cells) : bool := existsb (fun c => mem c s) squares.
(** A set of cells without one of them. *)
Definition without (c : int) (s : cells) : cells :=
  fold_left (fun t d => if mem d s && negb (d =? c) then with_cell d t else t) squares (none (length s)).

Definition last_row (first : bool) (c : int) : bool := if first then c / width + 1 =? height else c / width =? 0.
Definition arrived (first : bool) (p : men) : bool := existsb (fun c => mem c (men_of first p) && last_row first c) squares.

(** Directions, as codes and as columns to the right; the squares beyond the board are left out. *)
Definition ahead (first : bool) (c : int) : int := if first then c + width else c - width.
Definition steps_of (p : men) (first : bool) (c : int) : list (int * int) :=
  if last_row first c then [] else
  let own := men_of first p in let others := men_of (negb first) p in let a := ahead first c in
  (if (0 <? c mod width) && negb (mem (a - 1) own) then [(c, a - 1)] else []) ++
  (if negb (mem a own) && negb (mem a others) then [(c + 64, a)] else []) ++
  (if (c mod width + 1 <? width) && negb (mem (a + 1) own) then [(c + 128, a + 1)] else []).
Definition move_man (p : men) (from to : int) : men :=
  let own := with_cell to (without from (men_of (first_goes p) p)) in
  let others := men_of (negb (first_goes p)) p in
  let others := if mem to others then without to others else others in
  if first_goes p then Men own others false else Men others own true.

(* Values: 0 Second wins, 2 First wins. *)
Definition men_over (p : men) : option int :=
  if arrived true p || negb (has (seconds p)) then Some 2
  else if arrived false p || negb (has (firsts p)) then Some 0 else None.
Definition men_succ (p : men) : list (int * men) :=
  flat_map (fun c => if mem c (men_of (first_goes p) p)
                     then map (fun s => (fst s, move_man p c (snd s))) (steps_of p (first_goes p) c) else []) squares.
Definition men_game : game := Game men men_eqb men_eqb_ok men_hash first_goes men_over men_succ.
Definition men_theory : theory :=
  Theory men_game [] (fun _ I => match I with end) Empty_set (fun k _ _ _ => match k with end) (fun k _ _ _ _ => match k with end).
End Breakthrough.

Definition all_squares (width height : int) : list int :=
  map (fun i => of_Z (Z.of_nat i)) (seq 0 (Z.to_nat (to_Z (width * height)))).
Definition breakthrough (width height : int) : theory := let l := all_squares width height in men_theory width height l.
Definition breakthrough_game (width height : int) : game := men_game width height (all_squares width height).

(** * What is claimed *)
Theorem breakthrough_sound : forall width height fuel low b root l n,
  verify (breakthrough width height) fuel low b root l = Some n ->
  @keeps (breakthrough_game width height) low b root /\
  ((n =? 0) = false -> @forces (breakthrough_game width height) low b (Z.to_nat (to_Z n)) root).
Proof. intros. eapply (verify_sound (breakthrough width height)); eauto. Qed.
Print Assumptions breakthrough_sound.
