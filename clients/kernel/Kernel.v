(** The kernel: what a certificate claims, when it is accepted, and a proof that what is accepted holds.

    A game is a set of positions with a side to move, an end and successors (Record [game]). A certificate is a list of
    facts: the player of a bound ("First gets at least b", "First gets at most b") can force it within [rank] plies, or
    for ever where there is no rank (CERTIFICATE.md, "What makes a certificate true"). [verify] accepts a certificate;
    [verify_sound] says that the player of the bound then has a way to enforce it, whatever the other side does. *)
From Coq Require Import Uint63 List Bool ZArith Lia FMapAVL OrderedType.
Import ListNotations.
Local Open Scope uint63_scope.

(** * Tables with integers as keys *)
Module IntOrder <: OrderedType.
  Definition t := int.
  Definition eq (a b : int) := a = b.
  Definition lt (a b : int) := (a <? b) = true.
  Lemma eq_refl : forall x, eq x x. Proof. reflexivity. Qed.
  Lemma eq_sym : forall x y, eq x y -> eq y x. Proof. unfold eq; auto. Qed.
  Lemma eq_trans : forall x y z, eq x y -> eq y z -> eq x z. Proof. unfold eq; congruence. Qed.
  Lemma lt_trans : forall x y z, lt x y -> lt y z -> lt x z.
  Proof. unfold lt; intros x y z; rewrite !ltb_spec; lia. Qed.
  Lemma lt_not_eq : forall x y, lt x y -> ~ eq x y.
  Proof. unfold lt, eq; intros x y H E; subst; rewrite ltb_spec in H; lia. Qed.
  Definition compare (x y : int) : Compare lt eq x y.
  Proof.
    destruct (x <? y) eqn:L; [apply LT; exact L|].
    destruct (x =? y) eqn:E; [apply EQ; apply Uint63.eqb_correct; exact E|].
    apply GT. unfold lt. rewrite ltb_spec.
    assert (~ (to_Z x < to_Z y)%Z) by (rewrite <- ltb_spec; congruence).
    assert (to_Z x <> to_Z y)
      by (intro K; apply to_Z_inj in K; subst; rewrite Uint63.eqb_refl in E; discriminate).
    lia.
  Defined.
  Definition eq_dec (x y : int) : {eq x y} + {~ eq x y}.
  Proof.
    destruct (x =? y) eqn:E; [left; apply Uint63.eqb_correct; exact E|right; intro K].
    unfold eq in K; subst; rewrite Uint63.eqb_refl in E; discriminate.
  Defined.
End IntOrder.
Module Map := FMapAVL.Make IntOrder.

(** * Games *)
Record game := Game {
  pos : Type;
  eqb_pos : pos -> pos -> bool;
  eqb_ok : forall p q, eqb_pos p q = true -> p = q;
  hash : pos -> int;                (* any function will do: it decides about speed alone *)
  first : pos -> bool;              (* First is to move *)
  over : pos -> option int;         (* the value for First when the game is over; 0 is the worst *)
  succ : pos -> list (int * pos)    (* the legal moves: code of the move, position after it *)
}.
Arguments eqb_pos {_} _ _. Arguments hash {_} _. Arguments first {_} _. Arguments over {_} _. Arguments succ {_} _.

(** A bound [b] with [low]: First gets at least b; without: First gets at most b. *)
Definition within (low : bool) (b v : int) : bool := if low then b <=? v else v <=? b.
Definition stronger (low : bool) (c b : int) : bool := if low then b <=? c else c <=? b.

Lemma stronger_within : forall low c b v, stronger low c b = true -> within low c v = true -> within low b v = true.
Proof. unfold stronger, within; intros [] c b v; rewrite !leb_spec; lia. Qed.
Lemma stronger_trans : forall low a b c, stronger low a b = true -> stronger low b c = true -> stronger low a c = true.
Proof. unfold stronger; intros [] a b c; rewrite !leb_spec; lia. Qed.
Lemma stronger_refl : forall low b, stronger low b b = true.
Proof. unfold stronger; intros [] b; rewrite leb_spec; lia. Qed.

