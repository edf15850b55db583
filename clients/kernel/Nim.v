(** Nim, to be compared with the section `nim` of solver/games/RULES.md. A position is the list of heaps, in ascending order,
    and who is to move. [takings] are the moves: from one heap, as many counters as one likes; the heaps are then put in
    order again. A side that cannot move, because all heaps are empty, loses. The code of a move is 64 times the place of the heap, plus the counters that are left in it. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells.
Import ListNotations.
Local Open Scope uint63_scope.

Record nim_position := Nim_position { heaps : list int; nim_first : bool (* First is to move *) }.

Definition nim_eqb (p q : nim_position) : bool := same (heaps p) (heaps q) && Bool.eqb (nim_first p) (nim_first q).
Lemma nim_eqb_ok : forall p q, nim_eqb p q = true -> p = q.
Proof.
  intros [a b] [c d]; unfold nim_eqb; simpl. rewrite andb_true_iff. intros [A B].
  apply same_ok in A. apply Bool.eqb_prop in B. congruence.
Qed.
Definition nim_hash (p : nim_position) : int := mix (heaps p) (if nim_first p then 1 else 2).

Fixpoint in_order (h : int) (l : list int) : list int :=
  match l with [] => [h] | k :: l => if h <=? k then h :: k :: l else k :: in_order h l end.
(** 0 to h - 1, for heaps of at most 63 counters. *)
Definition fewer (h : int) : list int := filter (fun k => k <? h) (map (fun k => of_Z (Z.of_nat k)) (seq 0 63)).
(** The moves from the heap number i on; `before`: the heaps before it. *)
Fixpoint takings (i : int) (before l : list int) : list (int * list int) :=
  match l with
  | [] => []
  | h :: l => map (fun k => (64 * i + k, fold_right in_order [] (before ++ k :: l))) (fewer h) ++ takings (i + 1) (before ++ [h]) l
  end.

(* Values: 0 Second wins, 2 First wins. *)
Definition nim_over (p : nim_position) : option int :=
  if forallb (fun h => h =? 0) (heaps p) then Some (if nim_first p then 0 else 2) else None.
Definition nim_succ (p : nim_position) : list (int * nim_position) :=
  map (fun t => (fst t, Nim_position (snd t) (negb (nim_first p)))) (takings 0 [] (heaps p)).
Definition nim_game : game := Game nim_position nim_eqb nim_eqb_ok nim_hash nim_first nim_over nim_succ.

Definition nim : theory :=
  Theory nim_game [] (fun _ I => match I with end) Empty_set (fun k _ _ _ => match k with end) (fun k _ _ _ _ => match k with end).

(** * What is claimed *)
Theorem nim_sound : forall fuel low b root l n, verify nim fuel low b root l = Some n ->
  @keeps nim_game low b root /\ ((n =? 0) = false -> @forces nim_game low b (Z.to_nat (to_Z n)) root).
Proof. intros. eapply (verify_sound nim); eauto. Qed.
Print Assumptions nim_sound.
