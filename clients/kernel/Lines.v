(** Line games: stones are put on squares and never move. A player with a stone on each square of a line wins. When no
    square can be played, the game is a draw. Connect Four and m,n,k games with all their parameters.

    A square may need squares below it to be occupied (Connect Four). A line may have stops: squares on which a stone of
    the same side spoils it (`exact`). A turn has [per_turn] stones. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells.
Import ListNotations.
Local Open Scope uint63_scope.

Record board := Board { xs : cells; os : cells; turn : bool (* First is to move *); left : int (* stones in this turn *) }.
Record square := Square { code : int; cell : int; below : list int }.
Record line := Line { on : list int; stops : list int }.

Definition side (first : bool) (p : board) : cells := if first then xs p else os p.
Definition occupied (p : board) (c : int) : bool := mem c (xs p) || mem c (os p).

Definition board_eqb (p q : board) : bool :=
  same (xs p) (xs q) && same (os p) (os q) && Bool.eqb (turn p) (turn q) && (left p =? left q).
Lemma board_eqb_ok : forall p q, board_eqb p q = true -> p = q.
Proof.
  intros [a b c d] [e f g h]; unfold board_eqb; simpl. rewrite !andb_true_iff. intros [[[A B] C] D].
  apply same_ok in A. apply same_ok in B. apply Bool.eqb_prop in C. apply Uint63.eqb_correct in D. congruence.
Qed.
Definition board_hash (p : board) : int := mix (os p) (mix (xs p) (left p)).

Section Rules.
Variables (squares : list square) (lines : list line) (per_turn : int).

Definition complete (s : cells) (l : line) : bool :=
  forallb (fun c => mem c s) (on l) && negb (existsb (fun c => mem c s) (stops l)).
Definition has_line (s : cells) : bool := existsb (complete s) lines.
Definition playable (p : board) (q : square) : bool :=
  negb (occupied p (cell q)) && forallb (occupied p) (below q).
(* Values: 0 Second wins, 1 a draw, 2 First wins. *)
Definition board_over (p : board) : option int :=
  if has_line (xs p) then Some 2 else if has_line (os p) then Some 0
  else if existsb (playable p) squares then None else Some 1.
Definition free_square (p : board) (c : int) : bool :=
  existsb (fun q => (cell q =? c) && match below q with [] => true | _ => false end) squares && negb (occupied p c).
Definition put (p : board) (c : int) : board :=
  let last := left p =? 1 in
  Board (if turn p then with_cell c (xs p) else xs p) (if turn p then os p else with_cell c (os p))
        (xorb (turn p) last) (if last then per_turn else left p - 1).
Definition board_succ (p : board) : list (int * board) :=
  map (fun q => (code q, put p (cell q))) (filter (playable p) squares).

Definition line_game : game := Game board board_eqb board_eqb_ok board_hash turn board_over board_succ.

(** * What the theorems need *)
Definition empties (p : board) : nat := length (filter (fun q => negb (occupied p (cell q))) squares).
(** Sets have room for all squares; no square holds two stones. *)
Definition sound_board (p : board) : bool :=
  (let most := 63 * of_Z (Z.of_nat (length (xs p))) in
   forallb (fun q => (cell q <? most) && negb (mem (cell q) (xs p) && mem (cell q) (os p))) squares)
  && Nat.eqb (length (xs p)) (length (os p)) && Nat.leb (length (xs p)) 1000.

Definition room (p : board) : Prop := forall q, In q squares -> fits (cell q) (xs p) /\ fits (cell q) (os p).
Definition apart (p : board) : Prop := forall c, mem c (xs p) = true -> mem c (os p) = true -> ~ In c (map cell squares).

Lemma sound_board_ok : forall p, sound_board p = true -> room p /\ apart p.
Proof.
  intros p H. unfold sound_board in H. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [[A L] N].
  apply Nat.eqb_eq in L. apply Nat.leb_le in N. rewrite forallb_forall in A.
  assert (Z63 : to_Z (63 * of_Z (Z.of_nat (length (xs p)))) = (63 * Z.of_nat (length (xs p)))%Z).
  { assert (B : wB = 9223372036854775808%Z) by reflexivity.
    rewrite mul_spec, of_Z_spec, to_Z_63, B. rewrite (Z.mod_small (Z.of_nat _)) by lia. apply Z.mod_small. lia. }
  split.
  - intros q I. specialize (A q I). apply andb_true_iff in A. destruct A as [A _]. apply ltb_spec in A.
    rewrite Z63 in A. unfold fits. rewrite <- L. split; lia.
  - intros c X O I. apply in_map_iff in I. destruct I as [q [E I]]. subst c. specialize (A q I).
    rewrite X, O in A. apply andb_true_iff in A. destruct A as [_ A]. discriminate.
Qed.

Lemma room_put : forall p c, room p -> room (put p c).
Proof.
  intros p c R q I. specialize (R q I). unfold fits, put in *. simpl.
  destruct (turn p); rewrite ?length_add; exact R.
Qed.

Lemma mem_put : forall p c d s, fits c (xs p) -> fits c (os p) ->
  mem d (side s (put p c)) = (Bool.eqb s (turn p) && (d =? c)) || mem d (side s p).
Proof. intros p c d s F G. unfold side, put. destruct s, (turn p); simpl; try reflexivity; apply mem_add; auto. Qed.

Lemma occupied_sides : forall p c s, occupied p c = mem c (side s p) || mem c (side (negb s) p).
Proof. intros p c []; unfold occupied, side; simpl; auto using orb_comm. Qed.

Lemma occupied_put : forall p c d, fits c (xs p) -> fits c (os p) -> occupied (put p c) d = (d =? c) || occupied p d.
Proof.
  intros p c d F G. rewrite !(occupied_sides _ _ (turn p)), !mem_put by auto. rewrite Bool.eqb_reflx.
  replace (Bool.eqb (negb (turn p)) (turn p)) with false by (destruct (turn p); reflexivity).
  destruct (d =? c); simpl; auto.
Qed.

Lemma apart_put : forall p q, room p -> apart p -> In q squares -> playable p q = true -> apart (put p (cell q)).
Proof.
  intros p q R A I P c X O Ic. destruct (R q I) as [F G]. unfold playable in P. apply andb_true_iff in P. destruct P as [E _].
  apply negb_true_iff in E. unfold occupied in E. apply orb_false_iff in E. destruct E as [E1 E2].
  pose proof (mem_put p (cell q) c true F G) as X'. pose proof (mem_put p (cell q) c false F G) as O'.
  unfold side in X', O'. rewrite X in X'. rewrite O in O'. destruct (c =? cell q) eqn:K.
  - apply Uint63.eqb_correct in K. subst c. rewrite E1 in X'. rewrite E2 in O'. destruct (turn p); discriminate.
  - rewrite andb_false_r in X', O'. simpl in X', O'. eapply A; eauto.
Qed.

Lemma empties_put : forall p q, room p -> In q squares -> occupied p (cell q) = false ->
  (empties (put p (cell q)) < empties p)%nat.
Proof.
  intros p q R I E. destruct (R q I) as [F G]. unfold empties.
  assert (L : forall l, (length (filter (fun r => negb (occupied (put p (cell q)) (cell r))) l)
                         <= length (filter (fun r => negb (occupied p (cell r))) l))%nat).
  { induction l as [|r l IH]; simpl; auto. rewrite occupied_put by auto.
    destruct (cell r =? cell q); simpl; destruct (occupied p (cell r)); simpl; lia. }
  clear R. induction squares as [|r l IH]; [destruct I|]. simpl. rewrite occupied_put by auto. destruct I as [I|I].
  - subst r. rewrite Uint63.eqb_refl. rewrite E. simpl. specialize (L l). lia.
  - specialize (IH I). destruct (cell r =? cell q); simpl; destruct (occupied p (cell r)); simpl; specialize (L l); lia.
Qed.

Lemma over_cases : forall p v, board_over p = Some v ->
  (v = 2 /\ has_line (xs p) = true) \/ (v = 0 /\ has_line (os p) = true) \/
  (v = 1 /\ has_line (xs p) = false /\ has_line (os p) = false /\ forall q, In q squares -> playable p q = false).
Proof.
  intros p v H. unfold board_over in H. destruct (has_line (xs p)); [inversion H; auto|].
  destruct (has_line (os p)); [inversion H; auto|]. destruct (existsb (playable p) squares) eqn:E; inversion H.
  right. right. repeat split; auto. intros q I. destruct (playable p q) eqn:P; auto.
  assert (existsb (playable p) squares = true); [|congruence]. apply existsb_exists. eauto.
Qed.

Lemma in_succ : forall p m q, In (m, q) (board_succ p) ->
  exists s, In s squares /\ playable p s = true /\ q = put p (cell s) /\ m = code s.
Proof.
  intros p m q I. unfold board_succ in I. apply in_map_iff in I. destruct I as [s [E I]]. apply filter_In in I.
  inversion E; subst. exists s. tauto.
Qed.
Lemma succ_in : forall p s, In s squares -> playable p s = true -> In (code s, put p (cell s)) (board_succ p).
Proof.
  intros p s I P. unfold board_succ. apply in_map_iff. exists s. split; auto. apply filter_In. auto.
Qed.
Lemma not_over : forall p, board_over p = None ->
  (exists s, In s squares /\ playable p s = true) /\ board_succ p <> [].
Proof.
  intros p H. unfold board_over in H. destruct (has_line (xs p)); [discriminate|]. destruct (has_line (os p)); [discriminate|].
  destruct (existsb (playable p) squares) eqn:E; [|discriminate]. apply existsb_exists in E. destruct E as [s [I P]].
  split; [eauto|]. intro N. pose proof (succ_in p s I P) as K. rewrite N in K. destruct K.
Qed.
End Rules.