Section Claims.
Variable G : game.

(** The player of the bound is to move. *)
Definition mine (low : bool) (p : pos G) : bool := Bool.eqb low (first p).

(** The player of the bound can force an end within the bound in at most n plies. *)
Inductive forces (low : bool) (b : int) : nat -> pos G -> Prop :=
| forces_end : forall n p v, over p = Some v -> within low b v = true -> forces low b n p
| forces_mine : forall n p m q, over p = None -> mine low p = true -> In (m, q) (succ p) ->
    forces low b n q -> forces low b (S n) p
| forces_theirs : forall n p, over p = None -> mine low p = false -> succ p <> [] ->
    (forall m q, In (m, q) (succ p) -> forces low b n q) -> forces low b (S n) p.

(** The player of the bound can see to it that the game ends within the bound or goes on for ever. *)
CoInductive keeps (low : bool) (b : int) : pos G -> Prop :=
| keeps_end : forall p v, over p = Some v -> within low b v = true -> keeps low b p
| keeps_mine : forall p m q, over p = None -> mine low p = true -> In (m, q) (succ p) ->
    keeps low b q -> keeps low b p
| keeps_theirs : forall p, over p = None -> mine low p = false -> succ p <> [] ->
    (forall m q, In (m, q) (succ p) -> keeps low b q) -> keeps low b p.

(** The definitions contradict each other where they should: both sides cannot have their way. *)
Theorem consistent : forall b c n p, forces true b n p -> keeps false c p -> (to_Z b <= to_Z c)%Z.
Proof.
  intros b c n p H; induction H as [n p v O V|n p m q O M I F IH|n p O M NE F IH]; intros K;
    inversion K as [p' v' O' V'|p' m' q' O' M' I' K'|p' O' M' NE' K']; subst; try congruence;
    unfold mine in *; try (destruct (first p); discriminate).
  - rewrite O in O'; inversion O'; subst. unfold within in *. rewrite leb_spec in V, V'. lia.
  - eauto.
  - eauto.
Qed.

Lemma forces_more : forall low b n p, forces low b n p -> forall k, (n <= k)%nat -> forces low b k p.
Proof.
  intros low b n p H; induction H as [n p v O V|n p m q O M I F IH|n p O M NE F IH]; intros k L.
  - eapply forces_end; eauto.
  - destruct k as [|k]; [lia|]. eapply forces_mine; eauto. apply IH; lia.
  - destruct k as [|k]; [lia|]. apply forces_theirs; auto. intros m q I; eapply IH; eauto; lia.
Qed.

Lemma forces_weaken : forall low c b n p, stronger low c b = true -> forces low c n p -> forces low b n p.
Proof.
  intros low c b n p W H. induction H.
  - eapply forces_end; eauto. eapply stronger_within; eauto.
  - eapply forces_mine; eauto.
  - eapply forces_theirs; eauto.
Qed.

Lemma forces_keeps : forall low b n p, forces low b n p -> keeps low b p.
Proof. intros low b n p H. induction H; [eapply keeps_end|eapply keeps_mine|eapply keeps_theirs]; eauto. Qed.

(** Symmetries: maps under which the game looks the same. *)
Record symmetric (s : pos G -> pos G) : Prop := {
  s_first : forall p, first (s p) = first p;
  s_over : forall p, over (s p) = over p;
  s_forth : forall p m q, In (m, q) (succ p) -> exists m', In (m', s q) (succ (s p));
  s_back : forall p m q', In (m, q') (succ (s p)) -> exists m' q, q' = s q /\ In (m', q) (succ p)
}.

