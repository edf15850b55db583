(** Connections: what a side gets on the board whatever the other side does, as in Hex.

    A *choice* is a list of ways, of which its owner gets one although the other side moves first: no cell belongs to all
    of them. A way is a stone on a cell, and then more choices. A bridge is a choice with two ways, one stone each. The
    *carrier* of a choice is the set of all its cells. A *plan* is a list of choices with disjoint carriers; its owner answers in each
    of them alone, so it gets a way of every choice. (AND: the choices of a plan. OR: the ways of a choice. A plan is what connects
    moving second; a way is what connects moving first.)

    That the stones which the owner gets connect something is shown by a *script*: it joins cells that touch, and cells
    that are joined under each way of a choice.

    The file has two theorems: [answer], the owner's move, and [run_sound], scripts. The rules of a game come in elsewhere. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Cells.
Import ListNotations.
Local Open Scope uint63_scope.

(** A number of plies as an integer. *)
Definition nat_int (n : nat) : option int := let i := of_Z (Z.of_nat n) in if Nat.eqb (Z.to_nat (to_Z i)) n then Some i else None.
Lemma nat_int_ok : forall n i, nat_int n = Some i -> Z.to_nat (to_Z i) = n.
Proof. unfold nat_int. intros n i E. destruct (Nat.eqb _ n) eqn:Q; [|discriminate]. inversion E; subst. apply Nat.eqb_eq. exact Q. Qed.

Inductive way := Way (stone : int) (rest : list (list way)).
Definition choice := list way.
Definition plan := list choice.

Section Induction.
Variable P : way -> Prop.
Hypothesis H : forall c rest, Forall (Forall P) rest -> P (Way c rest).
Fixpoint way_induction (w : way) : P w :=
  match w with
  | Way c rest =>
    H c rest ((fix outer gs : Forall (Forall P) gs :=
      match gs with
      | [] => Forall_nil _
      | g :: gs => Forall_cons g ((fix inner g : Forall P g :=
          match g with [] => Forall_nil _ | w :: g => Forall_cons w (way_induction w) (inner g) end) g) (outer gs)
      end) rest)
  end.
End Induction.

Lemma not_in : forall c l, is_in c l = false <-> ~ In c l.
Proof. intros. rewrite <- is_in_ok. destruct (is_in c l); split; intro K; congruence. Qed.

Fixpoint way_carrier (w : way) : list int :=
  match w with Way c rest => c :: flat_map (flat_map way_carrier) rest end.
Definition choice_carrier (g : choice) : list int := flat_map way_carrier g.
Definition carrier (gs : plan) : list int := flat_map choice_carrier gs.

(** The number of moves that the owner needs at most. *)
Fixpoint most (l : list nat) : nat := match l with [] => O | n :: l => if Nat.leb n (most l) then most l else n end.
Fixpoint way_moves (w : way) : nat :=
  match w with Way _ rest => S (list_sum (map (fun g => most (map way_moves g)) rest)) end.
Definition choice_moves (g : choice) : nat := most (map way_moves g).
Definition moves (gs : plan) : nat := list_sum (map choice_moves gs).

(** The set A has the stones of a way; of a way of each choice. *)
Fixpoint has_way (A : int -> bool) (w : way) : bool :=
  match w with Way c rest => A c && forallb (existsb (has_way A)) rest end.
Definition meets (A : int -> bool) (gs : plan) : bool := forallb (existsb (has_way A)) gs.

Fixpoint disjoint (gs : plan) : bool :=
  match gs with
  | [] => true
  | g :: gs => forallb (fun c => negb (is_in c (carrier gs))) (choice_carrier g) && disjoint gs
  end.
(** Whichever cell the other side takes, a way is left. *)
Definition left_over (g : choice) : bool :=
  match g with [] => false | _ => forallb (fun c => existsb (fun w => negb (is_in c (way_carrier w))) g) (choice_carrier g) end.
Fixpoint way_valid (w : way) : bool :=
  match w with
  | Way c rest => negb (is_in c (carrier rest)) && disjoint rest && forallb (fun g => left_over g && forallb way_valid g) rest
  end.
Definition choice_valid (g : choice) : bool := left_over g && forallb way_valid g.
Definition valid (gs : plan) : bool := disjoint gs && forallb choice_valid gs.

(** * What the owner gets *)
Lemma has_way_all : forall A w, way_valid w = true -> (forall c, In c (way_carrier w) -> A c = true) -> has_way A w = true.
Proof.
  intros A w. induction w as [c rest IH] using way_induction. intros V C. simpl in *.
  rewrite C by auto. simpl. apply forallb_forall. intros g Ig.
  rewrite !andb_true_iff in V. destruct V as [_ V]. rewrite forallb_forall in V. specialize (V g Ig).
  rewrite andb_true_iff in V. destruct V as [L V]. destruct g as [|w g]; [discriminate|].
  apply existsb_exists. exists w. split; [left; reflexivity|].
  rewrite Forall_forall in IH. specialize (IH _ Ig). rewrite Forall_forall in IH. apply IH; [left; reflexivity| |].
  - rewrite forallb_forall in V. apply V. left. reflexivity.
  - intros d Id. apply C. right. apply in_flat_map. exists (w :: g). split; auto. simpl. apply in_app_iff. auto.
Qed.

Lemma left_over_one : forall g c, left_over g = true -> exists w, In w g /\ ~ In c (way_carrier w).
Proof.
  intros g c L. destruct (is_in c (choice_carrier g)) eqn:E.
  - unfold left_over in L. destruct g as [|w g]; [discriminate|]. rewrite forallb_forall in L. apply is_in_ok in E.
    specialize (L c E). apply existsb_exists in L. destruct L as [v [Iv N]]. exists v. split; auto.
    apply negb_true_iff in N. apply not_in in N. exact N.
  - apply not_in in E. destruct g as [|w g]; [discriminate|]. exists w. split; [left; reflexivity|].
    intro I. apply E. unfold choice_carrier. simpl. apply in_app_iff. auto.
Qed.

(** Whichever cell the other side holds, the rest of the carrier meets the plan. *)
Lemma meets_without : forall gs c A, valid gs = true ->
  (forall d, In d (carrier gs) -> d <> c -> A d = true) -> meets A gs = true.
Proof.
  intros gs c A V C. unfold valid in V. apply andb_true_iff in V. destruct V as [_ V]. rewrite forallb_forall in V.
  apply forallb_forall. intros g Ig. specialize (V g Ig). unfold choice_valid in V. apply andb_true_iff in V.
  destruct V as [L V]. destruct (left_over_one g c L) as [w [Iw N]]. apply existsb_exists. exists w. split; auto.
  rewrite forallb_forall in V. apply has_way_all; auto. intros d Id. apply C.
  - apply in_flat_map. exists g. split; auto. apply in_flat_map. eauto.
  - intro K. subst. auto.
Qed.

Lemma disjoint_app : forall a b, disjoint a = true -> disjoint b = true ->
  (forall c, In c (carrier a) -> ~ In c (carrier b)) -> disjoint (a ++ b) = true.
Proof.
  induction a as [|g a IH]; simpl; intros b A B N; auto. apply andb_true_iff in A. destruct A as [G A].
  rewrite forallb_forall in G. apply andb_true_iff. split.
  - apply forallb_forall. intros c Ic. specialize (G c Ic). apply negb_true_iff in G. apply not_in in G.
    apply negb_true_iff. apply not_in. unfold carrier in *. rewrite flat_map_app. rewrite in_app_iff.
    intros [K|K]; auto. apply (N c); auto. apply in_app_iff. auto.
  - apply IH; auto. intros c Ic. apply N. apply in_app_iff. auto.
Qed.

Lemma max_in : forall (f : way -> nat) g w, In w g -> (f w <= most (map f g))%nat.
Proof.
  induction g as [|v g IH]; simpl; intros w I; [destruct I|]. destruct (Nat.leb_spec (f v) (most (map f g))).
  - destruct I as [I|I]; [subst; lia|]. apply IH. exact I.
  - destruct I as [I|I]; [subst; lia|]. specialize (IH w I). lia.
Qed.

(** The owner's answer when the other side has taken the cell c: a stone on e, and a plan for the rest. *)
Theorem answer : forall gs c, valid gs = true -> gs <> [] -> exists e rest,
  valid rest = true /\ In e (carrier gs) /\ e <> c /\ ~ In e (carrier rest) /\ ~ In c (carrier rest) /\
  (forall d, In d (carrier rest) -> In d (carrier gs)) /\ (S (moves rest) <= moves gs)%nat /\
  forall A, A e = true -> meets A rest = true -> meets A gs = true.
Proof.
  induction gs as [|g gs IH]; intros c V NE; [congruence|]. clear NE.
  unfold valid in V. simpl in V. rewrite !andb_true_iff in V. destruct V as [[Ap D] [Gv V]].
  assert (Ap' : forall d, In d (choice_carrier g) -> ~ In d (carrier gs)).
  { intros d Id. rewrite forallb_forall in Ap. specialize (Ap d Id). apply negb_true_iff in Ap. apply not_in in Ap. exact Ap. }
  assert (Vg : valid gs = true) by (unfold valid; rewrite D, V; reflexivity).
  destruct (is_in c (carrier gs)) eqn:E.
  - apply is_in_ok in E. destruct (IH c Vg) as [e [rest [Vr [Ie [Ne [Nr [Nc [Sub [M K]]]]]]]]].
    { intro Z. subst. destruct E. }
    exists e, (g :: rest). unfold valid in *. apply andb_true_iff in Vr. destruct Vr as [Dr Vr]. repeat split.
    + simpl. rewrite Dr, Gv, Vr. rewrite andb_true_r. rewrite andb_true_r. apply forallb_forall. intros d Id.
      apply negb_true_iff. apply not_in. intro I. apply (Ap' d Id). auto.
    + simpl. apply in_app_iff. auto.
    + exact Ne.
    + simpl. rewrite in_app_iff. intros [I|I]; auto. apply (Ap' e I). exact Ie.
    + simpl. rewrite in_app_iff. intros [I|I]; auto. apply (Ap' c I). exact E.
    + simpl. intros d. rewrite !in_app_iff. intros [I|I]; auto.
    + unfold moves in *. simpl. lia.
    + intros A Ae Me. simpl in Me. apply andb_true_iff in Me. destruct Me as [Mg Mr]. simpl. rewrite Mg. simpl. apply K; auto.
  - apply not_in in E. unfold choice_valid in Gv. apply andb_true_iff in Gv. destruct Gv as [L Wv].
    destruct (left_over_one g c L) as [[e rest] [Iw Nc]]. rewrite forallb_forall in Wv. specialize (Wv _ Iw).
    simpl in Wv. rewrite !andb_true_iff in Wv. destruct Wv as [[Nr Dr] Vr]. apply negb_true_iff in Nr. apply not_in in Nr.
    assert (Sub : forall d, In d (e :: carrier rest) -> In d (choice_carrier g)).
    { intros d I. apply in_flat_map. exists (Way e rest). split; auto. }
    exists e, (rest ++ gs). unfold carrier in *. repeat split.
    + unfold valid. apply andb_true_iff. split.
      * apply disjoint_app; auto. intros d Id. apply Ap'. apply Sub. right. exact Id.
      * rewrite forallb_app. apply andb_true_iff. split; auto.
    + simpl. apply in_app_iff. left. apply Sub. left. reflexivity.
    + intro Z. subst. apply Nc. simpl. auto.
    + rewrite flat_map_app, in_app_iff. intros [I|I]; auto. apply (Ap' e); auto. apply Sub. left. reflexivity.
    + rewrite flat_map_app, in_app_iff. intros [I|I]; auto. apply Nc. simpl. right. exact I.
    + intros d. rewrite flat_map_app. simpl. rewrite !in_app_iff. intros [I|I]; auto. left. apply Sub. right. exact I.
    + unfold moves. simpl. rewrite map_app, list_sum_app. pose proof (max_in way_moves g _ Iw) as X.
      change (S (list_sum (map choice_moves rest)) <= choice_moves g)%nat in X.
      exact (proj1 (PeanoNat.Nat.add_le_mono_r _ _ _) X).
    + intros A Ae Me. unfold meets in *. rewrite forallb_app in Me. apply andb_true_iff in Me. destruct Me as [Mr Mg].
      simpl. rewrite Mg, andb_true_r. apply existsb_exists. exists (Way e rest). split; auto. simpl. rewrite Ae. exact Mr.
Qed.

(** * Scripts *)
Inductive script :=
| Done
| Touch (u v : int) (next : script)                               (* u and v touch *)
| Case (i : nat) (x y : int) (each : scripts) (next : script)     (* x and y are joined under each way of choice i *)
with scripts := No_script | A_script (s : script) (more : scripts).
Scheme script_min := Minimality for script Sort Prop with scripts_min := Minimality for scripts Sort Prop.
Scheme script_mut := Induction for script Sort Prop with scripts_mut := Induction for scripts Sort Prop.
Combined Scheme script_both from script_mut, scripts_mut.

Section Scripts.
(** Cells that touch if both are held. *)
Variable near : int -> int -> bool.

Inductive joined (A : int -> bool) : int -> int -> Prop :=
| j_refl : forall u, joined A u u
| j_sym : forall u v, joined A u v -> joined A v u
| j_trans : forall u v w, joined A u v -> joined A v w -> joined A u w
| j_near : forall u v, A u = true -> A v = true -> near u v = true -> joined A u v.

(** Cells with the same label are joined. *)
Definition labels := int -> int.
Definition merge (l : labels) (u v : int) : labels :=
  let a := l u in let b := l v in fun c => let k := l c in if k =? a then b else k.
Definition sound (A : int -> bool) (l : labels) : Prop := forall u v, l u = l v -> joined A u v.

Lemma merge_sound : forall A l u v, sound A l -> joined A u v -> sound A (merge l u v).
Proof.
  intros A l u v S J c d E. unfold merge in E.
  destruct (l c =? l u) eqn:C; destruct (l d =? l u) eqn:D;
    repeat match goal with K : (_ =? _) = true |- _ => apply Uint63.eqb_correct in K end.
  - apply S. congruence.
  - apply j_trans with u; [apply S; exact C|]. apply j_trans with v; [exact J|]. apply S. exact E.
  - apply j_trans with v; [apply S; exact E|]. apply j_trans with u; [apply j_sym; exact J|]. apply S. symmetry. exact D.
  - apply S. exact E.
Qed.

(** [held]: what the owner holds; [gs]: choices of which it gets a way each. *)
Fixpoint run (held : int -> bool) (gs : plan) (l : labels) (s : script) : option labels :=
  match s with
  | Done => Some l
  | Touch u v s => if held u && held v && near u v then run held gs (merge l u v) s else None
  | Case i x y each s =>
    match nth_error gs i with
    | None => None
    | Some g => if run_each held gs l each x y g then run held gs (merge l x y) s else None
    end
  end
with run_each (held : int -> bool) (gs : plan) (l : labels) (each : scripts) (x y : int) (g : choice) : bool :=
  match each, g with
  | No_script, [] => true
  | A_script s each, Way e rest :: g =>
    match run (fun c => (c =? e) || held c) (rest ++ gs) l s with
    | Some k => (k x =? k y) && run_each held gs l each x y g
    | None => false
    end
  | _, _ => false
  end.

Lemma run_both :
  (forall s held gs l k, run held gs l s = Some k -> forall A, (forall c, held c = true -> A c = true) ->
     meets A gs = true -> sound A l -> sound A k) /\
  (forall each held gs l x y g, run_each held gs l each x y g = true -> forall A, (forall c, held c = true -> A c = true) ->
     meets A gs = true -> sound A l -> existsb (has_way A) g = true -> joined A x y).
Proof.
  apply script_both.
  - intros held gs l k R A Hd M S. simpl in R. inversion R; subst. exact S.
  - intros u v s IH held gs l k R A Hd M S. simpl in R. destruct (held u && held v && near u v) eqn:E; [|discriminate].
    rewrite !andb_true_iff in E. destruct E as [[Eu Ev] En]. eapply IH; eauto. apply merge_sound; auto. apply j_near; auto.
  - intros i x y each IHe s IH held gs l k R A Hd M S. simpl in R. destruct (nth_error gs i) as [g|] eqn:N; [|discriminate].
    destruct (run_each held gs l each x y g) eqn:E; [|discriminate]. eapply IH; eauto. apply merge_sound; auto.
    eapply IHe; eauto. unfold meets in M. rewrite forallb_forall in M. apply M. eapply nth_error_In; eauto.
  - intros held gs l x y g R A Hd M S G. destruct g; [discriminate|]. simpl in R. discriminate.
  - intros s IHs each IHe held gs l x y g R A Hd M S G. destruct g as [|[e rest] g]; [discriminate|].
    simpl in R. destruct (run _ _ l s) as [k|] eqn:Rs; [|discriminate]. apply andb_true_iff in R. destruct R as [Exy R].
    cbn [existsb] in G. apply orb_true_iff in G. destruct G as [G|G].
    + simpl in G. apply andb_true_iff in G. destruct G as [Ae Mr]. apply Uint63.eqb_correct in Exy.
      eapply (IHs _ _ _ _ Rs A); [| |exact S|exact Exy].
      * intros c C. apply orb_true_iff in C. destruct C as [C|C]; [|auto]. apply Uint63.eqb_correct in C. subst. exact Ae.
      * unfold meets. rewrite forallb_app. apply andb_true_iff. split; auto.
    + eapply IHe; eauto.
Qed.

Theorem run_sound : forall s held gs l k, run held gs l s = Some k -> forall A, (forall c, held c = true -> A c = true) ->
  meets A gs = true -> sound A l -> sound A k.
Proof. exact (proj1 run_both). Qed.

Lemma sound_first : forall A, sound A (fun c => c).
Proof. intros A u v E. subst. apply j_refl. Qed.
End Scripts.
