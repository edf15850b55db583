(** Groups and weights (THEOREMS.md, T11, for turns of one stone): lines without a group are left to their weights. The
    side that answers in the groups, or else takes the heaviest square, cannot lose (after Erdos and Selfridge). *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines.
Import ListNotations.
Local Open Scope uint63_scope.

Section Weights.
Variables (squares : list square) (lines : list line).
Notation G := (line_game squares lines 1).
(** D answers; A is the other side. *)
Variable D : bool.
Notation A := (negb D).
(** The pairs of squares in which D answers. *)
Variable gs : list (int * int).

Definition in_groups (c : int) : bool := existsb (fun g => (c =? fst g) || (c =? snd g)) gs.
(** A line that A may complete without a group's help for D. *)
Definition live (p : board) (l : line) : bool :=
  negb (existsb (fun c => mem c (side D p)) (on l)) && negb (existsb (fun c => mem c (side A p)) (stops l)) &&
  negb (existsb (fun g => is_in (fst g) (on l) && is_in (snd g) (on l)) gs).
Definition counted (p : board) (c : int) : bool := negb (occupied p c) && negb (in_groups c).
Definition empty_on (p : board) (l : line) : nat := length (filter (counted p) (on l)).
(** Weights are counted in units of 2^-64. *)
Definition one : Z := (2 ^ 64)%Z.
Definition weight (p : board) (l : line) : Z := if live p l then (2 ^ Z.of_nat (64 - empty_on p l))%Z else 0%Z.
Fixpoint total (p : board) (ls : list line) : Z :=
  match ls with [] => 0%Z | l :: ls => (weight p l + total p ls)%Z end.
Fixpoint through (p : board) (y : int) (ls : list line) : Z :=
  match ls with [] => 0%Z | l :: ls => ((if is_in y (on l) then weight p l else 0) + through p y ls)%Z end.
(** The same sums over lines with their weights. *)
Fixpoint sum (ws : list (list int * Z)) : Z := match ws with [] => 0%Z | (_, w) :: ws => (w + sum ws)%Z end.
Fixpoint sum_through (y : int) (ws : list (list int * Z)) : Z :=
  match ws with [] => 0%Z | (l, w) :: ws => if is_in y l then (w + sum_through y ws)%Z else sum_through y ws end.
Fixpoint weighed (p : board) (ls : list line) : list (list int * Z) :=
  match ls with [] => [] | l :: ls => if live p l then (on l, weight p l) :: weighed p ls else weighed p ls end.
Definition light (p : board) : bool :=
  let ws := weighed p lines in
  let t := sum ws in
  (t <? one)%Z && forallb (fun q => negb (counted p (cell q)) || (t + sum_through (cell q) ws <? one)%Z) squares.

Definition ends : list int := flat_map (fun g => [fst g; snd g]) gs.
(** What does not depend on the position. *)
Definition weights_board : bool :=
  forallb (fun q => match below q with [] => true | _ => false end) squares &&
  forallb (fun l => distinct (on l) && forallb (fun c => is_in c (map cell squares)) (on l)) lines.
Definition weights_here (p : board) : bool :=
  sound_board squares p && Bool.eqb (turn p) A && (left p =? 1) &&
  distinct ends && forallb (free_square squares p) ends && light p.
Definition weights_ok (p : board) : bool := weights_board && weights_here p.

(** * Proof *)
Lemma sum_same : forall p ls, sum (weighed p ls) = total p ls.
Proof.
  induction ls as [|l ls IH]; auto. cbn [weighed total]. destruct (live p l) eqn:E; cbn [sum]; rewrite IH; auto.
  unfold weight. rewrite E. reflexivity.
Qed.
Lemma sum_through_same : forall p y ls, sum_through y (weighed p ls) = through p y ls.
Proof.
  induction ls as [|l ls IH]; auto. cbn [weighed through]. destruct (live p l) eqn:E; cbn [sum_through]; rewrite IH.
  - destruct (is_in y (on l)); auto.
  - unfold weight. rewrite E. destruct (is_in y (on l)); auto.
Qed.

Lemma weight_nonneg : forall p l, (0 <= weight p l)%Z.
Proof. intros. unfold weight. destruct (live p l); [apply Z.pow_nonneg; lia|lia]. Qed.
Lemma through_nonneg : forall p y ls, (0 <= through p y ls)%Z.
Proof. induction ls as [|l ls IH]; simpl; [lia|]. pose proof (weight_nonneg p l). destruct (is_in y (on l)); lia. Qed.
Lemma total_nonneg : forall p ls, (0 <= total p ls)%Z.
Proof. induction ls as [|l ls IH]; simpl; [lia|]. pose proof (weight_nonneg p l). lia. Qed.
Lemma weight_in_total : forall p l ls, In l ls -> (weight p l <= total p ls)%Z.
Proof.
  induction ls as [|k ls IH]; simpl; intros I; [destruct I|]. pose proof (total_nonneg p ls). pose proof (weight_nonneg p k).
  destruct I as [I|I]; [subst; lia|]. specialize (IH I). lia.
Qed.

(** What one stone does to weights. *)
Section Step.
Variables (p : board) (c : int).
Hypothesis Fx : fits c (xs p).
Hypothesis Fo : fits c (os p).
Notation p' := (put 1 p c).

Lemma mem_step : forall d s, mem d (side s p') = (Bool.eqb s (turn p) && (d =? c)) || mem d (side s p).
Proof. intros. apply mem_put; auto. Qed.
Lemma has_step : forall s l, existsb (fun d => mem d (side s p)) l = true -> existsb (fun d => mem d (side s p')) l = true.
Proof.
  intros s l H. apply existsb_exists in H. destruct H as [d [I M]]. apply existsb_exists. exists d.
  rewrite mem_step, M, orb_true_r. auto.
Qed.
Lemma live_step : forall l, live p' l = true -> live p l = true.
Proof.
  intros l H. unfold live in *. rewrite !andb_true_iff, !negb_true_iff in *. destruct H as [[H1 H2] H3]. repeat split; auto.
  - destruct (existsb (fun c => mem c (side D p)) (on l)) eqn:E; auto. apply has_step in E. congruence.
  - destruct (existsb (fun c => mem c (side A p)) (stops l)) eqn:E; auto. apply has_step in E. congruence.
Qed.
Lemma counted_step : forall d, counted p' d = negb (d =? c) && counted p d.
Proof.
  intro d. unfold counted. rewrite occupied_put by auto. destruct (d =? c); simpl; auto.
Qed.
Lemma empty_same : forall l, (is_in c (on l) = false \/ in_groups c = true) -> empty_on p' l = empty_on p l.
Proof.
  intros l H. unfold empty_on. f_equal. apply filter_ext_in. intros d Id. rewrite counted_step.
  destruct (d =? c) eqn:E; auto. apply Uint63.eqb_correct in E. subst d. destruct H as [H|H].
  - apply is_in_ok in Id. congruence.
  - unfold counted. rewrite H, andb_false_r. reflexivity.
Qed.
Lemma filter_less : forall l, NoDup l ->
  (length (filter (counted p) l) <= S (length (filter (counted p') l)))%nat.
Proof.
  induction l as [|d l IH]; intros N; [simpl; lia|]. inversion N as [|a b Na Nb]; subst. simpl. rewrite counted_step.
  destruct (d =? c) eqn:E.
  - apply Uint63.eqb_correct in E. subst d. simpl.
    assert (K : filter (counted p') l = filter (counted p) l).
    { apply filter_ext_in. intros e Ie. rewrite counted_step. rewrite eqb_false; auto. intro X. subst. contradiction. }
    rewrite K. destruct (counted p c); simpl; lia.
  - simpl. specialize (IH Nb). destruct (counted p d); simpl; lia.
Qed.
Lemma pow_less : forall a b : nat, (a <= S b)%nat -> (2 ^ Z.of_nat (64 - b) <= 2 ^ Z.of_nat (64 - a) + 2 ^ Z.of_nat (64 - a))%Z.
Proof.
  intros a b H. rewrite Z.add_diag. rewrite <- Z.pow_succ_r by lia. apply Z.pow_le_mono_r; [lia|]. lia.
Qed.

(** A stone of A on a counted square doubles the lines through it at most. *)
Lemma total_A : forall ls, (forall l, In l ls -> NoDup (on l)) -> (total p' ls <= total p ls + through p c ls)%Z.
Proof.
  induction ls as [|l ls IH]; simpl; intros N; [lia|]. specialize (IH (fun k K => N k (or_intror K))).
  pose proof (weight_nonneg p l) as W.
  assert (weight p' l <= weight p l + (if is_in c (on l) then weight p l else 0))%Z; [|lia].
  unfold weight. destruct (live p' l) eqn:L.
  - rewrite (live_step l L). destruct (is_in c (on l)) eqn:I.
    + apply pow_less. apply filter_less. apply N. left. reflexivity.
    + rewrite empty_same by auto. lia.
  - destruct (live p l); [|destruct (is_in c (on l)); lia].
    pose proof (Z.pow_nonneg 2 (Z.of_nat (64 - empty_on p l))). destruct (is_in c (on l)); lia.
Qed.

(** A stone in a group, of whichever side, does not add weight. *)
Lemma weight_group : forall l, in_groups c = true -> (weight p' l <= weight p l)%Z.
Proof.
  intros l I. pose proof (weight_nonneg p l). unfold weight in *. destruct (live p' l) eqn:L.
  - rewrite (live_step l L). rewrite empty_same by auto. lia.
  - destruct (live p l); lia.
Qed.
(** A stone of D kills the lines through it and does not touch the others. *)
Lemma weight_D : forall l, turn p = D -> (weight p' l <= if is_in c (on l) then 0 else weight p l)%Z.
Proof.
  intros l T. pose proof (weight_nonneg p l). unfold weight in *. destruct (live p' l) eqn:L.
  - destruct (is_in c (on l)) eqn:I.
    + exfalso. unfold live in L. rewrite !andb_true_iff, !negb_true_iff in L. destruct L as [[L _] _].
      assert (existsb (fun d => mem d (side D p')) (on l) = true); [|congruence].
      apply existsb_exists. exists c. split; [apply is_in_ok; auto|]. rewrite mem_step, T, Bool.eqb_reflx, Uint63.eqb_refl. reflexivity.
    + rewrite (live_step l L). rewrite empty_same by auto. lia.
  - destruct (is_in c (on l)); [lia|]. destruct (live p l); lia.
Qed.
Lemma total_less : forall ls, (forall l, (weight p' l <= weight p l)%Z) -> (total p' ls <= total p ls)%Z.
Proof. induction ls as [|l ls IH]; simpl; intros W; [lia|]. specialize (W l) as Wl. specialize (IH W). lia. Qed.
Lemma through_less : forall y ls, (forall l, (weight p' l <= weight p l)%Z) -> (through p' y ls <= through p y ls)%Z.
Proof.
  induction ls as [|l ls IH]; simpl; intros W; [lia|]. specialize (W l) as Wl. specialize (IH W). destruct (is_in y (on l)); lia.
Qed.
Lemma total_D : forall ls, turn p = D -> (total p' ls + through p c ls <= total p ls)%Z.
Proof.
  induction ls as [|l ls IH]; simpl; intros T; [lia|]. specialize (IH T). pose proof (weight_D l T). destruct (is_in c (on l)); lia.
Qed.
End Step.

Hypothesis flat : forall q, In q squares -> below q = [].
Hypothesis lines_ok : forall l, In l lines -> NoDup (on l) /\ forall c, In c (on l) -> In c (map cell squares).
Hypothesis ends_distinct : NoDup ends.
Hypothesis ends_squares : forall c, In c ends -> In c (map cell squares).

(** D has a stone in each pair that is not empty. *)
Definition answered (p : board) : Prop := forall g, In g gs ->
  mem (fst g) (side D p) = true \/ mem (snd g) (side D p) = true \/
  (occupied p (fst g) = false /\ occupied p (snd g) = false).
Definition not_both (p : board) : Prop := forall g, In g gs ->
  mem (fst g) (side A p) = true -> mem (snd g) (side A p) = true -> False.

Lemma ends_in : forall g, In g gs -> In (fst g) ends /\ In (snd g) ends.
Proof. intros g I. unfold ends. rewrite !in_flat_map. split; exists g; simpl; auto. Qed.
Lemma unoccupied : forall p c s, occupied p c = false -> mem c (side s p) = false.
Proof. intros p c s H. rewrite (occupied_sides _ _ s) in H. apply orb_false_iff in H. tauto. Qed.
Lemma apart_sides : forall p c, apart squares p -> In c (map cell squares) ->
  mem c (side D p) = true -> mem c (side A p) = true -> False.
Proof. intros p c Ap I H K. apply (Ap c); auto; unfold side in *; destruct D; simpl in *; auto. Qed.

Lemma answered_not_both : forall p, apart squares p -> answered p -> not_both p.
Proof.
  intros p Ap An g I H K. destruct (ends_in g I) as [E1 E2]. destruct (An g I) as [X|[X|[X _]]].
  - apply (apart_sides p (fst g)); auto.
  - apply (apart_sides p (snd g)); auto.
  - rewrite (unoccupied p _ A X) in H. discriminate.
Qed.

(** A has no line. *)
Lemma no_line : forall p, apart squares p -> not_both p -> (total p lines < one)%Z -> has_line lines (side A p) = false.
Proof.
  intros p Ap Nb T. destruct (has_line lines (side A p)) eqn:H; auto. exfalso.
  unfold has_line in H. apply existsb_exists in H. destruct H as [l [Il H]]. unfold complete in H.
  apply andb_true_iff in H. destruct H as [F S]. rewrite forallb_forall in F.
  destruct (lines_ok l Il) as [_ Sq].
  assert (L : live p l = true).
  { unfold live. rewrite S, andb_true_r. apply andb_true_iff. split; apply negb_true_iff.
    - destruct (existsb (fun c => mem c (side D p)) (on l)) eqn:E; auto. apply existsb_exists in E. destruct E as [c [Ic M]].
      exfalso. apply (apart_sides p c); auto.
    - destruct (existsb (fun g => is_in (fst g) (on l) && is_in (snd g) (on l)) gs) eqn:E; auto.
      apply existsb_exists in E. destruct E as [g [Ig E]]. apply andb_true_iff in E. destruct E as [E1 E2].
      apply is_in_ok in E1. apply is_in_ok in E2. exfalso. apply (Nb g Ig); auto. }
  assert (Z : empty_on p l = O).
  { unfold empty_on. replace (filter (counted p) (on l)) with (@nil int); auto. symmetry.
    assert (K : forall c, In c (on l) -> counted p c = false).
    { intros c Ic. unfold counted. rewrite (occupied_sides p c A), (F c Ic). reflexivity. }
    clear -K. induction (on l) as [|d m IH]; simpl; auto. rewrite K by (left; auto). apply IH. intros c I. apply K. right; auto. }
  pose proof (weight_in_total p l lines Il) as W. unfold weight in W. rewrite L, Z in W. change (64 - 0)%nat with 64%nat in W.
  unfold one in T. change (Z.of_nat 64) with 64%Z in W. lia.
Qed.

Record inv (p : board) : Prop := {
  i_room : room squares p;
  i_apart : apart squares p;
  i_turn : turn p = A;
  i_left : left p = 1;
  i_answered : answered p;
  i_total : (total p lines < one)%Z;
  i_light : forall q, In q squares -> counted p (cell q) = true -> (total p lines + through p (cell q) lines < one)%Z
}.

Lemma flat_playable : forall p q, In q squares -> playable p q = negb (occupied p (cell q)).
Proof. intros p q I. unfold playable. rewrite (flat q I). simpl. apply andb_true_r. Qed.

Lemma end_good : forall p v, has_line lines (side A p) = false -> board_over squares lines p = Some v -> within D 1 v = true.
Proof.
  intros p v N O. destruct (over_cases _ _ _ _ O) as [[V H]|[[V H]|[V _]]]; subst v;
    unfold side in N; destruct D; simpl in *; try reflexivity; congruence.
Qed.

Lemma heaviest : forall (f : square -> Z) l, l <> [] -> exists x, In x l /\ forall y, In y l -> (f y <= f x)%Z.
Proof.
  induction l as [|a l IH]; intros N; [congruence|]. destruct l as [|b l].
  - exists a. split; [left; auto|]. intros y [E|[]]. subst. lia.
  - destruct IH as [x [Ix M]]; [discriminate|]. destruct (Z.le_gt_cases (f a) (f x)) as [L|L].
    + exists x. split; [right; auto|]. intros y [E|I]; [subst; auto|auto].
    + exists a. split; [left; auto|]. intros y [E|I]; [subst; lia|]. specialize (M y I). lia.
Qed.

Lemma put_turn : forall p c, left p = 1 -> turn (put 1 p c) = negb (turn p) /\ left (put 1 p c) = 1.
Proof. intros p c L. unfold put. rewrite L. simpl. destruct (turn p); auto. Qed.

(** A stone of D keeps what is answered. *)
Lemma answered_D : forall p q, room squares p -> In q squares -> turn p = D -> answered p -> answered (put 1 p (cell q)).
Proof.
  intros p q R I T An g Ig. destruct (R q I) as [Fx Fo]. rewrite !mem_put, !occupied_put by auto. rewrite T, Bool.eqb_reflx. simpl.
  destruct (fst g =? cell q) eqn:E1; [left; reflexivity|]. destruct (snd g =? cell q) eqn:E2; [right; left; reflexivity|].
  simpl. apply An; auto.
Qed.

Lemma two_squares : forall g, In g gs -> fst g <> snd g.
Proof.
  intros g Ig E. generalize ends_distinct. unfold ends. clear -Ig E. induction gs as [|k l IHl]; simpl; intro Nd; [destruct Ig|].
  destruct Ig as [Ig|Ig].
  - subst k. inversion Nd as [|a b Na Nb]; subst. apply Na. left. auto.
  - inversion Nd as [|a b Na Nb]; subst. inversion Nb as [|a b Nc Nd']; subst. auto.
Qed.

Lemma groups_same : forall c g h, In g gs -> In h gs -> (c = fst g \/ c = snd g) -> (c = fst h \/ c = snd h) -> g = h.
Proof.
  intros c g h. generalize ends_distinct. unfold ends. clear. induction gs as [|k l IH]; simpl; intros N Ig Ih Cg Ch; [destruct Ig|].
  inversion N as [|a b Na Nb]; subst. inversion Nb as [|a b Nc Nd]; subst. simpl in Na.
  assert (In_l : forall e, In e l -> In (fst e) (flat_map (fun g => [fst g; snd g]) l) /\ In (snd e) (flat_map (fun g => [fst g; snd g]) l)).
  { intros e Ie. rewrite !in_flat_map. split; exists e; simpl; auto. }
  destruct Ig as [Ig|Ig], Ih as [Ih|Ih]; subst; auto.
  - destruct (In_l h Ih). exfalso. destruct Cg as [C|C], Ch as [K|K]; rewrite C in K;
      first [apply Na; rewrite K; right; assumption|apply Nc; rewrite K; assumption].
  - destruct (In_l g Ig). exfalso. destruct Cg as [C|C], Ch as [K|K]; rewrite K in C;
      first [apply Na; rewrite C; right; assumption|apply Nc; rewrite C; assumption].
Qed.

Lemma weights_force : forall n p, inv p -> empties squares p = n -> @forces G D 1 n p.
Proof.
  intro n. induction n as [n IH] using lt_wf_ind. intros p I En.
  pose proof (no_line p (i_apart _ I) (answered_not_both p (i_apart _ I) (i_answered _ I)) (i_total _ I)) as N.
  destruct (board_over squares lines p) as [v|] eqn:O.
  { eapply forces_end; [exact O|]. apply (end_good p v N O). }
  destruct (not_over _ _ 1 _ O) as [[q0 [Iq0 P0]] NE].
  assert (Less : forall p q, room squares p -> In q squares -> playable p q = true ->
                 (empties squares (put 1 p (cell q)) < empties squares p)%nat).
  { intros r q R Iq P. apply empties_put; auto. rewrite flat_playable in P by auto. apply negb_true_iff in P. exact P. }
  pose proof (Less p q0 (i_room _ I) Iq0 P0) as Pos. destruct n as [|n]; [lia|].
  apply (@forces_theirs G D 1 n p); auto.
  { change (Bool.eqb D (turn p) = false). rewrite (i_turn _ I). destruct D; reflexivity. }
  intros m r Ir. apply in_succ in Ir. destruct Ir as [s [Is [Ps [Er _]]]]. subst r.
  destruct (i_room _ I s Is) as [Sx So]. set (p1 := put 1 p (cell s)).
  assert (Fs : occupied p (cell s) = false) by (rewrite flat_playable in Ps by auto; apply negb_true_iff in Ps; exact Ps).
  pose proof (Less p s (i_room _ I) Is Ps) as L1. fold p1 in L1.
  pose proof (room_put squares 1 p (cell s) (i_room _ I)) as R1. fold p1 in R1.
  pose proof (apart_put squares 1 p s (i_room _ I) (i_apart _ I) Is Ps) as A1. fold p1 in A1.
  destruct (put_turn p (cell s) (i_left _ I)) as [T1 Le1]. fold p1 in T1, Le1. rewrite (i_turn _ I), negb_involutive in T1.
  assert (Oc : forall d, occupied p1 d = (d =? cell s) || occupied p d) by (intro d; apply occupied_put; auto).
  assert (Me : forall d t, mem d (side t p1) = (Bool.eqb t A && (d =? cell s)) || mem d (side t p)).
  { intros d t. unfold p1. rewrite mem_put by auto. rewrite (i_turn _ I). reflexivity. }
  assert (To1 : (total p1 lines < one)%Z).
  { destruct (in_groups (cell s)) eqn:Ig.
    - pose proof (total_less p (cell s) lines (fun l => weight_group p (cell s) Sx So l Ig)). pose proof (i_total _ I).
      fold p1 in H. lia.
    - pose proof (total_A p (cell s) Sx So lines (fun l K => proj1 (lines_ok l K))).
      pose proof (i_light _ I s Is) as K. unfold counted in K. rewrite Fs, Ig in K. specialize (K eq_refl). fold p1 in H. lia. }
  assert (Nb1 : not_both p1).
  { intros g Ig H K. rewrite Me in H, K. rewrite Bool.eqb_reflx in H, K. simpl in H, K. destruct (ends_in g Ig) as [E1 E2].
    pose proof (two_squares g Ig) as Ne.
    destruct (i_answered _ I g Ig) as [X|[X|[X Y]]].
    - destruct (fst g =? cell s) eqn:E.
      + apply Uint63.eqb_correct in E. rewrite <- E in Fs. rewrite (unoccupied p _ D Fs) in X. discriminate.
      + simpl in H. apply (apart_sides p (fst g)); auto. apply (i_apart _ I).
    - destruct (snd g =? cell s) eqn:E.
      + apply Uint63.eqb_correct in E. rewrite <- E in Fs. rewrite (unoccupied p _ D Fs) in X. discriminate.
      + simpl in K. apply (apart_sides p (snd g)); auto. apply (i_apart _ I).
    - rewrite (unoccupied p _ A X), orb_false_r in H. rewrite (unoccupied p _ A Y), orb_false_r in K.
      apply Uint63.eqb_correct in H. apply Uint63.eqb_correct in K. congruence. }
  pose proof (no_line p1 A1 Nb1 To1) as N1.
  destruct (board_over squares lines p1) as [v|] eqn:O1.
  { eapply forces_end; [exact O1|]. apply (end_good p1 v N1 O1). }
  (* It is enough that D has an answer after which the invariant holds. *)
  assert (Enough : (exists t, In t squares /\ playable p1 t = true /\ inv (put 1 p1 (cell t))) -> @forces G D 1 n p1).
  { intros [t [It [Pt J]]]. pose proof (Less p1 t R1 It Pt) as L2. destruct n as [|n]; [lia|].
    apply (@forces_mine G D 1 n p1 (code t) (put 1 p1 (cell t))); auto.
    - change (Bool.eqb D (turn p1) = true). rewrite T1. apply Bool.eqb_reflx.
    - apply succ_in; auto.
    - eapply forces_more; [eapply (IH (empties squares (put 1 p1 (cell t)))); auto; lia|lia]. }
  (* What holds after any stone of D. *)
  assert (After : forall t, In t squares -> playable p1 t = true -> answered (put 1 p1 (cell t)) ->
    (forall q, In q squares -> counted (put 1 p1 (cell t)) (cell q) = true ->
      (total (put 1 p1 (cell t)) lines + through (put 1 p1 (cell t)) (cell q) lines < one)%Z) ->
    inv (put 1 p1 (cell t))).
  { intros t It Pt An Li. destruct (R1 t It) as [Tx To]. destruct (put_turn p1 (cell t) Le1) as [T2 Le2]. rewrite T1 in T2.
    assert (Ft : occupied p1 (cell t) = false) by (rewrite flat_playable in Pt by auto; apply negb_true_iff in Pt; exact Pt).
    constructor; auto.
    - apply room_put; auto.
    - apply apart_put; auto.
    - pose proof (total_D p1 (cell t) Tx To lines T1). pose proof (through_nonneg p1 (cell t) lines). lia. }
  destruct (existsb (fun g => ((fst g =? cell s) && negb (occupied p (snd g))) || ((snd g =? cell s) && negb (occupied p (fst g)))) gs) eqn:Hit.
  - (* A has begun a pair, and D answers with its other square. *)
    apply existsb_exists in Hit. destruct Hit as [g [Ig Hit]]. apply Enough.
    assert (X : exists c d, (c = fst g /\ d = snd g \/ c = snd g /\ d = fst g) /\ c = cell s /\ occupied p d = false).
    { apply orb_true_iff in Hit. destruct Hit as [Hit|Hit]; apply andb_true_iff in Hit; destruct Hit as [E F];
        apply Uint63.eqb_correct in E; apply negb_true_iff in F; [exists (fst g), (snd g)|exists (snd g), (fst g)]; auto. }
    destruct X as [c [d [Cd [Ec Fd]]]]. destruct (ends_in g Ig) as [E1 E2].
    assert (Id : In d (map cell squares)) by (apply ends_squares; destruct Cd as [[_ E]|[_ E]]; subst d; auto).
    apply in_map_iff in Id. destruct Id as [t [Et It]]. destruct (i_room _ I t It) as [Tx To].
    assert (Nd : d <> c) by (pose proof (two_squares g Ig); intuition congruence).
    assert (Fd1 : occupied p1 (cell t) = false).
    { rewrite Oc, Et, Fd, orb_false_r. apply eqb_false. congruence. }
    assert (Pt : playable p1 t = true) by (rewrite flat_playable by auto; rewrite Fd1; reflexivity).
    exists t. split; auto. split; auto. destruct (R1 t It) as [Tx1 To1'].
    assert (Gd : in_groups (cell t) = true).
    { unfold in_groups. apply existsb_exists. exists g. split; auto. rewrite Et. destruct Cd as [[_ E]|[_ E]]; subst d;
        rewrite Uint63.eqb_refl, ?orb_true_r; reflexivity. }
    assert (Gc : in_groups (cell s) = true).
    { unfold in_groups. apply existsb_exists. exists g. split; auto. rewrite <- Ec. destruct Cd as [[E _]|[E _]]; subst c;
        rewrite Uint63.eqb_refl, ?orb_true_r; reflexivity. }
    apply After; auto.
    + intros h Ih. rewrite !mem_put by auto. rewrite T1, Bool.eqb_reflx. simpl. rewrite !occupied_put by auto.
      destruct (fst h =? cell t) eqn:F1; [left; reflexivity|]. destruct (snd h =? cell t) eqn:F2; [right; left; reflexivity|]. simpl.
      assert (Hg : (c = fst h \/ c = snd h) -> False).
      { intro K. assert (h = g) by (apply (groups_same c h g); auto; tauto). subst h.
        destruct Cd as [[X Y]|[X Y]]; rewrite <- Y, Et, Uint63.eqb_refl in *; discriminate. }
      assert (Nh : fst h <> cell s /\ snd h <> cell s).
      { split; intro E; apply Hg; rewrite Ec; auto. }
      destruct Nh as [N2 N3]. rewrite !Me, !Oc. rewrite (eqb_false (fst h) (cell s)), (eqb_false (snd h) (cell s)) by auto.
      rewrite !andb_false_r. simpl. apply (i_answered _ I); auto.
    + intros q Iq Cq. rewrite counted_step in Cq by auto. apply andb_true_iff in Cq. destruct Cq as [_ Cq].
      unfold p1 in Cq. rewrite counted_step in Cq by auto. apply andb_true_iff in Cq. destruct Cq as [_ Cq].
      pose proof (i_light _ I q Iq Cq) as Li.
      pose proof (total_less p (cell s) lines (fun l => weight_group p (cell s) Sx So l Gc)) as W1.
      pose proof (through_less p (cell s) (cell q) lines (fun l => weight_group p (cell s) Sx So l Gc)) as W2.
      pose proof (total_less p1 (cell t) lines (fun l => weight_group p1 (cell t) Tx1 To1' l Gd)) as W3.
      pose proof (through_less p1 (cell t) (cell q) lines (fun l => weight_group p1 (cell t) Tx1 To1' l Gd)) as W4.
      fold p1 in W1, W2. lia.
  - (* D takes the heaviest square. *)
    assert (An1 : answered p1).
    { intros g Ig. destruct (i_answered _ I g Ig) as [X|[X|[X Y]]].
      - left. rewrite Me, X. apply orb_true_r.
      - right. left. rewrite Me, X. apply orb_true_r.
      - right. right. rewrite !Oc, X, Y, !orb_false_r.
        assert (K : forall h, In h gs -> ((fst h =? cell s) && negb (occupied p (snd h))) || ((snd h =? cell s) && negb (occupied p (fst h))) = false).
        { intros h Ih. destruct (_ || _) eqn:E; auto.
          assert (existsb (fun g => ((fst g =? cell s) && negb (occupied p (snd g))) || ((snd g =? cell s) && negb (occupied p (fst g)))) gs = true); [|congruence].
          apply existsb_exists. exists h. auto. }
        specialize (K g Ig). rewrite X, Y in K. simpl in K. rewrite !andb_true_r in K. apply orb_false_iff in K. exact K. }
    apply Enough.
    assert (Weak : forall t, In t squares -> playable p1 t = true -> forall l, (weight (put 1 p1 (cell t)) l <= weight p1 l)%Z).
    { intros t It Pt l. destruct (R1 t It) as [Tx To]. rewrite flat_playable in Pt by auto. apply negb_true_iff in Pt.
      pose proof (weight_D p1 (cell t) Tx To l T1). pose proof (weight_nonneg p1 l). destruct (is_in (cell t) (on l)); lia. }
    destruct (filter (fun q => counted p1 (cell q)) squares) as [|a rest] eqn:Fi.
    + destruct (not_over _ _ 1 _ O1) as [[t [It Pt]] _]. exists t. split; auto. split; auto. apply After; auto.
      * apply answered_D; auto.
      * intros q Iq Cq. exfalso. destruct (R1 t It) as [Tx To]. pose proof Pt as Pf. rewrite flat_playable in Pf by auto. apply negb_true_iff in Pf.
        rewrite counted_step in Cq by auto. apply andb_true_iff in Cq. destruct Cq as [_ Cq].
        assert (In q (filter (fun q => counted p1 (cell q)) squares)) by (apply filter_In; auto). rewrite Fi in H. destruct H.
    + destruct (heaviest (fun q => through p1 (cell q) lines) (filter (fun q => counted p1 (cell q)) squares)) as [x [Ix Mx]];
        [rewrite Fi; discriminate|].
      apply filter_In in Ix. destruct Ix as [Ix Cx].
      assert (Fx1 : occupied p1 (cell x) = false).
      { unfold counted in Cx. apply andb_true_iff in Cx. destruct Cx as [Cx _]. apply negb_true_iff in Cx. exact Cx. }
      assert (Px : playable p1 x = true) by (rewrite flat_playable by auto; rewrite Fx1; reflexivity).
      exists x. split; auto. split; auto. destruct (R1 x Ix) as [Xx Xo]. apply After; auto.
      * apply answered_D; auto.
      * intros q Iq Cq. rewrite counted_step in Cq by auto. apply andb_true_iff in Cq. destruct Cq as [_ Cq].
        assert (Iq' : In q (filter (fun q => counted p1 (cell q)) squares)) by (apply filter_In; auto). specialize (Mx q Iq').
        pose proof (total_D p1 (cell x) Xx Xo lines T1) as W1.
        pose proof (through_less p1 (cell x) (cell q) lines (Weak x Ix Px)) as W2. lia.
Qed.
End Weights.

Theorem weights_sound : forall squares lines D gs p, weights_ok squares lines D gs p = true ->
  @forces (line_game squares lines 1) D 1 (empties squares p) p.
Proof.
  intros squares lines D gs p H. unfold weights_ok, weights_board, weights_here in H. rewrite !andb_true_iff in H.
  destruct H as [[Fl Li] [[[[[S T] L] Di] Fr] Lt]].
  apply sound_board_ok in S. destruct S as [R Ap]. apply Bool.eqb_prop in T. apply Uint63.eqb_correct in L.
  rewrite forallb_forall in Fl, Li, Fr.
  unfold light in Lt. cbv zeta in Lt. rewrite sum_same in Lt. apply andb_true_iff in Lt. destruct Lt as [T0 T1]. apply Z.ltb_lt in T0. rewrite forallb_forall in T1.
  apply (weights_force squares lines D gs); auto.
  - intros q I. specialize (Fl q I). destruct (below q); [reflexivity|discriminate].
  - intros l I. specialize (Li l I). apply andb_true_iff in Li. destruct Li as [A B]. split; [apply distinct_ok; auto|].
    intros c Ic. rewrite forallb_forall in B. apply is_in_ok. auto.
  - apply distinct_ok; auto.
  - intros c Ic. specialize (Fr c Ic). unfold free_square in Fr. apply andb_true_iff in Fr. destruct Fr as [X _].
    apply existsb_exists in X. destruct X as [q [Iq X]]. apply andb_true_iff in X. destruct X as [X _].
    apply Uint63.eqb_correct in X. subst c. apply in_map; auto.
  - constructor; auto.
    + intros g Ig. right. right.
      assert (In (fst g) (ends gs) /\ In (snd g) (ends gs)) as [E1 E2].
      { unfold ends. rewrite !in_flat_map. split; exists g; simpl; auto. }
      pose proof (Fr _ E1) as F1. pose proof (Fr _ E2) as F2. unfold free_square in F1, F2.
      apply andb_true_iff in F1. apply andb_true_iff in F2. destruct F1 as [_ F1], F2 as [_ F2].
      apply negb_true_iff in F1. apply negb_true_iff in F2. auto.
    + intros q I C. specialize (T1 q I). rewrite C, sum_through_same in T1. simpl in T1. apply Z.ltb_lt in T1. exact T1.
Qed.
