(** Pairs (THEOREMS.md, T1 and T2): the side that waits, W, answers each move of the other side, M, by the other square
    of a pair. A pair is upright when its second square lies directly above the first: M can only get the first one. Of a
    level pair M gets one square, whichever it likes. Where the board fills, W gets the second square of each upright pair.

    In T2 W aims at one square, [aim], which gives W a line; no square above it is played before. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines.
Import ListNotations.
Local Open Scope uint63_scope.

Record pair := Pair { one : int; two : int; upright : bool }.

Section Pairs.
Variables (squares : list square) (lines : list line).
Notation G := (line_game squares lines 1).
Variable W : bool.
Notation M := (negb W).

Definition ends (ps : list pair) : list int := flat_map (fun x => [one x; two x]) ps.
(** The squares below each square come before it. *)
Fixpoint ordered (l : list square) (seen : list int) : bool :=
  match l with [] => true | q :: l => forallb (fun c => is_in c seen) (below q) && ordered l (cell q :: seen) end.

(** W can answer [a] by [b]: a square [b] whose squares below are occupied as soon as [a] has been played. *)
Definition answers (p : board) (a b : int) : bool :=
  existsb (fun t => (cell t =? b) &&
    forallb (fun s => negb (cell s =? a) ||
      forallb (fun c => (c =? a) || occupied p c || is_in c (below s)) (below t)) squares) squares.
Definition pair_ok (p : board) (x : pair) : bool :=
  negb (occupied p (one x)) && negb (occupied p (two x)) && answers p (one x) (two x) &&
  if upright x then forallb (fun s => negb (cell s =? two x) || is_in (one x) (below s)) squares
  else answers p (two x) (one x).
(** The line comes too late for M: when M has it, W has had a line, of its stones and of second squares of upright pairs
    below squares of M's line. *)
Definition under (d c : int) : bool := existsb (fun s => (cell s =? d) && is_in c (below s)) squares.
Definition late (p : board) (ps : list pair) (l : line) : bool :=
  existsb (fun k => match stops k with [] => true | _ => false end &&
    forallb (fun c => mem c (side W p) ||
      (existsb (fun x => upright x && (two x =? c)) ps && existsb (fun d => under d c) (on l))) (on k)) lines.
(** M never has all squares of the line while the game lasts. *)
Definition shut (p : board) (ps : list pair) (l : line) : bool :=
  existsb (fun c => mem c (side W p)) (on l) ||
  existsb (fun x => is_in (two x) (on l) && (upright x || is_in (one x) (on l))) ps || late p ps l.
Definition covered (p : board) (answered : list int) (aim : option int) (s : square) : bool :=
  occupied p (cell s) || is_in (cell s) answered || match aim with Some r => is_in r (below s) | None => false end.
(** W has the square at the end: it has it now, or it is the second of an upright pair. *)
Definition gets (p : board) (ps : list pair) (c : int) : bool :=
  mem c (side W p) || existsb (fun x => upright x && (two x =? c)) ps.
Definition promised (p : board) (ps : list pair) (aim : option int) (l : line) : bool :=
  match stops l with [] => true | _ => false end &&
  forallb (fun c => gets p ps c && match aim with
                                   | None => true
                                   | Some r => mem c (side W p) || (c =? r) ||
                                               forallb (fun s => negb (cell s =? r) || is_in c (below s)) squares
                                   end) (on l).

(** What does not depend on the position. *)
Definition pairs_board : bool :=
  ordered squares [] && forallb (fun l => forallb (fun c => is_in c (map cell squares)) (on l)) lines &&
  distinct (map cell squares).
Definition pairs_here (p : board) (ps : list pair) (aim : option int) (win : bool) : bool :=
  sound_board squares p && Bool.eqb (turn p) M && (left p =? 1) &&
  forallb (fun s => negb (occupied p (cell s)) || forallb (occupied p) (below s)) squares &&
  distinct (ends ps) && forallb (pair_ok p) ps && forallb (shut p ps) lines &&
  forallb (covered p (ends ps) aim) squares &&
  forallb (fun c => existsb (fun s => cell s =? c) squares) (ends ps) &&
  match aim with
  | None => negb win || existsb (promised p ps None) lines
  | Some r => existsb (fun x => upright x && (two x =? r)) ps && existsb (promised p ps aim) lines
  end.
Definition pairs_ok (p : board) (ps : list pair) (aim : option int) (win : bool) : bool :=
  pairs_board && match board_over squares lines p with None => true | Some _ => false end && pairs_here p ps aim win.

Definition goal (win : bool) : int := if win then if W then 2 else 0 else 1.

(** * Proof *)
Section Start.
Variables (p0 : board) (ps : list pair) (aim : option int) (win : bool).
Hypothesis ok : pairs_ok p0 ps aim win = true.

Lemma parts :
  (room squares p0 /\ apart squares p0 /\ board_over squares lines p0 = None /\
   (forall s, In s squares -> occupied p0 (cell s) = true -> forall c, In c (below s) -> occupied p0 c = true)) /\
  turn p0 = M /\ left p0 = 1 /\ ordered squares [] = true /\
  (forall l c, In l lines -> In c (on l) -> In c (map cell squares)) /\
  NoDup (map cell squares) /\ NoDup (ends ps) /\ (forall x, In x ps -> pair_ok p0 x = true) /\ (forall l, In l lines -> shut p0 ps l = true) /\
  (forall s, In s squares -> covered p0 (ends ps) aim s = true) /\ (forall c, In c (ends ps) -> In c (map cell squares)) /\
  match aim with
  | None => win = true -> exists l, In l lines /\ promised p0 ps None l = true
  | Some r => (exists x, In x ps /\ upright x = true /\ two x = r) /\ exists l, In l lines /\ promised p0 ps aim l = true
  end.
Proof.
  pose proof ok as H. unfold pairs_ok, pairs_board, pairs_here in H. rewrite !andb_true_iff in H.
  destruct H as [[[[D E] Sq] Ov] [[[[[[[[[A B] C] Gr] F] P] S] V] N] L]].
  rewrite forallb_forall in Gr, E, P, S, V, N.
  split.
  { destruct (sound_board_ok _ _ A) as [R Ap]. split; auto. split; auto. split.
    - destruct (board_over squares lines p0); [discriminate|reflexivity].
    - intros s Is O c Ic. specialize (Gr s Is). rewrite O in Gr. simpl in Gr. rewrite forallb_forall in Gr. auto. } split; [apply Bool.eqb_prop; auto|].
  split; [apply Uint63.eqb_correct; auto|]. split; auto. split.
  { intros l c Il Ic. specialize (E l Il). rewrite forallb_forall in E. apply is_in_ok. auto. }
  split; [apply distinct_ok; auto|]. split; [apply distinct_ok; auto|]. split; auto. split; auto. split; auto.
  split.
  { intros c Ic. specialize (N c Ic). apply existsb_exists in N. destruct N as [s [Is X]]. apply Uint63.eqb_correct in X.
    subst c. apply in_map. exact Is. }
  destruct aim as [r|].
  - apply andb_true_iff in L. destruct L as [L1 L2]. apply existsb_exists in L1. apply existsb_exists in L2. split; auto.
    destruct L1 as [x [Ix Ex]]. apply andb_true_iff in Ex. destruct Ex as [U T]. apply Uint63.eqb_correct in T. eauto.
  - intros Wi. rewrite Wi in L. simpl in L. apply existsb_exists in L. exact L.
Qed.

Lemma one_square : forall s t, In s squares -> In t squares -> cell s = cell t -> s = t.
Proof.
  assert (N : NoDup (map cell squares)) by apply parts. intros s t. revert N. clear. induction squares as [|q l IH]; simpl; intros N Is It E.
  - destruct Is.
  - inversion N as [|a b Na Nb]; subst. destruct Is as [Is|Is], It as [It|It]; subst; auto.
    + exfalso. apply Na. rewrite E. apply in_map; auto.
    + exfalso. apply Na. rewrite <- E. apply in_map; auto.
Qed.

(** What holds whenever M is to move; [i_..._held] also after M's move. *)
Record held (p : board) : Prop := {
  h_room : room squares p;
  h_apart : apart squares p;
  h_left : left p = 1;
  h_more : forall c, occupied p0 c = true -> occupied p c = true;
  h_below : forall s, In s squares -> occupied p (cell s) = true -> forall c, In c (below s) -> occupied p c = true;
  h_W : forall c, mem c (side W p0) = true -> mem c (side W p) = true;
  h_upright : forall x, In x ps -> upright x = true -> mem (two x) (side M p) = false;
  h_level : forall x, In x ps -> mem (one x) (side M p) && mem (two x) (side M p) = false
}.
Record inv (p : board) : Prop := {
  i_held : held p;
  i_turn : turn p = M;
  i_no_line : has_line lines (side M p) = false;
  i_both : forall x, In x ps -> occupied p (one x) = occupied p (two x);
  i_aim : forall r, aim = Some r -> occupied p r = false
}.

(** M has no line as long as W has none. *)
Lemma M_has_no_line : forall p, held p -> has_line lines (side W p) = false -> has_line lines (side M p) = false.
Proof.
  intros p Hp NW. destruct parts as [_ [_ [_ [_ [Li [_ [_ [_ [Sh _]]]]]]]]].
  destruct (has_line lines (side M p)) eqn:H; auto. exfalso. unfold has_line in H. apply existsb_exists in H.
  destruct H as [l [Il H]]. unfold complete in H. apply andb_true_iff in H. destruct H as [F _]. rewrite forallb_forall in F.
  specialize (Sh l Il). unfold shut in Sh. rewrite !orb_true_iff in Sh. destruct Sh as [[S|S]|S].
  - apply existsb_exists in S. destruct S as [c [Ic S]]. apply (h_W _ Hp) in S. specialize (F c Ic).
    apply (h_apart _ Hp c); [| |eapply Li; eauto]; unfold side in *; destruct W; simpl in *; auto.
  - apply existsb_exists in S. destruct S as [x [Ix S]]. apply andb_true_iff in S. destruct S as [T U].
    apply is_in_ok in T. pose proof (F _ T) as F2. apply orb_true_iff in U. destruct U as [U|U].
    + rewrite (h_upright _ Hp x Ix U) in F2. discriminate.
    + apply is_in_ok in U. pose proof (F _ U) as F1. pose proof (h_level _ Hp x Ix) as L. rewrite F1, F2 in L. discriminate.
  - unfold late in S. apply existsb_exists in S. destruct S as [k [Ik S]]. apply andb_true_iff in S. destruct S as [St S].
    rewrite forallb_forall in S. assert (has_line lines (side W p) = true); [|congruence].
    unfold has_line. apply existsb_exists. exists k. split; auto. unfold complete. destruct (stops k); [|discriminate]. simpl.
    rewrite andb_true_r. rewrite forallb_forall. intros c Ic. specialize (S c Ic). apply orb_true_iff in S.
    destruct S as [S|S]; [apply (h_W _ Hp); auto|]. apply andb_true_iff in S. destruct S as [S U].
    apply existsb_exists in S. destruct S as [x [Ix Ex]]. apply andb_true_iff in Ex. destruct Ex as [Up T].
    apply Uint63.eqb_correct in T. subst c. apply existsb_exists in U. destruct U as [d [Id U]].
    unfold under in U. apply existsb_exists in U. destruct U as [s [Is U]]. apply andb_true_iff in U. destruct U as [E B].
    apply Uint63.eqb_correct in E. apply is_in_ok in B. subst d.
    assert (O : occupied p (two x) = true).
    { apply (h_below _ Hp s Is); auto. rewrite (occupied_sides _ _ M), (F _ Id). reflexivity. }
    rewrite (occupied_sides _ _ W), (h_upright _ Hp x Ix Up), orb_false_r in O. exact O.
Qed.

(** If nothing can be played, the board is full. *)
Lemma stuck_full : forall p, (forall q, In q squares -> playable p q = false) ->
  forall l seen, ordered l seen = true -> incl l squares -> (forall c, In c seen -> occupied p c = true) ->
  forall q, In q l -> occupied p (cell q) = true.
Proof.
  intros p St. induction l as [|s l IH]; intros seen O I Se q Iq; [destruct Iq|]. simpl in O.
  apply andb_true_iff in O. destruct O as [B O].
  assert (Os : occupied p (cell s) = true).
  { specialize (St s (I s (or_introl eq_refl))). unfold playable in St. rewrite forallb_forall in B.
    replace (forallb (occupied p) (below s)) with true in St.
    - rewrite andb_true_r in St. apply negb_false_iff in St. exact St.
    - symmetry. rewrite forallb_forall. intros c Ic. apply Se. apply is_in_ok. apply B. exact Ic. }
  destruct Iq as [Iq|Iq]; [subst; exact Os|]. apply (IH (cell s :: seen)); auto.
  - intros x X. apply I. right. exact X.
  - intros c [E|Ic]; [subst; exact Os|auto].
Qed.

(** W has a promised line as soon as the squares in question are occupied. *)
Lemma W_line : forall p l, held p -> In l lines -> promised p0 ps aim l = true ->
  (forall c, In c (on l) -> mem c (side W p0) = false -> occupied p c = true) -> has_line lines (side W p) = true.
Proof.
  intros p l Hp Il Pr Oc. unfold has_line. apply existsb_exists. exists l. split; auto. unfold promised in Pr.
  apply andb_true_iff in Pr. destruct Pr as [S F]. unfold complete. destruct (stops l); [|discriminate]. simpl.
  rewrite andb_true_r. rewrite forallb_forall in *. intros c Ic. specialize (F c Ic). apply andb_true_iff in F. destruct F as [Ge _].
  destruct (mem c (side W p0)) eqn:Mc; [apply (h_W _ Hp); auto|].
  unfold gets in Ge. rewrite Mc in Ge. simpl in Ge. apply existsb_exists in Ge. destruct Ge as [x [Ix Ex]].
  apply andb_true_iff in Ex. destruct Ex as [U T]. apply Uint63.eqb_correct in T. subst c.
  pose proof (Oc _ Ic Mc) as O. rewrite (occupied_sides _ _ W) in O. rewrite (h_upright _ Hp x Ix U), orb_false_r in O. exact O.
Qed.

Lemma W_wins : forall p, has_line lines (side W p) = true -> has_line lines (side M p) = false ->
  exists v, board_over squares lines p = Some v /\ within W (goal win) v = true.
Proof.
  intros p Hw Hm. unfold board_over, side, goal in *. destruct W; simpl in *; rewrite Hw, ?Hm;
    eexists; split; try reflexivity; destruct win; reflexivity.
Qed.

(** An end of the game when nobody but W can have a line. *)
Lemma end_good : forall p v, has_line lines (side M p) = false -> board_over squares lines p = Some v ->
  ((forall q, In q squares -> playable p q = false) -> has_line lines (side W p) = false -> win = false) ->
  within W (goal win) v = true.
Proof.
  intros p v Nm O Dr. destruct (over_cases _ _ _ _ O) as [[V H]|[[V H]|[V [H1 [H2 St]]]]]; subst v.
  - unfold side, goal in *. destruct W; simpl in *; [|congruence]. destruct win; reflexivity.
  - unfold side, goal in *. destruct W; simpl in *; [congruence|]. destruct win; reflexivity.
  - rewrite Dr; auto; [|unfold side; destruct W; auto]. unfold goal. destruct W; reflexivity.
Qed.

Lemma ends_in : forall l x, In x l -> In (one x) (ends l) /\ In (two x) (ends l).
Proof. intros l x I. unfold ends. rewrite !in_flat_map. split; exists x; simpl; auto. Qed.
Lemma ends_from : forall l c, In c (ends l) -> exists x, In x l /\ (c = one x \/ c = two x).
Proof. intros l c I. unfold ends in I. apply in_flat_map in I. destruct I as [x [Ix C]]. simpl in C. exists x. intuition. Qed.
Lemma ends_apart : forall l, NoDup (ends l) -> forall x y, In x l -> In y l ->
  one x <> two y /\ (one x = one y -> x = y) /\ (two x = two y -> x = y).
Proof.
  induction l as [|z l IH]; intros N x y Ix Iy; [destruct Ix|]. simpl in N. inversion N as [|a b Na Nb]; subst.
  inversion Nb as [|a b Nc Nd]; subst. simpl in Na.
  destruct Ix as [Ix|Ix], Iy as [Iy|Iy]; subst.
  - repeat split; auto.
  - destruct (ends_in l y Iy) as [J K]. repeat split; intro E.
    + apply Na. right. rewrite E. exact K.
    + exfalso. apply Na. right. rewrite E. exact J.
    + exfalso. apply Nc. rewrite E. exact K.
  - destruct (ends_in l x Ix) as [J K]. repeat split; intro E.
    + apply Nc. rewrite <- E. exact J.
    + exfalso. apply Na. right. rewrite <- E. exact J.
    + exfalso. apply Nc. rewrite <- E. exact K.
  - apply IH; auto.
Qed.

Lemma eqb_false : forall a b : int, a <> b -> (a =? b) = false.
Proof. intros a b H. destruct (a =? b) eqn:E; auto. apply Uint63.eqb_correct in E. congruence. Qed.
Lemma unoccupied : forall p c s, occupied p c = false -> mem c (side s p) = false.
Proof. intros p c s H. rewrite (occupied_sides _ _ s) in H. apply orb_false_iff in H. tauto. Qed.

Lemma playable_parts : forall p s, playable p s = true ->
  occupied p (cell s) = false /\ forall c, In c (below s) -> occupied p c = true.
Proof.
  intros p s H. unfold playable in H. apply andb_true_iff in H. destruct H as [A B]. apply negb_true_iff in A.
  rewrite forallb_forall in B. auto.
Qed.

(** W's answer to M's move at the square s: the other square of its pair. *)
Lemma answer : forall p s, inv p -> In s squares -> playable p s = true ->
  exists x t, In x ps /\ In t squares /\ playable (put 1 p (cell s)) t = true /\
    ((cell s = one x /\ cell t = two x) \/ (upright x = false /\ cell s = two x /\ cell t = one x)).
Proof.
  intros p s I Is P. destruct (playable_parts p s P) as [Fs Bs]. pose proof (i_held _ I) as Hp.
  destruct parts as [_ [_ [_ [_ [_ [_ [Nd [Po [_ [Co [_ _]]]]]]]]]]].
  assert (E : exists x, In x ps /\ (cell s = one x \/ cell s = two x)).
  { specialize (Co s Is). unfold covered in Co. rewrite !orb_true_iff in Co. destruct Co as [[Co|Co]|Co].
    - apply (h_more _ Hp) in Co. congruence.
    - apply ends_from. apply is_in_ok. exact Co.
    - destruct aim as [r|] eqn:Ea; [|discriminate]. apply is_in_ok in Co. apply Bs in Co.
      rewrite (i_aim _ I r) in Co; [discriminate|rewrite Ea; reflexivity]. }
  destruct E as [x [Ix E]]. pose proof (i_both _ I x Ix) as Bo. pose proof (Po x Ix) as Pk. unfold pair_ok in Pk.
  rewrite !andb_true_iff in Pk. destruct Pk as [[[_ _] An] Up].
  assert (Ne : one x <> two x) by (destruct (ends_apart ps Nd x x Ix Ix); auto).
  assert (Ans : forall a b, cell s = a -> a <> b -> occupied p b = false -> answers p0 a b = true ->
                exists t, In t squares /\ cell t = b /\ playable (put 1 p (cell s)) t = true).
  { intros a b Ea Nab Ob A. unfold answers in A. apply existsb_exists in A. destruct A as [t [It A]].
    apply andb_true_iff in A. destruct A as [Eb A]. apply Uint63.eqb_correct in Eb. exists t. split; auto. split; auto.
    rewrite forallb_forall in A. specialize (A s Is). rewrite Ea, Uint63.eqb_refl in A. simpl in A. rewrite forallb_forall in A.
    destruct (h_room _ Hp s Is) as [Fx Fo]. unfold playable. apply andb_true_iff. split.
    - rewrite occupied_put by auto. rewrite Eb, Ea, Ob. rewrite (eqb_false b a) by auto. reflexivity.
    - rewrite forallb_forall. intros c Ic. specialize (A c Ic). rewrite occupied_put by auto. rewrite Ea.
      rewrite !orb_true_iff in A. destruct A as [[A|A]|A].
      + rewrite A. reflexivity.
      + apply (h_more _ Hp) in A. rewrite A. apply orb_true_r.
      + apply is_in_ok in A. apply Bs in A. rewrite A. apply orb_true_r. }
  destruct E as [E|E].
  - destruct (Ans (one x) (two x)) as [t [It [Et Pt]]]; auto; [rewrite <- Bo, <- E; exact Fs|].
    exists x, t. repeat split; auto.
  - destruct (upright x) eqn:U.
    + exfalso. rewrite forallb_forall in Up. specialize (Up s Is). rewrite E, Uint63.eqb_refl in Up. simpl in Up.
      apply is_in_ok in Up. apply Bs in Up. rewrite Bo, <- E in Up. congruence.
    + destruct (Ans (two x) (one x)) as [t [It [Et Pt]]]; auto; [rewrite Bo, <- E; exact Fs|].
      exists x, t. repeat split; auto.
Qed.

Lemma other_side : forall p c s, turn p = negb s -> side s p = side s (put 1 p c).
Proof. intros p c s T. unfold side, put. rewrite T. destruct s; reflexivity. Qed.
Lemma put_turn : forall p c, left p = 1 -> turn (put 1 p c) = negb (turn p) /\ left (put 1 p c) = 1.
Proof. intros p c L. unfold put. rewrite L. simpl. destruct (turn p); auto. Qed.

Lemma held_put : forall p s, held p -> In s squares -> playable p s = true ->
  (turn p = M -> forall x, In x ps -> (upright x = true -> cell s <> two x) /\
     (cell s = one x -> mem (two x) (side M p) = false) /\ (cell s = two x -> mem (one x) (side M p) = false)) ->
  held (put 1 p (cell s)).
Proof.
  intros p s Hp Is P C. destruct (h_room _ Hp s Is) as [Fx Fo]. destruct (put_turn p (cell s) (h_left _ Hp)) as [_ L].
  assert (Me : forall d, mem d (side M (put 1 p (cell s))) = (Bool.eqb M (turn p) && (d =? cell s)) || mem d (side M p))
    by (intro d; apply mem_put; auto).
  constructor; auto.
  - apply room_put, (h_room _ Hp).
  - apply apart_put; auto; [apply (h_room _ Hp)|apply (h_apart _ Hp)].
  - intros c Oc. rewrite occupied_put by auto. rewrite (h_more _ Hp c Oc). apply orb_true_r.
  - intros t It Ot c Ic. rewrite occupied_put in Ot by auto. rewrite occupied_put by auto.
    apply orb_true_iff. right. apply orb_true_iff in Ot. destruct Ot as [Ot|Ot]; [|eapply (h_below _ Hp t); eauto].
    apply Uint63.eqb_correct in Ot. assert (t = s) by (apply one_square; auto). subst t.
    apply (playable_parts p s P). exact Ic.
  - intros c Mc. rewrite mem_put by auto. rewrite (h_W _ Hp c Mc). apply orb_true_r.
  - intros x Ix U. rewrite Me, (h_upright _ Hp x Ix U), orb_false_r. destruct (Bool.eqb M (turn p)) eqn:T; auto.
    apply Bool.eqb_prop in T. destruct (C (eq_sym T) x Ix) as [C1 _]. simpl. apply eqb_false. intro E. apply C1; auto.
  - intros x Ix. rewrite !Me. destruct (Bool.eqb M (turn p)) eqn:T; simpl; [|apply (h_level _ Hp); auto].
    apply Bool.eqb_prop in T. destruct (C (eq_sym T) x Ix) as [_ [C2 C3]].
    assert (Nd : NoDup (ends ps)) by apply parts. destruct (ends_apart ps Nd x x Ix Ix) as [Ne _].
    destruct (one x =? cell s) eqn:E1.
    + apply Uint63.eqb_correct in E1. rewrite (C2 (eq_sym E1)). rewrite <- E1. rewrite (eqb_false (two x)) by auto. reflexivity.
    + destruct (two x =? cell s) eqn:E2; simpl; [|apply (h_level _ Hp); auto].
      apply Uint63.eqb_correct in E2. rewrite (C3 (eq_sym E2)). reflexivity.
Qed.

Lemma win_when_full : forall p, inv p -> (forall q, In q squares -> playable p q = false) ->
  has_line lines (side W p) = false -> win = false.
Proof.
  intros p I St N. destruct parts as [_ [_ [_ [Or [Li [_ [_ [_ [_ [_ [En Aim]]]]]]]]]]].
  assert (Full : forall c, In c (map cell squares) -> occupied p c = true).
  { intros c Ic. apply in_map_iff in Ic. destruct Ic as [q [E Iq]]. subst c.
    refine (stuck_full p St squares [] Or (incl_refl _) _ q Iq). intros c []. }
  destruct aim as [r|] eqn:Ea.
  - destruct Aim as [[x [Ix [_ E]]] _]. assert (O : occupied p r = true).
    { apply Full. subst r. apply En. apply (ends_in ps x Ix). }
    rewrite (i_aim _ I r) in O; [discriminate|rewrite Ea; reflexivity].
  - destruct win eqn:Ew; auto. destruct (Aim eq_refl) as [l [Il Pr]].
    assert (has_line lines (side W p) = true); [|congruence]. apply (W_line p l); auto; [apply (i_held _ I)|rewrite Ea; exact Pr|].
    intros c Ic _. apply Full. eapply Li; eauto.
Qed.

Lemma pairs_force : forall n p, inv p -> empties squares p = n -> @forces G W (goal win) n p.
Proof.
  intro n. induction n as [n IH] using lt_wf_ind. intros p I En. pose proof (i_held _ I) as Hp.
  destruct parts as [_ [_ [_ [_ [Li [_ [Nd [_ [_ [_ [Ends Aim]]]]]]]]]]].
  destruct (board_over squares lines p) as [v|] eqn:O.
  { eapply forces_end; [exact O|]. apply (end_good p v (i_no_line _ I) O). intros St N. eapply win_when_full; eauto. }
  assert (NW : has_line lines (side W p) = false).
  { unfold board_over in O. unfold side. destruct (has_line lines (xs p)) eqn:X; [discriminate|].
    destruct (has_line lines (os p)) eqn:Y; [discriminate|]. destruct W; auto. }
  destruct (not_over _ _ 1 _ O) as [[q0 [Iq0 P0]] NE].
  assert (Pos : (0 < n)%nat).
  { destruct (playable_parts _ _ P0) as [F _]. pose proof (empties_put squares 1 p q0 (h_room _ Hp) Iq0 F). lia. }
  destruct n as [|n]; [lia|].
  apply (@forces_theirs G W (goal win) n p); auto.
  { unfold mine. simpl. rewrite (i_turn _ I). destruct W; reflexivity. }
  intros m r Ir. apply in_succ in Ir. destruct Ir as [s [Is [Ps [Er _]]]]. subst r.
  destruct (answer p s I Is Ps) as [x [t [Ix [It [Pt Ex]]]]].
  destruct (playable_parts _ _ Ps) as [Fs Bs]. destruct (playable_parts _ _ Pt) as [Ft Bt].
  destruct (h_room _ Hp s Is) as [Sx So].
  set (p1 := put 1 p (cell s)) in *.
  assert (Less1 : (empties squares p1 < S n)%nat) by (rewrite <- En; apply empties_put; auto; apply (h_room _ Hp)).
  destruct (put_turn p (cell s) (h_left _ Hp)) as [T1 L1]. fold p1 in T1, L1. rewrite (i_turn _ I), negb_involutive in T1.
  assert (Ft0 : occupied p (cell t) = false /\ cell t <> cell s).
  { unfold p1 in Ft. rewrite occupied_put in Ft by auto. apply orb_false_iff in Ft. destruct Ft as [A B]. split; auto.
    intro E. rewrite E, Uint63.eqb_refl in A. discriminate. }
  destruct Ft0 as [Ft0 Nts].
  (* The pair of s is x and no other one. *)
  assert (Own : forall y, In y ps -> (cell s = one y \/ cell s = two y \/ cell t = one y \/ cell t = two y) -> y = x).
  { intros y Iy C. destruct (ends_apart ps Nd x y Ix Iy) as [A1 [A2 A3]]. destruct (ends_apart ps Nd y x Iy Ix) as [B1 [B2 B3]].
    destruct Ex as [[E1 E2]|[_ [E1 E2]]]; rewrite E1, E2 in C; intuition (try congruence); symmetry; auto. }
  assert (H1 : held p1).
  { apply held_put; auto. intros _ y Iy. repeat split.
    - intros U E. assert (y = x) by (apply Own; auto). subst y. destruct Ex as [[E1 _]|[U' _]]; [|congruence].
      destruct (ends_apart ps Nd x x Ix Ix) as [A _]. congruence.
    - intro E. assert (y = x) by (apply Own; auto). subst y. apply unoccupied. rewrite <- (i_both _ I x Ix), <- E. exact Fs.
    - intro E. assert (y = x) by (apply Own; auto). subst y. apply unoccupied. rewrite (i_both _ I x Ix), <- E. exact Fs. }
  assert (NM1 : has_line lines (side M p1) = false).
  { apply M_has_no_line; auto. replace (side W p1) with (side W p); auto. apply other_side. apply (i_turn _ I). }
  destruct (board_over squares lines p1) as [v|] eqn:O1.
  { eapply forces_end; [exact O1|]. apply (end_good p1 v NM1 O1). intros St _. rewrite St in Pt by auto. discriminate. }
  set (p2 := put 1 p1 (cell t)).
  assert (Less2 : (empties squares p2 < empties squares p1)%nat) by (apply empties_put; auto; apply (h_room _ H1)).
  destruct n as [|n]; [lia|].
  apply (@forces_mine G W (goal win) n p1 (code t) p2); auto.
  { change (Bool.eqb W (turn p1) = true). rewrite T1. apply Bool.eqb_reflx. }
  { apply succ_in; auto. }
  destruct (put_turn p1 (cell t) L1) as [T2 L2]. fold p2 in T2, L2. rewrite T1 in T2.
  assert (H2 : held p2).
  { apply held_put; auto. intro T. rewrite T1 in T. destruct W; discriminate. }
  assert (NM2 : has_line lines (side M p2) = false).
  { replace (side M p2) with (side M p1); auto. apply other_side. rewrite T1. destruct W; reflexivity. }
  destruct (h_room _ H1 t It) as [Tx To].
  assert (Oc : forall d, occupied p2 d = (d =? cell t) || ((d =? cell s) || occupied p d)).
  { intro d. unfold p2. rewrite occupied_put by auto. unfold p1. rewrite occupied_put by auto. reflexivity. }
  destruct (match aim with Some r => r =? cell t | None => false end) eqn:Hit.
  - (* W takes the square that it aims at. *)
    assert (Ea : exists r, aim = Some r /\ r = cell t).
    { clear -Hit. destruct aim as [r|]; [|discriminate]. apply Uint63.eqb_correct in Hit. eauto. }
    destruct Ea as [r [Ea Er]]. rewrite Ea in Aim. destruct Aim as [_ [l [Il Pr]]]. subst r.
    assert (Wl : has_line lines (side W p2) = true).
    { apply (W_line p2 l); auto; [rewrite Ea; exact Pr|]. intros c Ic Nc. unfold promised in Pr. apply andb_true_iff in Pr.
      destruct Pr as [_ Pr]. rewrite forallb_forall in Pr. specialize (Pr c Ic). rewrite !andb_true_iff, !orb_true_iff in Pr.
      destruct Pr as [_ [[Pr|Pr]|Pr]].
      - congruence.
      - rewrite Oc, Pr. reflexivity.
      - rewrite forallb_forall in Pr. specialize (Pr t It). rewrite Uint63.eqb_refl in Pr. simpl in Pr. apply is_in_ok in Pr.
        apply Bt in Pr. unfold p2. rewrite occupied_put by auto. rewrite Pr. apply orb_true_r. }
    destruct (W_wins p2 Wl NM2) as [v [Ov V]]. eapply forces_end; [exact Ov|exact V].
  - eapply forces_more; [eapply (IH (empties squares p2)); auto; [lia|]|lia]. constructor; auto.
    + intros y Iy. rewrite !Oc.
      destruct ((one y =? cell t) || (one y =? cell s) || (two y =? cell t) || (two y =? cell s)) eqn:C.
      * assert (y = x).
        { apply Own; auto. rewrite !orb_true_iff in C. destruct C as [[[C|C]|C]|C]; apply Uint63.eqb_correct in C; auto. }
        subst y. destruct Ex as [[E1 E2]|[_ [E1 E2]]]; rewrite E1, E2, !Uint63.eqb_refl, ?orb_true_r; reflexivity.
      * rewrite !orb_false_iff in C. destruct C as [[[C1 C2] C3] C4]. rewrite C1, C2, C3, C4. simpl. apply (i_both _ I y Iy).
    + intros r Er. rewrite Er in Hit. rewrite Oc, Hit. simpl. rewrite (i_aim _ I r Er), orb_false_r.
      apply eqb_false. intro E. rewrite Er in Aim. destruct Aim as [[z [Iz [Uz Ez]]] _].
      assert (z = x) by (apply Own; auto; right; left; congruence). subst z.
      destruct Ex as [[E1 E2]|[U' _]]; [|congruence]. destruct (ends_apart ps Nd x x Ix Ix) as [A _]. congruence.
Qed.

Lemma inv_start : inv p0.
Proof.
  destruct parts as [[R [Ap [Ov Gr]]] [T [L [_ [_ [_ [Nd [Po [_ [_ [_ Aim]]]]]]]]]]].
  assert (Free : forall x, In x ps -> occupied p0 (one x) = false /\ occupied p0 (two x) = false).
  { intros x Ix. specialize (Po x Ix). unfold pair_ok in Po. rewrite !andb_true_iff in Po. destruct Po as [[[A B] _] _].
    apply negb_true_iff in A. apply negb_true_iff in B. auto. }
  assert (N0 : has_line lines (side M p0) = false).
  { unfold board_over in Ov. unfold side. destruct (has_line lines (xs p0)) eqn:X; [discriminate|].
    destruct (has_line lines (os p0)) eqn:Y; [discriminate|]. destruct W; auto. }
  constructor; auto.
  - constructor; auto.
    + intros x Ix _. apply unoccupied. apply Free; auto.
    + intros x Ix. rewrite (unoccupied p0 (one x)); [reflexivity|apply Free; auto].
  - intros x Ix. destruct (Free x Ix) as [A B]. rewrite A, B. reflexivity.
  - intros r E. rewrite E in Aim. destruct Aim as [[x [Ix [_ Ex]]] _]. subst r. apply Free; auto.
Qed.

Theorem pairs_sound : @forces G W (goal win) (empties squares p0) p0.
Proof. apply pairs_force; auto. apply inv_start. Qed.
End Start.
End Pairs.
