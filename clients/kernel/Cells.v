(** Sets of cells, numbered from 0: a list of words of 63 bits, so that a board may have any number of cells. The rest of
    the development uses the laws at the end and nothing else. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
Import ListNotations.
Local Open Scope uint63_scope.

(** * Lists of cells *)
Definition is_in (c : int) (l : list int) : bool := existsb (fun d => c =? d) l.
Fixpoint distinct (l : list int) : bool :=
  match l with [] => true | c :: l => negb (is_in c l) && distinct l end.

Lemma eqb_false : forall a b : int, a <> b -> (a =? b) = false.
Proof. intros a b H. destruct (a =? b) eqn:E; auto. apply eqb_correct in E. congruence. Qed.
Lemma is_in_ok : forall c l, is_in c l = true <-> In c l.
Proof.
  intros c l. unfold is_in. rewrite existsb_exists. split.
  - intros [d [I E]]. apply eqb_correct in E. subst. exact I.
  - intros I. exists c. split; auto. apply Uint63.eqb_refl.
Qed.
Lemma distinct_ok : forall l, distinct l = true -> NoDup l.
Proof.
  induction l as [|c l IH]; simpl; intros H; constructor; apply andb_true_iff in H; destruct H as [H K]; auto.
  intro I. apply is_in_ok in I. rewrite I in H. discriminate.
Qed.

(** * Sets *)
Definition cells := list int.
Fixpoint mem (c : int) (s : cells) : bool :=
  match s with [] => false | w :: s => if c <? 63 then bit w c else mem (c - 63) s end.
Fixpoint with_cell (c : int) (s : cells) : cells :=
  match s with [] => [] | w :: s => if c <? 63 then w lor (1 << c) :: s else w :: with_cell (c - 63) s end.
Fixpoint none (words : nat) : cells := match words with O => [] | S n => 0 :: none n end.
Fixpoint same (s t : cells) : bool :=
  match s, t with [], [] => true | x :: s, y :: t => (x =? y) && same s t | _, _ => false end.
Definition mix (s : cells) (h : int) : int := fold_left (fun h w => (h lxor w) * 6364136223846793 lxor (h >> 29)) s h.

(** The cells that a set has room for. *)
Definition fits (c : int) (s : cells) : Prop := (to_Z c < 63 * Z.of_nat (length s))%Z.

Lemma to_Z_63 : to_Z 63 = 63%Z. Proof. reflexivity. Qed.
Lemma less : forall c, (c <? 63) = true <-> (to_Z c < 63)%Z.
Proof. intro c. rewrite ltb_spec, to_Z_63. reflexivity. Qed.
Lemma not_less : forall c, (c <? 63) = false -> (63 <= to_Z c)%Z.
Proof. intros c H. destruct (Z.lt_ge_cases (to_Z c) 63) as [K|K]; auto. apply less in K. congruence. Qed.
Lemma to_Z_minus : forall c, (c <? 63) = false -> to_Z (c - 63) = (to_Z c - 63)%Z.
Proof.
  intros c H. apply not_less in H. rewrite sub_spec, to_Z_63. apply Z.mod_small.
  pose proof (to_Z_bounded c). lia.
Qed.
Lemma eqb_minus : forall c d, (c <? 63) = false -> (d <? 63) = false -> (d - 63 =? c - 63) = (d =? c).
Proof.
  intros c d C D. destruct (d =? c) eqn:E.
  - apply eqb_correct in E. subst. apply Uint63.eqb_refl.
  - destruct (d - 63 =? c - 63) eqn:F; auto. apply eqb_correct in F.
    assert (to_Z d = to_Z c) by (pose proof (to_Z_minus c C); pose proof (to_Z_minus d D); rewrite F in *; lia).
    apply to_Z_inj in H. subst. rewrite Uint63.eqb_refl in E. discriminate.
Qed.
Lemma eqb_apart : forall c d, (c <? 63) <> (d <? 63) -> (d =? c) = false.
Proof. intros c d H. destruct (d =? c) eqn:E; auto. apply eqb_correct in E. subst. congruence. Qed.

Lemma bit_one : forall c d, (c <? 63) = true -> (d <? 63) = true -> bit (1 << c) d = (d =? c).
Proof.
  intros c d C D. apply less in C. apply less in D.
  rewrite bit_lsl. change digits with 63. destruct (d <? c) eqn:L.
  - simpl. destruct (d =? c) eqn:E; auto. apply eqb_correct in E. subst. apply ltb_spec in L. lia.
  - assert (N : (63 <=? d) = false).
    { destruct (63 <=? d) eqn:K; auto. apply leb_spec in K. rewrite to_Z_63 in K. lia. }
    rewrite N. simpl. rewrite bit_1.
    assert (G : (to_Z c <= to_Z d)%Z).
    { destruct (Z.lt_ge_cases (to_Z d) (to_Z c)) as [K|K]; [|lia]. apply ltb_spec in K. congruence. }
    assert (S : to_Z (d - c) = (to_Z d - to_Z c)%Z).
    { rewrite sub_spec. apply Z.mod_small. pose proof (to_Z_bounded d). pose proof (to_Z_bounded c). lia. }
    destruct (d =? c) eqn:E.
    + apply eqb_correct in E. subst. replace (c - c) with 0; [reflexivity|].
      apply to_Z_inj. rewrite S. rewrite Z.sub_diag. reflexivity.
    + destruct (d - c =? 0) eqn:F; auto. apply eqb_correct in F. rewrite F in S. change (to_Z 0) with 0%Z in S.
      assert (to_Z d = to_Z c) by lia. apply to_Z_inj in H. subst. rewrite Uint63.eqb_refl in E. discriminate.
Qed.

(** * The laws *)
Lemma length_add : forall s c, length (with_cell c s) = length s.
Proof. induction s as [|w s IH]; simpl; intros c; auto. destruct (c <? 63); simpl; auto. Qed.

Lemma mem_add : forall s c d, fits c s -> mem d (with_cell c s) = (d =? c) || mem d s.
Proof.
  unfold fits. induction s as [|w s IH]; cbn [length mem with_cell]; intros c d F.
  - pose proof (to_Z_bounded c). simpl in F. lia.
  - destruct (c <? 63) eqn:C; cbn [mem]; destruct (d <? 63) eqn:D.
    + rewrite lor_spec. rewrite bit_one by auto. apply orb_comm.
    + rewrite (eqb_apart c d) by congruence. reflexivity.
    + rewrite (eqb_apart c d) by congruence. reflexivity.
    + rewrite IH; [|rewrite to_Z_minus by auto; lia]. rewrite eqb_minus by auto. reflexivity.
Qed.

Lemma mem_none : forall n c, mem c (none n) = false.
Proof. induction n as [|n IH]; cbn [none mem]; intros c; auto. destruct (c <? 63); auto. apply bit_0. Qed.

Lemma same_ok : forall s t, same s t = true -> s = t.
Proof.
  induction s as [|x s IH]; destruct t as [|y t]; simpl; intros E; try discriminate; auto.
  apply andb_true_iff in E. destruct E as [E F]. apply eqb_correct in E. f_equal; auto.
Qed.

(** Sets of the same length with the same cells are equal. *)
Definition small (s : cells) : Prop := (63 * Z.of_nat (length s) < wB)%Z.
Lemma cells_ext : forall s t, small s -> length s = length t -> (forall c, fits c s -> mem c s = mem c t) -> s = t.
Proof.
  unfold fits, small. induction s as [|x s IH]; destruct t as [|y t]; intros Sm L E; try discriminate; auto.
  cbn [length] in *. f_equal.
  - apply bit_ext. intros c. destruct (c <? 63) eqn:C.
    + specialize (E c). cbn [mem] in E. rewrite C in E. apply E. apply less in C. lia.
    + apply not_less in C. rewrite !bit_M; auto; apply leb_spec; change (to_Z digits) with 63%Z; lia.
  - apply IH; [lia|lia|]. intros c F. pose proof (to_Z_bounded c) as B.
    assert (P : to_Z (c + 63) = (to_Z c + 63)%Z) by (rewrite add_spec, to_Z_63; apply Z.mod_small; lia).
    assert (N : (c + 63 <? 63) = false).
    { destruct (c + 63 <? 63) eqn:K; auto. apply less in K. lia. }
    assert (R : c + 63 - 63 = c) by (apply to_Z_inj; rewrite to_Z_minus by exact N; lia).
    specialize (E (c + 63)). cbn [mem] in E. rewrite N, R in E. apply E. lia.
Qed.
