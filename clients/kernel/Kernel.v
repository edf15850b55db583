(** The kernel: what a certificate claims, when it is accepted, and a proof that what is accepted holds.

    A game is a set of positions with a side to move, an end and successors (Record [game]). A certificate is a list of
    facts: the player of a bound ("First gets at least b", "First gets at most b") can force it within [rank] plies, or
    for ever where there is no rank (CERTIFICATE.md, "What makes a certificate true"). [verify] accepts a certificate;
    [verify_sound] says that the player of the bound then has a way to enforce it, whatever the other side does. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Tables.
Import ListNotations.
Local Open Scope uint63_scope.

(** * Games *)
Record game := Game {
  pos : Type;
  eqb_pos : pos -> pos -> bool;
  eqb_ok : forall p q, eqb_pos p q = true -> p = q;
  hash : pos -> int;                (* the same for all images of a position, to find records; any function is sound *)
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

(** * The same rules, quicker *)
Section Swift.
Variables (G : game) (h : pos G -> int) (o : pos G -> option int) (s : pos G -> list (int * pos G)).
(** The game with other functions for its end and its moves, which compute the same. *)
Definition swift : game := Game (pos G) eqb_pos (@eqb_ok G) h first o s.
Hypothesis same_over : forall p, o p = over p.
Hypothesis same_succ : forall p, s p = succ p.

Lemma swift_forces : forall low b n p, @forces swift low b n p <-> @forces G low b n p.
Proof.
  intros low b n p. split; intro H; induction H as [n p v O V|n p m q O M I F IH|n p O M NE F IH];
    simpl in *; try rewrite same_over in *; try rewrite same_succ in *.
  - eapply forces_end; eauto.
  - eapply forces_mine; eauto.
  - apply forces_theirs; auto.
  - eapply (@forces_end swift); simpl; rewrite ?same_over; eauto.
  - eapply (@forces_mine swift); simpl; rewrite ?same_over, ?same_succ; eauto.
  - apply (@forces_theirs swift); simpl; rewrite ?same_over, ?same_succ; auto.
Qed.
Lemma swift_keeps : forall low b p, @keeps swift low b p -> @keeps G low b p.
Proof.
  intros low b. cofix CH. intros p H. destruct H as [p v O V|p m q O M I K|p O M NE K];
    simpl in *; rewrite same_over in O; try rewrite same_succ in *.
  - eapply keeps_end; eauto.
  - eapply keeps_mine; eauto.
  - apply keeps_theirs; auto. intros m q I. apply CH. eapply K; eauto.
Qed.
Lemma swift_symmetric : forall t, @symmetric G t -> @symmetric swift t.
Proof.
  intros t [Sf So Sfo Sba]. split; simpl; intros; rewrite ?same_over, ?same_succ in *; eauto.
Qed.
End Swift.

(** * Strategies
    A strategy is any function from positions to the code of a move. It is played out against every move of the other
    side; what was played out is kept with the number of plies of its longest line. *)
Definition plies_nat (n : int) : nat := Z.to_nat (to_Z n).
Lemma next_ok : forall n, (n <? n + 1) = true -> plies_nat (n + 1) = S (plies_nat n).
Proof.
  intros n L. apply ltb_spec in L. unfold plies_nat. pose proof (to_Z_bounded n). rewrite add_spec in *. change (to_Z 1) with 1%Z in *.
  destruct (Z.eq_dec (to_Z n + 1) wB) as [E|E].
  - rewrite E, Z_mod_same_full in L. lia.
  - rewrite Z.mod_small by lia. lia.
Qed.

Section Strategies.
Variable G : game.

Definition memo := table (pos G * int).
Definition recall (T : memo) (p : pos G) : option int :=
  match find (fun e => eqb_pos (fst e) p) (look T (spread (hash p))) with Some e => Some (snd e) | None => None end.
Definition keep (T : memo) (p : pos G) (n : int) : memo := store 5 T (spread (hash p)) (p, n).

Variables (low : bool) (b : int) (choose : pos G -> int).

(** One ply more, unless integers end. *)
Definition longer (n : int) (T : memo * int) : option (int * (memo * int)) :=
  if n <? n + 1 then Some (n + 1, T) else None.
(** Plays every move of a list; [most] is the longest line so far. *)
Fixpoint play_all (one : pos G -> memo * int -> option (int * (memo * int))) (l : list (int * pos G)) (most : int)
                  (T : memo * int) : option (int * (memo * int)) :=
  match l with
  | [] => longer most T
  | mq :: l => match one (snd mq) T with
               | Some (n, T) => play_all one l (if most <? n then n else most) T
               | None => None
               end
  end.
(** [fuel]: plies at most. The integer beside the memo: positions with the other side to move that may still be
    played out. The result is the longest line and the memo. *)
Fixpoint play (fuel : nat) (p : pos G) (T : memo * int) : option (int * (memo * int)) :=
  match over p with
  | Some v => if within low b v then Some (0, T) else None
  | None =>
    match fuel with
    | O => None
    | S fuel =>
      if mine low p then
        let c := choose p in
        match find (fun mq => fst mq =? c) (succ p) with
        | Some mq => match play fuel (snd mq) T with Some (n, T) => longer n T | None => None end
        | None => None
        end
      else
        match recall (fst T) p with
        | Some n => Some (n, T)
        | None =>
          match succ p with
          | [] => None
          | l =>
            if snd T =? 0 then None else
            match play_all (play fuel) l 0 (fst T, snd T - 1) with
            | Some (n, T) => Some (n, (keep (fst T) p n, snd T))
            | None => None
            end
          end
        end
    end
  end.

Definition memo_ok (T : memo) : Prop := forall k e, In e (look T k) -> forces low b (plies_nat (snd e)) (fst e).

Lemma memo_empty : memo_ok Empty.
Proof. intros k e []. Qed.
Lemma recall_ok : forall T p n, memo_ok T -> recall T p = Some n -> forces low b (plies_nat n) p.
Proof.
  intros T p n Ok H. unfold recall in H. destruct (find _ _) as [e|] eqn:F; [|discriminate]. inversion H; subst.
  apply find_some in F. destruct F as [I E]. apply eqb_ok in E. subst p. eapply Ok; eauto.
Qed.
Lemma keep_ok : forall T p n, memo_ok T -> forces low b (plies_nat n) p -> memo_ok (keep T p n).
Proof. intros T p n Ok F k e I. apply look_store in I. destruct I as [E|I]; [subst; exact F|eauto]. Qed.
Lemma longer_ok : forall n T m U, longer n T = Some (m, U) -> U = T /\ plies_nat m = S (plies_nat n).
Proof.
  intros n T m U H. unfold longer in H. destruct (n <? n + 1) eqn:L; [|discriminate]. inversion H; subst. split; auto.
  apply next_ok. exact L.
Qed.

Lemma play_ok : forall fuel p T n U, memo_ok (fst T) -> play fuel p T = Some (n, U) ->
  forces low b (plies_nat n) p /\ memo_ok (fst U).
Proof.
  induction fuel as [|fuel IH]; intros p T n U Ok H; cbn [play] in H; destruct (over p) as [v|] eqn:O.
  - destruct (within low b v) eqn:V; inversion H; subst. split; auto. eapply forces_end; eauto.
  - discriminate.
  - destruct (within low b v) eqn:V; inversion H; subst. split; auto. eapply forces_end; eauto.
  - destruct (mine low p) eqn:M.
    + destruct (find _ (succ p)) as [mq|] eqn:F; [|discriminate]. apply find_some in F. destruct F as [I _].
      destruct (play fuel (snd mq) T) as [[k V]|] eqn:P; [|discriminate]. apply longer_ok in H. destruct H as [E L]. subst V.
      destruct (IH _ _ _ _ Ok P) as [F Ok']. split; auto. rewrite L. destruct mq as [m q]. eapply forces_mine; eauto.
    + destruct (recall (fst T) p) as [k|] eqn:R.
      { injection H as <- <-. split; auto. eapply recall_ok; eauto. }
      assert (A : forall l most T n U, memo_ok (fst T) -> play_all (play fuel) l most T = Some (n, U) ->
        exists k, plies_nat n = S k /\ (plies_nat most <= k)%nat /\ memo_ok (fst U) /\
                  forall m q, In (m, q) l -> forces low b k q).
      { induction l as [|mq l IHl]; intros most T' n' U' Ok' H'; simpl in H'.
        - apply longer_ok in H'. destruct H' as [E L]. subst U'. exists (plies_nat most). repeat split; auto. intros m q [].
        - destruct (play fuel (snd mq) T') as [[k V]|] eqn:P; [|discriminate]. destruct (IH _ _ _ _ Ok' P) as [F OkV].
          destruct (IHl _ _ _ _ OkV H') as [d [E [L [OkU A]]]]. exists d.
          assert (B : (plies_nat most <= d /\ plies_nat k <= d)%nat).
          { unfold plies_nat in *. destruct (most <? k) eqn:C.
            - apply ltb_spec in C. lia.
            - assert (~ (to_Z most < to_Z k)%Z) by (rewrite <- ltb_spec; congruence). lia. }
          repeat split; auto; try tauto. intros m q [I|I]; [|eauto]. subst mq. eapply forces_more; [exact F|tauto]. }
      destruct (succ p) as [|mq l] eqn:Su; [discriminate|]. destruct (snd T =? 0); [discriminate|].
      destruct (play_all (play fuel) (mq :: l) 0 (fst T, snd T - 1)) as [[k V]|] eqn:P; [|discriminate]. inversion H; subst.
      destruct (A (mq :: l) 0 (fst T, snd T - 1) n V Ok P) as [d [E [_ [OkV F]]]].
      assert (forces low b (plies_nat n) p).
      { rewrite E. apply forces_theirs; auto; rewrite Su; [discriminate|exact F]. }
      split; auto. apply keep_ok; auto.
Qed.
End Strategies.
Arguments play {_} _ _ _ _ _ _. Arguments memo_ok {_} _ _ _.

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
| Known (c : card G)   (* a theorem *)
| Plays (number : int) (choose : pos G -> int).
    (* a strategy; what was played out with one number is not played out again for the next fact with that number *)
Record fact := Fact { f_at : pos G; f_low : bool; f_b : int; f_rank : int (* 0: none *); f_why : reason }.

Definition records := table fact.
Definition bucket (T : records) (p : pos G) : list fact := look T (spread (hash p)).
Definition insert (levels : nat) (T : records) (f : fact) : records := store levels T (spread (hash (f_at f))) f.
Fixpoint levels_for (most : nat) (n : int) : nat :=
  match most with O => O | S m => if n <? 8 then O else S (levels_for m (n >> 3)) end.
Definition size (l : list fact) : int := fold_left (fun n _ => n + 1) l 0.
Definition build (l : list fact) : records := fold_left (insert (levels_for 10 (size l))) l Empty.

Lemma build_in : forall l p f, In f (bucket (build l) p) -> In f l.
Proof.
  intros l p f. unfold build. generalize (levels_for 10 (size l)). intros n.
  assert (A : forall l T, In f (bucket (fold_left (insert n) l T) p) -> In f l \/ In f (bucket T p)).
  { clear l. induction l as [|g l IH]; cbn [fold_left In]; intros T H; [right; exact H|].
    apply IH in H. destruct H as [H|H]; auto. apply look_store in H. destruct H; subst; auto. }
  intro H. apply A in H. destruct H as [H|[]]. exact H.
Qed.

Section Check.
Variable T : records.

(** The rule of ranks: a fact with a rank rests only on facts with a smaller one. *)
Definition supports (f : fact) (q : pos G) (g : fact) : bool :=
  eqb_pos (f_at g) q && Bool.eqb (f_low g) (f_low f) && stronger (f_low f) (f_b g) (f_b f) &&
  ((f_rank f =? 0) || (negb (f_rank g =? 0) && (f_rank g <? f_rank f))).
(** There is a fact about the position or about an image of it. *)
Definition recorded (f : fact) (q : pos G) : bool :=
  match bucket T q with
  | [] => false
  | l => existsb (supports f q) l || existsb (fun s => existsb (supports f (s q)) l) (images G)
  end.
Definition ends_within (low : bool) (b : int) (q : pos G) : bool :=
  match over q with Some v => within low b v | None => false end.
(** The player of the bound is to move and ends the game at once. *)
Definition wins_at_once (f : fact) (q : pos G) : bool :=
  ((f_rank f =? 0) || (1 <? f_rank f)) && mine (f_low f) q &&
  existsb (fun mq => ends_within (f_low f) (f_b f) (snd mq)) (succ q).
Definition child_ok (f : fact) (q : pos G) : bool :=
  match over q with
  | Some v => within (f_low f) (f_b f) v
  | None => recorded f q || wins_at_once f q
  end.
Definition within_rank (f : fact) (n : int) : bool := (f_rank f =? 0) || (n <=? f_rank f).
Definition fact_ok (f : fact) : bool :=
  match over (f_at f) with
  | Some _ => false
  | None =>
    match f_why f with
    | Known c => match plies c (f_low f) (f_b f) (f_at f) with Some n => within_rank f n | None => false end
    | Plays _ _ => false
    | Move m => mine (f_low f) (f_at f) &&
                existsb (fun mq => (fst mq =? m) && child_ok f (snd mq)) (succ (f_at f))
    | Replies => negb (mine (f_low f) (f_at f)) &&
                 match succ (f_at f) with [] => false | l => forallb (fun mq => child_ok f (snd mq)) l end
    end
  end.

(** What the strategy last met has played out. *)
Record session := Session { s_number : int; s_low : bool; s_b : int; s_memo : memo G }.
Definition played (s : session) (f : fact) (number : int) : memo G :=
  if (s_number s =? number) && Bool.eqb (s_low s) (f_low f) && (s_b s =? f_b f) then s_memo s else Empty.
Variable fuel : nat.
Fixpoint facts_ok (s : session) (l : list fact) : bool :=
  match l with
  | [] => true
  | f :: l =>
    match f_why f with
    | Plays number choose =>
      match over (f_at f), play (f_low f) (f_b f) choose fuel (f_at f) (played s f number, 65536) with
      | None, Some (n, U) => within_rank f n && facts_ok (Session number (f_low f) (f_b f) (fst U)) l
      | _, _ => false
      end
    | _ => fact_ok f && facts_ok s l
    end
  end.
End Check.
Definition no_session : session := Session 0 false 0 Empty.

Definition rank_nat (f : fact) : nat := Z.to_nat (to_Z (f_rank f)).

Section Sound.
Variables (l : list fact) (fuel : nat).
Hypothesis all_ok : facts_ok (build l) fuel no_session l = true.

(** A fact that needs no other one: a theorem, or a strategy that was played out. *)
Definition stands (f : fact) : Prop :=
  over (f_at f) = None /\ exists n, within_rank f n = true /\ forces (f_low f) (f_b f) (plies_nat n) (f_at f).

Lemma each_ok : forall f, In f l -> match f_why f with Known _ | Plays _ _ => stands f | _ => fact_ok (build l) f = true end.
Proof.
  assert (A : forall k s, memo_ok (s_low s) (s_b s) (s_memo s) -> facts_ok (build l) fuel s k = true ->
    forall f, In f k -> match f_why f with Known _ | Plays _ _ => stands f | _ => fact_ok (build l) f = true end).
  { induction k as [|g k IH]; intros s Ok H f I; [destruct I|]. cbn [facts_ok] in H.
    assert (Plain : (forall number choose, f_why g <> Plays number choose) -> fact_ok (build l) g && facts_ok (build l) fuel s k = true ->
      match f_why f with Known _ | Plays _ _ => stands f | _ => fact_ok (build l) f = true end).
    { intros N B. apply andb_true_iff in B. destruct B as [B C]. destruct I as [I|I]; [|eapply IH; eauto]. subst g.
      destruct (f_why f) as [m| |c|number choose] eqn:W; auto; [|exfalso; eapply N; reflexivity].
      unfold fact_ok in B. rewrite W in B. unfold stands. destruct (over (f_at f)); [discriminate|]. split; auto.
      destruct (plies c (f_low f) (f_b f) (f_at f)) as [n|] eqn:P; [|discriminate]. exists n. split; auto.
      eapply plies_ok; eauto. }
    destruct (f_why g) as [m| |c|number choose] eqn:W; try (apply Plain; [discriminate|exact H]).
    destruct (over (f_at g)) eqn:O; [discriminate|].
    destruct (play _ _ _ _ _ _) as [[n U]|] eqn:P; [|discriminate]. apply andb_true_iff in H. destruct H as [R H].
    apply play_ok in P.
    - destruct P as [F OkU]. destruct I as [I|I]; [|eapply IH; [|exact H|exact I]; exact OkU].
      subst g. rewrite W. split; eauto.
    - simpl. unfold played. destruct (_ && _ && _) eqn:E; [|apply memo_empty]. rewrite !andb_true_iff in E.
      destruct E as [[_ E1] E2]. apply Bool.eqb_prop in E1. apply Uint63.eqb_correct in E2. rewrite <- E1, <- E2. exact Ok. }
  intros f I. eapply A; eauto. apply memo_empty.
Qed.

Lemma recorded_fact : forall f q, recorded (build l) f q = true ->
  exists s g, symmetric s /\ In g l /\ f_at g = s q /\ f_low g = f_low f /\ stronger (f_low f) (f_b g) (f_b f) = true /\
    ((f_rank f =? 0) = false -> (f_rank g =? 0) = false /\ (to_Z (f_rank g) < to_Z (f_rank f))%Z).
Proof.
  intros f q H. unfold recorded in H.
  assert (X : exists s g, symmetric s /\ In g (bucket (build l) q) /\ supports f (s q) g = true).
  { destruct (bucket (build l) q) as [|h tl]; [discriminate|]. apply orb_true_iff in H. destruct H as [H|H].
    - apply existsb_exists in H. destruct H as [g [I S]]. exists (fun p => p), g. split; auto. apply symmetric_id.
    - apply existsb_exists in H. destruct H as [s [Is H]]. apply existsb_exists in H. destruct H as [g [I S]].
      exists s, g. split; auto. apply (images_ok G). exact Is. }
  destruct X as [s [g [Ss [I S]]]]. exists s, g. split; auto.
  apply build_in in I. unfold supports in S. rewrite !andb_true_iff in S. destruct S as [[[E L] St] R].
  apply eqb_ok in E. apply Bool.eqb_prop in L. repeat split; auto; rewrite H0 in R; simpl in R;
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
    { intros q H. apply recorded_fact in H. destruct H as [s [g [Ss [Ig [Eg [Lg [Sg Rg]]]]]]].
      destruct (Rg R) as [R1 R2]. eapply forces_image; [exact Ss| |reflexivity]. rewrite <- Eg, <- Lg. eapply forces_weaken; [rewrite Lg; exact Sg|].
      eapply forces_more.
      - eapply IH with (y := to_Z (f_rank g)); eauto. pose proof (to_Z_bounded (f_rank g)). lia.
      - unfold rank_nat, k. pose proof (to_Z_bounded (f_rank g)). lia. }
    assert (C : forall q, child_ok (build l) f q = true -> forces (f_low f) (f_b f) k q).
    { intros q H. unfold child_ok in H. destruct (over q) eqn:O; [eapply forces_end; eauto|].
      apply orb_true_iff in H. destruct H as [H|H]; auto.
      pose proof (wins_at_once_forces f q O H) as F. eapply forces_more; [exact F|].
      unfold wins_at_once in H. rewrite R in H. simpl in H. rewrite !andb_true_iff in H.
      destruct H as [[H _] _]. apply ltb_spec in H. change (to_Z 1) with 1%Z in H. unfold k. lia. }
    assert (Stand : stands f -> forces (f_low f) (f_b f) (rank_nat f) (f_at f)).
    { intros [_ [n [Rn F]]]. unfold within_rank in Rn. rewrite R in Rn. simpl in Rn. apply leb_spec in Rn.
      eapply forces_more; [exact F|]. unfold rank_nat, plies_nat. pose proof (to_Z_bounded n). lia. }
    pose proof (each_ok f I) as F. unfold fact_ok in F.
    destruct (f_why f) as [m| |c|number choose]; auto;
      (destruct (over (f_at f)) eqn:O; [discriminate|]).
    - apply andb_true_iff in F. destruct F as [M F]. apply existsb_exists in F. destruct F as [[c q] [Iq F]].
      apply andb_true_iff in F. destruct F as [_ F]. rewrite K. eapply forces_mine; eauto.
    - apply andb_true_iff in F. destruct F as [M F]. apply negb_true_iff in M. rewrite K.
      apply forces_theirs; auto; destruct (succ (f_at f)) as [|mq tl] eqn:Su; try discriminate.
      intros m q Iq. apply C. rewrite forallb_forall in F. apply (F (m, q)). exact Iq. }
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
  { intros r K. apply recorded_fact in K. destruct K as [s [g [Ss [Ig [Eg [Lg [Sg _]]]]]]]. right.
    exists s, g. split; auto. repeat split; auto. eapply stronger_trans; eauto. }
  unfold child_ok in H. destruct (over q) eqn:O.
  { left. exists 0%nat. eapply forces_end; eauto. eapply stronger_within; eauto. }
  apply orb_true_iff in H. destruct H as [H|H]; auto.
  left. exists 1%nat. eapply forces_weaken; eauto. apply wins_at_once_forces; auto.
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
    pose proof (each_ok f I) as F. subst low.
    assert (O : over (s p) = None).
    { rewrite <- E. unfold stands, fact_ok in F. destruct (f_why f), (over (f_at f)); auto; try discriminate; destruct F; auto. }
    assert (Stand : stands f ->
      (exists v, over p = Some v /\ within (f_low f) b v = true) \/
      (over p = None /\ mine (f_low f) p = true /\ exists m q, In (m, q) (succ p) /\ holds (f_low f) b q) \/
      (over p = None /\ mine (f_low f) p = false /\ succ p <> [] /\ forall m q, In (m, q) (succ p) -> holds (f_low f) b q)).
    { intros [_ [n [_ Pl]]]. rewrite E in Pl. apply (forces_image _ _ Sy) with (p := p) in Pl; auto.
      apply (forces_weaken _ _ _ b) in Pl; auto.
      inversion Pl as [n' p' v Ov V|n' p' m q Op Mi Iq F'|n' p' Op Mi NE F']; subst.
      - left. eauto.
      - right. left. repeat split; auto. exists m, q. split; auto. left. eauto.
      - right. right. repeat split; auto. intros m q Iq. left. eauto. }
    unfold fact_ok in F. rewrite E, O in F. rewrite So in O.
    assert (M : mine (f_low f) (s p) = mine (f_low f) p) by (unfold mine; rewrite Sf; reflexivity).
    destruct (f_why f) as [m| |c|number choose]; auto.
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
Qed.

Theorem unranked_sound : forall f, In f l -> keeps (f_low f) (f_b f) (f_at f).
Proof.
  intros f I. apply holds_keeps. right. exists (fun p => p), f. split; [apply symmetric_id|].
  repeat split; auto. apply stronger_refl.
Qed.
End Sound.

(** Checks a list of facts; the result is what [claim] asks. *)
Definition check (fuel : nat) (l : list fact) : option records :=
  let T := build l in if facts_ok T fuel no_session l then Some T else None.
(** Looks a claim about a root up. The result is the number of plies within which the claim is decided; 0 if it is only
    known to hold where the game may go on for ever; None if it was not shown. *)
Definition claim (T : records) (low : bool) (b : int) (root : pos G) : option int :=
  match find (fun f => eqb_pos (f_at f) root && Bool.eqb (f_low f) low && stronger low (f_b f) b) (bucket T root) with
  | Some f => Some (f_rank f)
  | None => None
  end.
Definition verify (fuel : nat) (low : bool) (b : int) (root : pos G) (l : list fact) : option int :=
  match check fuel l with Some T => claim T low b root | None => None end.

Theorem verify_sound : forall fuel low b root l n, verify fuel low b root l = Some n ->
  keeps low b root /\ ((n =? 0) = false -> forces low b (Z.to_nat (to_Z n)) root).
Proof.
  intros fuel low b root l n H. unfold verify, check in H. destruct (facts_ok _ _ _ _) eqn:A; [|discriminate].
  unfold claim in H. destruct (find _ _) as [f|] eqn:Fi; [|discriminate].
  inversion H; subst. apply find_some in Fi. destruct Fi as [I C]. apply build_in in I.
  rewrite !andb_true_iff in C. destruct C as [[E L] St]. apply eqb_ok in E. apply Bool.eqb_prop in L. subst.
  split.
  - apply (holds_keeps l fuel A). right. exists (fun p => p), f. split; [apply symmetric_id|]. repeat split; auto.
  - intro R. eapply forces_weaken; eauto. apply (ranked_sound l fuel A f I R).
Qed.
End Certificates.