Lemma forces_image : forall s, symmetric s -> forall low b n p', forces low b n p' -> forall p, p' = s p -> forces low b n p.
Proof.
  intros s [Sf So Sfo Sba] low b n p' H; induction H as [n p' v O V|n p' m q' O M I F IH|n p' O M NE F IH];
    intros p E; subst p'; rewrite So in O.
  - eapply forces_end; eauto.
  - destruct (Sba _ _ _ I) as [m' [q [Eq I']]]. eapply forces_mine; eauto.
    unfold mine in *. rewrite Sf in M. exact M.
  - apply forces_theirs; auto.
    + unfold mine in *. rewrite Sf in M. exact M.
    + intro E. destruct (succ (s p)) as [|[m q'] l] eqn:Su; [congruence|].
      destruct (Sba p m q') as [m' [q [_ I']]]; [rewrite Su; left; reflexivity|]. rewrite E in I'. destruct I'.
    + intros m q I. destruct (Sfo _ _ _ I) as [m' I']. eapply IH; eauto.
Qed.

Lemma symmetric_id : symmetric (fun p => p).
Proof. split; eauto. Qed.
Lemma symmetric_compose : forall s t, symmetric s -> symmetric t -> symmetric (fun p => t (s p)).
Proof.
  intros s t [Sf So Sfo Sba] [Tf To Tfo Tba]. split; intros.
  - rewrite Tf; auto.
  - rewrite To; auto.
  - destruct (Sfo _ _ _ H) as [m' I]. eauto.
  - destruct (Tba _ _ _ H) as [m' [r [E I]]]. destruct (Sba _ _ _ I) as [m2 [q [E2 I2]]]. subst. eauto.
Qed.
End Claims.
Arguments mine {_} _ _. Arguments forces {_} _ _ _ _. Arguments keeps {_} _ _ _. Arguments symmetric {_} _.

(** A game with what is known of it: symmetries, and cards, each kind of which is a theorem about the game. [plies] is
    the number of plies within which a card forces the bound at a position; None: it does not. *)
Record theory := Theory {
  rules :> game;
  images : list (pos rules -> pos rules);
  images_ok : forall s, In s images -> symmetric s;
  card : Type;
  plies : card -> bool -> int -> pos rules -> option int;
  plies_ok : forall c low b p n, plies c low b p = Some n -> forces low b (Z.to_nat (to_Z n)) p
}.
Arguments plies {_} _ _ _ _.

(** * Certificates *)
Section Certificates.
Variable G : theory.

Inductive reason :=
| Move (m : int)       (* the player of the bound makes this move *)
| Replies              (* every move of the other side *)
| Known (c : card G).  (* a theorem *)
Record fact := Fact { f_at : pos G; f_low : bool; f_b : int; f_rank : int (* 0: none *); f_why : reason }.

Definition table := Map.t (list fact).
Definition bucket (T : table) (k : int) : list fact := match Map.find k T with Some l => l | None => [] end.
Definition insert (T : table) (f : fact) : table := let k := hash (f_at f) in Map.add k (f :: bucket T k) T.
Definition build (l : list fact) : table := fold_left insert l (Map.empty _).

Lemma find_add : forall (A : Type) (m : Map.t A) k k' v,
  Map.find k' (Map.add k v m) = if k =? k' then Some v else Map.find k' m.
Proof.
  intros. destruct (k =? k') eqn:E.
  - apply Uint63.eqb_correct in E; subst. apply Map.find_1. apply Map.add_1. reflexivity.
  - assert (N : k <> k') by (intro; subst; rewrite Uint63.eqb_refl in E; discriminate).
    destruct (Map.find k' m) eqn:F.
    + apply Map.find_1. apply Map.add_2; [exact N|]. apply Map.find_2. exact F.
    + destruct (Map.find k' (Map.add k v m)) eqn:F'; auto.
      apply Map.find_2 in F'. apply Map.add_3 in F'; auto. apply Map.find_1 in F'. congruence.
Qed.

Lemma bucket_build : forall l T k f, In f (bucket (fold_left insert l T) k) -> In f l \/ In f (bucket T k).
Proof.
  induction l as [|g l IH]; simpl; intros T k f H; auto.
  apply IH in H. destruct H as [H|H]; auto.
  unfold insert in H. unfold bucket at 1 in H. rewrite find_add in H.
  destruct (hash (f_at g) =? k) eqn:E; auto.
  apply Uint63.eqb_correct in E; subst. destruct H as [H|H]; auto.
Qed.
Lemma build_in : forall l k f, In f (bucket (build l) k) -> In f l.
Proof.
  intros l k f H. apply bucket_build in H. destruct H as [H|H]; auto.
  unfold bucket in H. change (Map.find k (Map.empty (list fact))) with (@None (list fact)) in H. destruct H.
Qed.

Section Check.
Variable T : table.

(** The rule of ranks: a fact with a rank rests only on facts with a smaller one. *)
Definition supports (f : fact) (q : pos G) (g : fact) : bool :=
  eqb_pos (f_at g) q && Bool.eqb (f_low g) (f_low f) && stronger (f_low f) (f_b g) (f_b f) &&
  ((f_rank f =? 0) || (negb (f_rank g =? 0) && (f_rank g <? f_rank f))).
Definition recorded (f : fact) (q : pos G) : bool := existsb (supports f q) (bucket T (hash q)).
Definition ends_within (low : bool) (b : int) (q : pos G) : bool :=
  match over q with Some v => within low b v | None => false end.
(** The player of the bound is to move and ends the game at once. *)
Definition wins_at_once (f : fact) (q : pos G) : bool :=
  ((f_rank f =? 0) || (1 <? f_rank f)) && mine (f_low f) q &&
  existsb (fun mq => ends_within (f_low f) (f_b f) (snd mq)) (succ q).
Definition child_ok (f : fact) (q : pos G) : bool :=
  match over q with
  | Some v => within (f_low f) (f_b f) v
  | None => recorded f q || existsb (fun s => recorded f (s q)) (images G) || wins_at_once f q
  end.
Definition fact_ok (f : fact) : bool :=
  match over (f_at f) with
  | Some _ => false
  | None =>
    match f_why f with
    | Known c => match plies c (f_low f) (f_b f) (f_at f) with
                 | Some n => (f_rank f =? 0) || (n <=? f_rank f)
                 | None => false
                 end
    | Move m => mine (f_low f) (f_at f) &&
                existsb (fun mq => (fst mq =? m) && child_ok f (snd mq)) (succ (f_at f))
    | Replies => negb (mine (f_low f) (f_at f)) &&
                 match succ (f_at f) with [] => false | l => forallb (fun mq => child_ok f (snd mq)) l end
    end
  end.
End Check.

Definition rank_nat (f : fact) : nat := Z.to_nat (to_Z (f_rank f)).

Section Sound.
Variable l : list fact.
Hypothesis all_ok : forallb (fact_ok (build l)) l = true.

Lemma each_ok : forall f, In f l -> fact_ok (build l) f = true.
Proof. intros f H. rewrite forallb_forall in all_ok. auto. Qed.

Lemma recorded_fact : forall f q, recorded (build l) f q = true ->
  exists g, In g l /\ f_at g = q /\ f_low g = f_low f /\ stronger (f_low f) (f_b g) (f_b f) = true /\
    ((f_rank f =? 0) = false -> (f_rank g =? 0) = false /\ (to_Z (f_rank g) < to_Z (f_rank f))%Z).
Proof.
  intros f q H. unfold recorded in H. apply existsb_exists in H. destruct H as [g [I S]]. exists g.
  apply build_in in I. unfold supports in S. rewrite !andb_true_iff in S. destruct S as [[[E L] St] R].
  apply eqb_ok in E. apply Bool.eqb_prop in L. repeat split; auto; rewrite H in R; simpl in R;
    apply andb_true_iff in R; destruct R as [R1 R2].
  - destruct (f_rank g =? 0); auto; discriminate.
  - apply ltb_spec; auto.
Qed.

Lemma wins_at_once_forces : forall f q, over q = None -> wins_at_once f q = true -> forces (f_low f) (f_b f) 1 q.
Proof.
  intros f q O H. unfold wins_at_once in H. rewrite !andb_true_iff in H. destruct H as [[_ M] E].
  apply existsb_exists in E. destruct E as [[m r] [I E]]. unfold ends_within in E. simpl in E.
  destruct (over r) eqn:Or; [|discriminate]. eapply forces_mine; eauto. eapply forces_end; eauto.
Qed.

Lemma nonzero_rank : forall f, (f_rank f =? 0) = false -> (0 < to_Z (f_rank f))%Z.
Proof.
  intros f R. pose proof (to_Z_bounded (f_rank f)).
  assert (to_Z (f_rank f) <> 0%Z); [|lia]. intro Z. change 0%Z with (to_Z 0) in Z. apply to_Z_inj in Z.
  rewrite Z in R. discriminate.
Qed.

(** Facts with a rank hold within so many plies. *)
Theorem ranked_sound : forall f, In f l -> (f_rank f =? 0) = false -> forces (f_low f) (f_b f) (rank_nat f) (f_at f).
Proof.
  assert (W : forall z, (0 <= z)%Z -> forall f, to_Z (f_rank f) = z -> In f l -> (f_rank f =? 0) = false ->
              forces (f_low f) (f_b f) (rank_nat f) (f_at f)).
  { intros z Hz. pattern z. apply Z_lt_induction; auto. clear z Hz. intros z IH f Ez I R.
    pose proof (nonzero_rank f R) as P.
    set (k := Z.to_nat (z - 1)).
    assert (K : rank_nat f = S k) by (unfold rank_nat, k; rewrite Ez; lia).
    assert (D : forall q, recorded (build l) f q = true -> forces (f_low f) (f_b f) k q).
    { intros q H. apply recorded_fact in H. destruct H as [g [Ig [Eg [Lg [Sg Rg]]]]].
      destruct (Rg R) as [R1 R2]. subst q. rewrite <- Lg. eapply forces_weaken; [rewrite Lg; exact Sg|].
      eapply forces_more.
      - eapply IH with (y := to_Z (f_rank g)); eauto. pose proof (to_Z_bounded (f_rank g)). lia.
      - unfold rank_nat, k. pose proof (to_Z_bounded (f_rank g)). lia. }
    assert (C : forall q, child_ok (build l) f q = true -> forces (f_low f) (f_b f) k q).
    { intros q H. unfold child_ok in H. destruct (over q) eqn:O; [eapply forces_end; eauto|].
      rewrite !orb_true_iff in H. destruct H as [[H|H]|H]; auto.
      - apply existsb_exists in H. destruct H as [s [Is H]].
        eapply forces_image; [apply (images_ok G); exact Is| |reflexivity]. auto.
      - pose proof (wins_at_once_forces f q O H) as F. eapply forces_more; [exact F|].
        unfold wins_at_once in H. rewrite R in H. simpl in H. rewrite !andb_true_iff in H.
        destruct H as [[H _] _]. apply ltb_spec in H. change (to_Z 1) with 1%Z in H. unfold k. lia. }
    pose proof (each_ok f I) as F. unfold fact_ok in F.
    destruct (over (f_at f)) eqn:O; [discriminate|]. destruct (f_why f) as [m| |c].
    - apply andb_true_iff in F. destruct F as [M F]. apply existsb_exists in F. destruct F as [[c q] [Iq F]].
      apply andb_true_iff in F. destruct F as [_ F]. rewrite K. eapply forces_mine; eauto.
    - apply andb_true_iff in F. destruct F as [M F]. apply negb_true_iff in M. rewrite K.
      apply forces_theirs; auto; destruct (succ (f_at f)) as [|mq tl] eqn:Su; try discriminate.
      intros m q Iq. apply C. rewrite forallb_forall in F. apply (F (m, q)). exact Iq.
    - destruct (plies c (f_low f) (f_b f) (f_at f)) as [n|] eqn:Pl; [|discriminate]. rewrite R in F. simpl in F.
      apply leb_spec in F. eapply forces_more; [eapply plies_ok; eauto|].
      unfold rank_nat. pose proof (to_Z_bounded n). lia. }
  intros f I R. eapply W with (z := to_Z (f_rank f)); eauto. pose proof (to_Z_bounded (f_rank f)); lia.
Qed.

(** All facts hold where infinite play is allowed. [holds]: what is shown of a position, by a fact about an image of it or
    by a finite win. *)
Definition holds (low : bool) (b : int) (p : pos G) : Prop :=
  (exists n, forces low b n p) \/
  exists s f, symmetric s /\ In f l /\ f_at f = s p /\ f_low f = low /\ stronger low (f_b f) b = true.

Lemma holds_image : forall low b s p, symmetric s -> holds low b (s p) -> holds low b p.
Proof.
  intros low b s p Ss [[n F]|[t [f [St [I [E R]]]]]].
  - left. exists n. eapply forces_image; eauto.
  - right. exists (fun p => t (s p)), f. split; auto. apply symmetric_compose; auto.
Qed.

Lemma child_holds : forall f b q, stronger (f_low f) (f_b f) b = true -> child_ok (build l) f q = true ->
  holds (f_low f) b q.
Proof.
  intros f b q St H.
  assert (D : forall r, recorded (build l) f r = true -> holds (f_low f) b r).
  { intros r K. apply recorded_fact in K. destruct K as [g [Ig [Eg [Lg [Sg _]]]]]. right.
    exists (fun p => p), g. split; [apply symmetric_id|]. repeat split; auto. eapply stronger_trans; eauto. }
  unfold child_ok in H. destruct (over q) eqn:O.
  { left. exists 0%nat. eapply forces_end; eauto. eapply stronger_within; eauto. }
  rewrite !orb_true_iff in H. destruct H as [[H|H]|H]; auto.
  - apply existsb_exists in H. destruct H as [s [Is H]]. eapply holds_image; [apply (images_ok G); exact Is|auto].
  - left. exists 1%nat. eapply forces_weaken; eauto. apply wins_at_once_forces; auto.
Qed.

Lemma keeps_by : forall low b (R : pos G -> Prop),
  (forall p, R p ->
    (exists v, over p = Some v /\ within low b v = true) \/
    (over p = None /\ mine low p = true /\ exists m q, In (m, q) (succ p) /\ R q) \/
    (over p = None /\ mine low p = false /\ succ p <> [] /\ forall m q, In (m, q) (succ p) -> R q)) ->
  forall p, R p -> keeps low b p.
Proof.
  intros low b R S. cofix CH. intros p Rp.
  destruct (S p Rp) as [[v [O V]]|[[O [M [m [q [I Q]]]]]|[O [M [NE Q]]]]].
  - eapply keeps_end; eauto.
  - apply (@keeps_mine G low b p m q); auto.
  - apply (@keeps_theirs G low b p); auto. intros m q I. apply CH. eapply Q; eauto.
Qed.

Lemma holds_keeps : forall low b p, holds low b p -> keeps low b p.
Proof.
  intros low b. apply keeps_by. intros p [[n F]|[s [f [Ss [I [E [L St]]]]]]].
  - inversion F as [n' p' v O V|n' p' m q O M I F'|n' p' O M NE F']; subst.
    + left. eauto.
    + right. left. repeat split; auto. exists m, q. split; auto. left. eauto.
    + right. right. repeat split; auto. intros m q I. left. eauto.
  - destruct Ss as [Sf So Sfo Sba] eqn:Es. clear Es.
    assert (Sy : symmetric s) by (split; auto).
    pose proof (each_ok f I) as F. unfold fact_ok in F. rewrite E in F. subst low.
    destruct (over (s p)) eqn:O; [discriminate|]. rewrite So in O.
    assert (M : mine (f_low f) (s p) = mine (f_low f) p) by (unfold mine; rewrite Sf; reflexivity).
    destruct (f_why f) as [m| |c].
    + right. left. apply andb_true_iff in F. destruct F as [Mi F]. rewrite <- M. repeat split; auto.
      apply existsb_exists in F. destruct F as [[k q'] [Iq F]]. apply andb_true_iff in F. destruct F as [_ F].
      destruct (Sba _ _ _ Iq) as [m' [q [Eq Ip]]]. simpl in F. subst q'. exists m', q. split; auto.
      apply (holds_image _ _ s); auto. apply child_holds; auto.
    + right. right. apply andb_true_iff in F. destruct F as [Mi F]. apply negb_true_iff in Mi. rewrite <- M.
      repeat split; auto.
      * intro Z. destruct (succ (s p)) as [|[k q'] tl] eqn:Su; [discriminate|].
        destruct (Sba p k q') as [m' [q [_ Ip]]]; [rewrite Su; left; reflexivity|]. rewrite Z in Ip. destruct Ip.
      * intros m q Iq. destruct (Sfo _ _ _ Iq) as [m' I']. apply (holds_image _ _ s); auto. apply child_holds; auto.
        destruct (succ (s p)) as [|mq tl] eqn:Su; [discriminate|].
        rewrite forallb_forall in F. apply (F (m', s q)). exact I'.
    + destruct (plies c (f_low f) (f_b f) (s p)) as [n|] eqn:Pl; [|discriminate].
      apply plies_ok in Pl. apply (forces_image _ _ Sy) with (p := p) in Pl; auto.
      apply (forces_weaken _ _ _ b) in Pl; auto.
      inversion Pl as [n' p' v Ov V|n' p' m q Op Mi Iq F'|n' p' Op Mi NE F']; subst.
      * congruence.
      * right. left. repeat split; auto. exists m, q. split; auto. left. eauto.
      * right. right. repeat split; auto. intros m q Iq. left. eauto.
Qed.

Theorem unranked_sound : forall f, In f l -> keeps (f_low f) (f_b f) (f_at f).
Proof.
  intros f I. apply holds_keeps. right. exists (fun p => p), f. split; [apply symmetric_id|].
  repeat split; auto. apply stronger_refl.
Qed.
End Sound.

(** Checks a claim about a root. The result is the number of plies within which the claim is decided; 0 if it is only
    known to hold where the game may go on for ever; None if it is refused. *)
Definition verify (low : bool) (b : int) (root : pos G) (l : list fact) : option int :=
  let T := build l in
  let of_root f := eqb_pos (f_at f) root && Bool.eqb (f_low f) low && stronger low (f_b f) b in
  match over root with
  | Some _ => None
  | None =>
    match find of_root (bucket T (hash root)) with
    | Some f => if forallb (fact_ok T) l then Some (f_rank f) else None
    | None => None
    end
  end.

Theorem verify_sound : forall low b root l n, verify low b root l = Some n ->
  keeps low b root /\ ((n =? 0) = false -> forces low b (Z.to_nat (to_Z n)) root).
Proof.
  intros low b root l n H. unfold verify in H. destruct (over root); [discriminate|].
  destruct (find _ _) as [f|] eqn:Fi; [|discriminate]. destruct (forallb _ _) eqn:A; [|discriminate].
  inversion H; subst. apply find_some in Fi. destruct Fi as [I C]. apply build_in in I.
  rewrite !andb_true_iff in C. destruct C as [[E L] St]. apply eqb_ok in E. apply Bool.eqb_prop in L. subst.
  split.
  - apply (holds_keeps l A). right. exists (fun p => p), f. split; [apply symmetric_id|]. repeat split; auto.
  - intro R. eapply forces_weaken; eauto. apply (ranked_sound l A f I R).
Qed.
End Certificates.
