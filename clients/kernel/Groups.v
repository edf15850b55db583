(** Groups (THEOREMS.md, T5): disjoint groups of more empty squares than a turn has stones, one in each line that the
    other side could still complete. The side that answers in the groups cannot lose. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines.
Import ListNotations.
Local Open Scope uint63_scope.

Section Groups.
Variables (squares : list square) (lines : list line) (per_turn : int).
Notation G := (line_game squares lines per_turn).
(** D answers in the groups; A is the other side. *)
Variable D : bool.
Notation A := (negb D).

Definition group := list int.
Definition has (s : cells) (g : list int) : bool := existsb (fun c => mem c s) g.
(** Stones of A in a group without a stone of D. *)
Fixpoint count (s : cells) (g : group) : nat :=
  match g with [] => O | c :: g => if mem c s then S (count s g) else count s g end.
Definition touched (p : board) (g : group) : nat := if has (side D p) g then O else count (side A p) g.
Fixpoint total (p : board) (gs : list group) : nat :=
  match gs with [] => O | g :: gs => (touched p g + total p gs)%nat end.

Definition inside (g : group) (l : line) : bool := forallb (fun c => is_in c (on l)) g.
(** A cannot complete the line: D has a stone on it, or a stone of A spoils it, or D answers in a group on it. *)
Definition closed (p : board) (gs : list group) (l : line) : bool :=
  has (side D p) (on l) || has (side A p) (stops l) || existsb (fun g => inside g l) gs.

Definition per_turn_nat : nat := Z.to_nat (to_Z per_turn).

(** What does not depend on the position. *)
Definition groups_board : bool :=
  forallb (fun l => forallb (fun c => existsb (fun q => cell q =? c) squares) (on l)) lines.
Definition groups_here (p : board) (gs : list group) : bool :=
  sound_board squares p && (0 <? per_turn) && (0 <? left p) && (left p <=? per_turn) &&
  forallb (fun g => Nat.ltb per_turn_nat (length g)) gs && distinct (concat gs) &&
  forallb (free_square squares p) (concat gs) && forallb (closed p gs) lines.
Definition groups_ok (p : board) (gs : list group) : bool := groups_board && groups_here p gs.

(** * Proof *)
Record inv (p : board) (gs : list group) : Prop := {
  i_room : room squares p;
  i_apart : apart squares p;
  i_left : (1 <= to_Z (left p) <= to_Z per_turn)%Z;
  i_lines : forall l c, In l lines -> In c (on l) -> In c (map cell squares);
  i_size : forall g, In g gs -> (per_turn_nat < length g)%nat;
  i_distinct : NoDup (concat gs);
  i_free : forall c, In c (concat gs) -> exists q, In q squares /\ cell q = c /\ below q = [];
  i_closed : forall l, In l lines -> closed p gs l = true;
  i_total : if Bool.eqb D (turn p) then (Z.of_nat (total p gs) <= to_Z (left p))%Z
            else (Z.of_nat (total p gs) + to_Z (left p) <= to_Z per_turn)%Z
}.

Lemma has_in : forall s g, has s g = true <-> exists c, In c g /\ mem c s = true.
Proof. intros. unfold has. rewrite existsb_exists. reflexivity. Qed.
Lemma has_none : forall s g, (forall c, In c g -> mem c s = false) -> has s g = false.
Proof.
  intros s g H. destruct (has s g) eqn:E; auto. apply has_in in E. destruct E as [c [I M]]. rewrite H in M by auto. congruence.
Qed.
Lemma count_full : forall s g, (forall c, In c g -> mem c s = true) -> count s g = length g.
Proof. induction g as [|c g IH]; simpl; intros H; auto. rewrite H by auto. rewrite IH; auto. Qed.
Lemma count_none : forall s g, (forall c, In c g -> mem c s = false) -> count s g = O.
Proof. induction g as [|c g IH]; simpl; intros H; auto. rewrite H by auto. apply IH; auto. Qed.
Lemma count_not_full : forall s g, (count s g < length g)%nat -> exists c, In c g /\ mem c s = false.
Proof.
  induction g as [|c g IH]; simpl; intros H; [lia|]. destruct (mem c s) eqn:M; [|eauto].
  destruct IH as [d [I N]]; [lia|]. eauto.
Qed.
Lemma touched_in_total : forall p gs g, In g gs -> (touched p g <= total p gs)%nat.
Proof. induction gs as [|h gs IH]; simpl; intros g I; [destruct I|]. destruct I as [I|I]; [subst; lia|]. specialize (IH g I). lia. Qed.

(** A has no line. *)
Lemma no_line : forall p gs, inv p gs -> (Z.of_nat (total p gs) <= to_Z per_turn)%Z -> has_line lines (side A p) = false.
Proof.
  intros p gs I T. destruct (has_line lines (side A p)) eqn:H; auto. exfalso.
  unfold has_line in H. apply existsb_exists in H. destruct H as [l [Il H]]. unfold complete in H.
  apply andb_true_iff in H. destruct H as [F S]. rewrite forallb_forall in F. apply negb_true_iff in S.
  pose proof (i_closed _ _ I l Il) as C. unfold closed in C. rewrite !orb_true_iff in C. destruct C as [[C|C]|C].
  - apply has_in in C. destruct C as [c [Ic M]]. specialize (F c Ic).
    pose proof (i_lines _ _ I l c Il Ic) as K. apply (i_apart _ _ I c); auto; unfold side in *; destruct D; simpl in *; auto.
  - unfold has in C. congruence.
  - apply existsb_exists in C. destruct C as [g [Ig K]]. unfold inside in K. rewrite forallb_forall in K.
    assert (Fg : forall c, In c g -> mem c (side A p) = true).
    { intros c Ic. specialize (K c Ic). apply is_in_ok in K. auto. }
    assert (N : has (side D p) g = false).
    { apply has_none. intros c Ic. destruct (mem c (side D p)) eqn:M; auto. exfalso.
      assert (Ic' : In c (concat gs)) by (apply in_concat; eauto).
      destruct (i_free _ _ I c Ic') as [q [Iq [E _]]]. subst c.
      apply (i_apart _ _ I (cell q)); [| |apply in_map; auto]; specialize (Fg (cell q) Ic); unfold side in *; destruct D; simpl in *; auto. }
    pose proof (touched_in_total p gs g Ig) as L. unfold touched in L. rewrite N in L. rewrite count_full in L by auto.
    pose proof (i_size _ _ I g Ig). unfold per_turn_nat in *. lia.
Qed.

(** Stones of D never add to the total; a stone of A adds at most one. *)
Section Step.
Variables (p : board) (c : int).
Hypothesis Fx : fits c (xs p).
Hypothesis Fo : fits c (os p).
Hypothesis Free : occupied p c = false.
Notation p' := (put per_turn p c).

Lemma mem_step : forall d s, mem d (side s p') = (Bool.eqb s (turn p) && (d =? c)) || mem d (side s p).
Proof. intros. apply mem_put; auto. Qed.

Lemma has_step : forall s g, has (side s p) g = true -> has (side s p') g = true.
Proof.
  intros s g H. apply has_in in H. destruct H as [d [I M]]. apply has_in. exists d. rewrite mem_step, M, orb_true_r. auto.
Qed.

Lemma closed_step : forall gs l, closed p gs l = true -> closed p' gs l = true.
Proof.
  intros gs l H. unfold closed in *. rewrite !orb_true_iff in *. destruct H as [[H|H]|H]; auto using has_step.
Qed.

Lemma count_same : forall s g, ~ In c g -> count (side s p') g = count (side s p) g.
Proof.
  induction g as [|d g IH]; simpl; intros N; auto. rewrite mem_step. destruct (d =? c) eqn:E.
  - apply Uint63.eqb_correct in E. subst. tauto.
  - rewrite andb_false_r. simpl. rewrite IH by tauto. reflexivity.
Qed.
Lemma count_step : forall s g, NoDup g -> (count (side s p') g <= S (count (side s p) g))%nat.
Proof.
  induction g as [|d g IH]; intros N; [simpl; lia|]. inversion N as [|d' g' Nd Ng]; subst. cbn [count]. rewrite mem_step.
  destruct (d =? c) eqn:E.
  - apply Uint63.eqb_correct in E. subst d. rewrite count_same by auto.
    destruct (Bool.eqb s (turn p) && true || mem c (side s p)); destruct (mem c (side s p)); lia.
  - rewrite andb_false_r. simpl. specialize (IH Ng). destruct (mem d (side s p)); lia.
Qed.
Lemma count_other : forall s g, turn p = negb s -> count (side s p') g = count (side s p) g.
Proof.
  intros s g T. induction g as [|d g IH]; simpl; auto. rewrite mem_step. rewrite T.
  replace (Bool.eqb s (negb s)) with false by (destruct s; reflexivity). simpl. rewrite IH. reflexivity.
Qed.
Lemma touched_same : forall g, ~ In c g -> touched p' g = touched p g.
Proof.
  intros g N. unfold touched. rewrite count_same by auto.
  replace (has (side D p') g) with (has (side D p) g); auto.
  unfold has. clear -N Fx Fo. induction g as [|d g IH]; simpl; auto. rewrite mem_put by auto.
  destruct (d =? c) eqn:E; [apply Uint63.eqb_correct in E; subst; simpl in N; tauto|].
  rewrite andb_false_r. simpl. rewrite IH; auto. simpl in N. tauto.
Qed.

Lemma total_D : forall gs, turn p = D -> (total p' gs <= total p gs)%nat.
Proof.
  intros gs T. induction gs as [|g gs IH]; simpl; auto.
  assert (touched p' g <= touched p g)%nat; [|lia]. unfold touched.
  rewrite count_other by (rewrite negb_involutive; auto).
  destruct (has (side D p) g) eqn:H; [rewrite has_step by auto; lia|]. destruct (has (side D p') g); lia.
Qed.

Lemma total_D_answer : forall gs g, turn p = D -> In g gs -> In c g -> (0 < touched p g)%nat -> (total p' gs < total p gs)%nat.
Proof.
  intros gs g T. induction gs as [|h gs IH]; simpl; intros I Ic P; [destruct I|]. destruct I as [I|I].
  - subst h. pose proof (total_D gs T).
    assert (touched p' g = O); [|lia]. unfold touched.
    replace (has (side D p') g) with true; auto. symmetry. apply has_in. exists c. split; auto.
    rewrite mem_step, T, Bool.eqb_reflx, Uint63.eqb_refl. reflexivity.
  - specialize (IH I Ic P). pose proof (total_D [h] T) as K. simpl in K. lia.
Qed.

Lemma total_A : forall gs, NoDup (concat gs) -> (total p' gs <= S (total p gs))%nat.
Proof.
  induction gs as [|g gs IH]; simpl; intros N; auto.
  assert (Ng : NoDup g /\ NoDup (concat gs)).
  { split; [|]; clear IH; induction g as [|d g IHg]; simpl in N; auto; try constructor; inversion N; subst.
    - intro I. apply H1. apply in_or_app. auto.
    - apply IHg; auto.
    - apply IHg; auto. }
  destruct Ng as [Ng Ngs]. destruct (in_dec eqs c g) as [I|I].
  - assert (E : total p' gs = total p gs).
    { assert (No : ~ In c (concat gs)).
      { intro J. clear -N I J. induction g as [|d g IHg]; [destruct I|]. simpl in N. inversion N; subst. destruct I as [I|I].
        - subst d. apply H1. apply in_or_app. auto.
        - auto. }
      clear -No Fx Fo. induction gs as [|h gs IHh]; simpl; auto. simpl in No. rewrite in_app_iff in No.
      rewrite IHh by tauto. f_equal. apply touched_same; auto. }
    rewrite E. assert (touched p' g <= S (touched p g))%nat; [|lia]. unfold touched.
    pose proof (count_step A g Ng). destruct (has (side D p) g) eqn:H1; [rewrite has_step by auto; lia|].
    destruct (has (side D p') g); lia.
  - rewrite touched_same by auto. specialize (IH Ngs). lia.
Qed.
End Step.

Lemma turn_put : forall p c, turn (put per_turn p c) = xorb (turn p) (left p =? 1).
Proof. reflexivity. Qed.
Lemma left_put : forall p c, left (put per_turn p c) = if left p =? 1 then per_turn else left p - 1.
Proof. reflexivity. Qed.

Lemma inv_put : forall p gs q, inv p gs -> In q squares -> playable p q = true ->
  (turn p = D -> total p gs = O \/ exists g, In g gs /\ In (cell q) g /\ (0 < touched p g)%nat) ->
  inv (put per_turn p (cell q)) gs.
Proof.
  intros p gs q I Iq P Answer. destruct (i_room _ _ I q Iq) as [Fx Fo].
  assert (Free : occupied p (cell q) = false).
  { unfold playable in P. apply andb_true_iff in P. destruct P as [P _]. apply negb_true_iff in P. exact P. }
  pose proof (i_left _ _ I) as L. pose proof (i_total _ _ I) as T.
  assert (Lp : if left p =? 1 then to_Z (left p) = 1%Z
               else to_Z (left p - 1) = (to_Z (left p) - 1)%Z /\ (2 <= to_Z (left p))%Z).
  { destruct (left p =? 1) eqn:E.
    - apply Uint63.eqb_correct in E. rewrite E. reflexivity.
    - assert (to_Z (left p) <> 1%Z).
      { intro K. change 1%Z with (to_Z 1) in K. apply to_Z_inj in K. rewrite K in E. discriminate. }
      split; [|lia]. rewrite sub_spec. change (to_Z 1) with 1%Z. apply Z.mod_small.
      pose proof (to_Z_bounded (left p)). lia. }
  constructor.
  - apply room_put, (i_room _ _ I).
  - apply apart_put; auto; [apply (i_room _ _ I)|apply (i_apart _ _ I)].
  - rewrite left_put. destruct (left p =? 1); lia.
  - apply (i_lines _ _ I).
  - apply (i_size _ _ I).
  - apply (i_distinct _ _ I).
  - apply (i_free _ _ I).
  - intros l Il. apply closed_step; auto. apply (i_closed _ _ I); auto.
  - destruct (Bool.eqb D (turn p)) eqn:E.
    + apply Bool.eqb_prop in E. symmetry in E. specialize (Answer E).
      assert (K : (Z.of_nat (total (put per_turn p (cell q)) gs) <= Z.max 0 (Z.of_nat (total p gs) - 1))%Z).
      { destruct Answer as [Z|[g [Ig [Ic Po]]]].
        - pose proof (total_D p (cell q) Fx Fo gs E). lia.
        - pose proof (total_D_answer p (cell q) Fx Fo gs g E Ig Ic Po). lia. }
      rewrite turn_put, left_put. destruct (left p =? 1) eqn:E1.
      * replace (Bool.eqb D (xorb (turn p) true)) with false by (rewrite E; destruct D; reflexivity). lia.
      * replace (Bool.eqb D (xorb (turn p) false)) with true by (rewrite E; destruct D; reflexivity). lia.
    + pose proof (total_A p (cell q) Fx Fo gs (i_distinct _ _ I)) as K.
      rewrite turn_put, left_put. destruct (left p =? 1) eqn:E1.
      * replace (Bool.eqb D (xorb (turn p) true)) with true by (destruct D, (turn p); simpl in *; congruence). lia.
      * replace (Bool.eqb D (xorb (turn p) false)) with false by (destruct D, (turn p); simpl in *; congruence). lia.
Qed.

Lemma total_bound : forall p gs, inv p gs -> (Z.of_nat (total p gs) <= to_Z per_turn)%Z.
Proof. intros p gs I. pose proof (i_total _ _ I). pose proof (i_left _ _ I). destruct (Bool.eqb D (turn p)); lia. Qed.

(** D's answer: in a group that A has touched, if there is one. *)
Lemma answer : forall p gs, inv p gs -> board_over squares lines p = None ->
  exists q, In q squares /\ playable p q = true /\
    (total p gs = O \/ exists g, In g gs /\ In (cell q) g /\ (0 < touched p g)%nat).
Proof.
  intros p gs I O. destruct (total p gs) as [|n] eqn:T.
  - destruct (not_over _ _ per_turn _ O) as [[q [Iq P]] _]. exists q. auto.
  - assert (X : exists g, In g gs /\ (0 < touched p g)%nat).
    { clear -T. revert n T. induction gs as [|g gs IH]; simpl; intros n T; [discriminate|].
      destruct (touched p g) eqn:K; [|exists g; split; auto; lia]. destruct (IH n T) as [h [J L]]. eauto. }
    destruct X as [g [Ig Po]]. pose proof (touched_in_total p gs g Ig) as L. pose proof (total_bound p gs I) as B.
    pose proof (i_size _ _ I g Ig) as Sz. unfold touched in Po. destruct (has (side D p) g) eqn:H; [lia|].
    unfold touched in L. rewrite H in L.
    assert (N : (count (side A p) g < length g)%nat).
    { unfold per_turn_nat in Sz. pose proof (to_Z_bounded per_turn). lia. }
    apply count_not_full in N. destruct N as [c [Ic M]].
    destruct (i_free _ _ I c) as [q [Iq [E Be]]]; [apply in_concat; eauto|]. subst c.
    exists q. split; auto. split.
    + unfold playable. rewrite Be. simpl. rewrite andb_true_r. rewrite (occupied_sides p _ A), M, negb_involutive. simpl.
      destruct (mem (cell q) (side D p)) eqn:M2; auto.
      assert (has (side D p) g = true); [|congruence]. apply has_in. eauto.
    + right. exists g. split; auto. split; auto. unfold touched. rewrite H. exact Po.
Qed.

Lemma groups_force : forall n p gs, inv p gs -> empties squares p = n -> @forces G D 1 n p.
Proof.
  intro n. induction n as [n IH] using lt_wf_ind. intros p gs I En.
  pose proof (no_line p gs I (total_bound p gs I)) as N.
  destruct (board_over squares lines p) as [v|] eqn:O.
  - eapply forces_end with (v := v); [exact O|]. destruct (over_cases _ _ _ _ O) as [[V H]|[[V H]|[V _]]]; subst v;
      unfold side in N; destruct D; simpl in *; try reflexivity; congruence.
  - destruct (not_over _ _ per_turn _ O) as [[q0 [Iq0 P0]] NE].
    assert (Less : forall q, In q squares -> playable p q = true -> (empties squares (put per_turn p (cell q)) < n)%nat).
    { intros q Iq P. rewrite <- En. apply empties_put; auto; [apply (i_room _ _ I)|].
      unfold playable in P. apply andb_true_iff in P. destruct P as [P _]. apply negb_true_iff in P. exact P. }
    assert (Next : forall q, In q squares -> playable p q = true -> inv (put per_turn p (cell q)) gs ->
                   @forces G D 1 (Nat.pred n) (put per_turn p (cell q))).
    { intros q Iq P J. specialize (Less q Iq P). eapply forces_more; [eapply IH; eauto|lia]. }
    pose proof (Less q0 Iq0 P0) as Pos. destruct n as [|n]; [lia|]. simpl in Next.
    destruct (Bool.eqb D (turn p)) eqn:E.
    + destruct (answer p gs I O) as [q [Iq [P An]]].
      apply (@forces_mine G D 1 n p (code q) (put per_turn p (cell q))); auto.
      * apply succ_in; auto.
      * apply Next; auto. apply inv_put; auto.
    + apply (@forces_theirs G D 1 n p); auto. intros m r Ir. apply in_succ in Ir. destruct Ir as [q [Iq [P [Er _]]]]. subst r.
      apply Next; auto. apply inv_put; auto. intro T. rewrite T in E. rewrite Bool.eqb_reflx in E. discriminate.
Qed.

Theorem groups_sound : forall p gs, groups_ok p gs = true -> @forces G D 1 (empties squares p) p.
Proof.
  intros p gs H. unfold groups_ok, groups_board, groups_here in H. rewrite !andb_true_iff in H.
  destruct H as [Li [[[[[[[S Pt] L0] L1] Sz] Di] Fr] Cl]].
  apply sound_board_ok in S. destruct S as [R Ap]. apply ltb_spec in L0. apply leb_spec in L1. apply ltb_spec in Pt.
  change (to_Z 0) with 0%Z in *.
  assert (Free : forall c, In c (concat gs) -> occupied p c = false /\ exists q, In q squares /\ cell q = c /\ below q = []).
  { intros c Ic. rewrite forallb_forall in Fr. specialize (Fr c Ic). unfold free_square in Fr.
    apply andb_true_iff in Fr. destruct Fr as [X E]. apply negb_true_iff in E. split; auto.
    apply existsb_exists in X. destruct X as [q [Iq X]]. apply andb_true_iff in X. destruct X as [X B].
    apply Uint63.eqb_correct in X. exists q. repeat split; auto. destruct (below q); [reflexivity|discriminate]. }
  assert (Zero : total p gs = O).
  { assert (Z : forall l, incl l gs -> total p l = O).
    { induction l as [|g l IH]; simpl; intros J; auto. rewrite IH by (intros x X; apply J; right; auto).
      rewrite Nat.add_0_r. unfold touched. destruct (has (side D p) g); auto. apply count_none. intros c Ic.
      destruct (Free c) as [O _]; [apply in_concat; exists g; split; auto; apply J; left; auto|].
      rewrite (occupied_sides p c A) in O. apply orb_false_iff in O. tauto. }
    apply Z. apply incl_refl. }
  apply (groups_force (empties squares p) p gs); auto. constructor; auto.
  - lia.
  - intros l c Il Ic. rewrite forallb_forall in Li. specialize (Li l Il). rewrite forallb_forall in Li. specialize (Li c Ic).
    apply existsb_exists in Li. destruct Li as [q [Iq E]]. apply Uint63.eqb_correct in E. subst c. apply in_map; auto.
  - intros g Ig. rewrite forallb_forall in Sz. specialize (Sz g Ig). apply Nat.ltb_lt in Sz. exact Sz.
  - apply distinct_ok; auto.
  - intros c Ic. destruct (Free c Ic) as [_ X]. exact X.
  - intros l Il. rewrite forallb_forall in Cl. auto.
  - rewrite Zero. destruct (Bool.eqb D (turn p)); lia.
Qed.
End Groups.
