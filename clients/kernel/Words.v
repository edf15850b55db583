(** Line games on boards of at most 63 squares, with a machine word for the stones of a side: the same rules as those of
    Lines.v (theorems [quick_over_same], [quick_succ_same]), computed faster; and the symmetries of the board. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines.
Import ListNotations.
Local Open Scope uint63_scope.

(** * Words *)
Definition word (l : list int) : int := fold_right (fun c w => w lor (1 << c)) 0 l.
Definition narrow (l : list int) : bool := forallb (fun c => c <? 63) l.

Lemma wide : forall (s d : int), (d <? 63) = false -> bit s d = false.
Proof. intros s d H. apply bit_M. apply not_less in H. apply leb_spec. exact H. Qed.
Lemma bit_word : forall l d, narrow l = true -> bit (word l) d = is_in d l.
Proof.
  induction l as [|c l IH]; intros d H; [apply bit_0|]. cbn [narrow forallb] in H. apply andb_true_iff in H. destruct H as [C H].
  cbn [word fold_right is_in existsb]. rewrite lor_spec. fold (word l). rewrite IH by exact H. rewrite orb_comm.
  destruct (d <? 63) eqn:D; [rewrite bit_one by auto; reflexivity|].
  rewrite wide by exact D. rewrite (eqb_apart c d) by congruence. reflexivity.
Qed.
Lemma word_subset : forall l s, narrow l = true -> (s land word l =? word l) = forallb (fun c => bit s c) l.
Proof.
  intros l s N. apply eq_true_iff_eq. rewrite forallb_forall. split.
  - intros E c I. apply Uint63.eqb_correct in E. assert (B : bit (word l) c = true) by (rewrite bit_word by auto; apply is_in_ok; auto).
    rewrite <- E, land_spec in B. apply andb_true_iff in B. tauto.
  - intro F. replace (s land word l) with (word l); [apply Uint63.eqb_refl|]. apply bit_ext. intro d. rewrite land_spec, bit_word by auto.
    destruct (is_in d l) eqn:I; [|rewrite andb_false_r; reflexivity]. apply is_in_ok in I. rewrite F by auto. reflexivity.
Qed.
Lemma word_apart : forall l s, narrow l = true -> (s land word l =? 0) = negb (existsb (fun c => bit s c) l).
Proof.
  intros l s N. destruct (existsb (fun c => bit s c) l) eqn:E; simpl.
  - apply existsb_exists in E. destruct E as [c [I B]]. apply eqb_false. intro Z.
    assert (X : bit (s land word l) c = true).
    { rewrite land_spec, bit_word, B by auto. apply is_in_ok in I. rewrite I. reflexivity. }
    rewrite Z, bit_0 in X. discriminate.
  - replace (s land word l) with 0; [apply Uint63.eqb_refl|]. apply bit_ext. intro d. rewrite bit_0, land_spec, bit_word by auto.
    destruct (bit s d) eqn:B; auto. simpl. destruct (is_in d l) eqn:I; auto. apply is_in_ok in I.
    assert (existsb (fun c => bit s c) l = true); [|congruence]. apply existsb_exists. eauto.
Qed.

(** * The rules with words *)
Inductive word_lines := No_line | Line_of (need spoil : int) (rest : word_lines).
Inductive word_squares := No_square | Square_of (code bit below : int) (rest : word_squares).

Fixpoint any_line (s : int) (l : word_lines) : bool :=
  match l with
  | No_line => false
  | Line_of need spoil l => if s land need =? need then if s land spoil =? 0 then true else any_line s l else any_line s l
  end.
Definition can_play (occ b below : int) : bool := if occ land b =? 0 then occ land below =? below else false.
Fixpoint any_move (occ : int) (l : word_squares) : bool :=
  match l with
  | No_square => false
  | Square_of _ b below l => if can_play occ b below then true else any_move occ l
  end.
Fixpoint moves (occ x o : int) (p : board) (t : bool) (n : int) (l : word_squares) : list (int * board) :=
  match l with
  | No_square => []
  | Square_of c b below l =>
    if can_play occ b below
    then (c, if turn p then Board [x lor b] (os p) t n else Board (xs p) [o lor b] t n) :: moves occ x o p t n l
    else moves occ x o p t n l
  end.

Fixpoint word_lines_of (l : list line) : word_lines :=
  match l with [] => No_line | k :: l => Line_of (word (on k)) (word (stops k)) (word_lines_of l) end.
Fixpoint word_squares_of (l : list square) : word_squares :=
  match l with [] => No_square | q :: l => Square_of (code q) (1 << cell q) (word (below q)) (word_squares_of l) end.

Section Rules.
Variables (squares : list square) (lines : list line) (per_turn : int).
Notation G := (line_game squares lines per_turn).

Record quick := Quick { on_words : bool; q_lines : word_lines; q_squares : word_squares }.
Definition fit_words : bool :=
  forallb (fun q => (cell q <? 63) && narrow (below q)) squares && forallb (fun l => narrow (on l) && narrow (stops l)) lines.
Definition prepare : quick :=
  if fit_words then Quick true (word_lines_of lines) (word_squares_of squares) else Quick false No_line No_square.

Definition quick_over (q : quick) (p : board) : option int :=
  match xs p, os p with
  | [x], [o] =>
    if on_words q
    then if any_line x (q_lines q) then Some 2 else if any_line o (q_lines q) then Some 0
         else if any_move (x lor o) (q_squares q) then None else Some 1
    else board_over squares lines p
  | _, _ => board_over squares lines p
  end.
Definition quick_succ (q : quick) (p : board) : list (int * board) :=
  match xs p, os p with
  | [x], [o] =>
    if on_words q
    then let last := left p =? 1 in
         moves (x lor o) x o p (xorb (turn p) last) (if last then per_turn else left p - 1) (q_squares q)
    else board_succ squares per_turn p
  | _, _ => board_succ squares per_turn p
  end.

Section Same.
Hypothesis fit : fit_words = true.

Lemma fit_square : forall q, In q squares -> (cell q <? 63) = true /\ narrow (below q) = true.
Proof.
  intros q I. unfold fit_words in fit. apply andb_true_iff in fit. destruct fit as [F _]. rewrite forallb_forall in F.
  apply andb_true_iff. apply F. exact I.
Qed.
Lemma fit_line : forall l, In l lines -> narrow (on l) = true /\ narrow (stops l) = true.
Proof.
  intros l I. unfold fit_words in fit. apply andb_true_iff in fit. destruct fit as [_ F]. rewrite forallb_forall in F.
  apply andb_true_iff. apply F. exact I.
Qed.
Lemma mem_one : forall c w, (c <? 63) = true -> mem c [w] = bit w c.
Proof. intros c w H. cbn [mem]. rewrite H. reflexivity. Qed.
Lemma all_one : forall l w, narrow l = true -> forallb (fun c => mem c [w]) l = forallb (fun c => bit w c) l.
Proof.
  induction l as [|c l IH]; intros w N; auto. cbn [narrow forallb] in *. apply andb_true_iff in N. destruct N as [C N].
  rewrite mem_one by exact C. rewrite IH by exact N. reflexivity.
Qed.
Lemma some_one : forall l w, narrow l = true -> existsb (fun c => mem c [w]) l = existsb (fun c => bit w c) l.
Proof.
  induction l as [|c l IH]; intros w N; auto. cbn [narrow forallb existsb] in *. apply andb_true_iff in N. destruct N as [C N].
  rewrite mem_one by exact C. rewrite IH by exact N. reflexivity.
Qed.

Lemma any_line_same : forall s, any_line s (word_lines_of lines) = has_line lines [s].
Proof.
  intro s. unfold has_line.
  assert (A : forall l, incl l lines -> any_line s (word_lines_of l) = existsb (complete [s]) l); [|apply A, incl_refl].
  induction l as [|k l IH]; intro A; [reflexivity|]. cbn [word_lines_of any_line existsb].
  destruct (fit_line k (A k (or_introl eq_refl))) as [N S].
  rewrite word_subset, word_apart by auto. unfold complete. rewrite all_one, some_one by auto.
  rewrite IH by (intros x I; apply A; right; exact I).
  destruct (forallb _ (on k)); reflexivity.
Qed.
Lemma occupied_words : forall x o t n c, (c <? 63) = true -> occupied (Board [x] [o] t n) c = bit (x lor o) c.
Proof. intros. unfold occupied. simpl xs. simpl os. rewrite !mem_one by auto. rewrite lor_spec. reflexivity. Qed.
Lemma can_play_same : forall x o t n q, In q squares ->
  can_play (x lor o) (1 << cell q) (word (below q)) = playable (Board [x] [o] t n) q.
Proof.
  intros x o t n q I. destruct (fit_square q I) as [C N]. unfold can_play, playable. rewrite occupied_words by auto.
  rewrite word_subset by auto.
  assert (E : (x lor o) land (1 << cell q) =? 0 = negb (bit (x lor o) (cell q))).
  { pose proof (word_apart [cell q] (x lor o)) as W. cbn [word fold_right narrow forallb existsb] in W.
    rewrite C in W. specialize (W eq_refl). rewrite orb_false_r in W. rewrite <- W. f_equal. f_equal.
    apply bit_ext. intro d. rewrite lor_spec, bit_0. reflexivity. }
  rewrite E. destruct (negb _); auto. simpl.
  assert (F : forall l, narrow l = true -> forallb (bit (x lor o)) l = forallb (occupied (Board [x] [o] t n)) l).
  { induction l as [|d l IH]; intros Nl; auto. cbn [narrow forallb] in *. apply andb_true_iff in Nl. destruct Nl as [D Nl].
    rewrite occupied_words by auto. rewrite IH by auto. reflexivity. }
  apply F. exact N.
Qed.
Lemma any_move_same : forall x o t n, any_move (x lor o) (word_squares_of squares) = existsb (playable (Board [x] [o] t n)) squares.
Proof.
  intros x o t n.
  assert (A : forall l, incl l squares -> any_move (x lor o) (word_squares_of l) = existsb (playable (Board [x] [o] t n)) l);
    [|apply A, incl_refl].
  induction l as [|q l IH]; intro A; [reflexivity|]. cbn [word_squares_of any_move existsb].
  rewrite (can_play_same x o t n q) by (apply A; left; reflexivity). rewrite IH by (intros y I; apply A; right; exact I).
  destruct (playable _ q); auto.
Qed.
Lemma moves_same : forall x o p, xs p = [x] -> os p = [o] ->
  moves (x lor o) x o p (xorb (turn p) (left p =? 1)) (if left p =? 1 then per_turn else left p - 1) (word_squares_of squares) =
  board_succ squares per_turn p.
Proof.
  intros x o p X O. unfold board_succ.
  assert (A : forall l, incl l squares ->
    moves (x lor o) x o p (xorb (turn p) (left p =? 1)) (if left p =? 1 then per_turn else left p - 1) (word_squares_of l) =
    map (fun q => (code q, put per_turn p (cell q))) (filter (playable p) l)); [|apply A, incl_refl].
  induction l as [|q l IH]; intro A; [reflexivity|]. cbn [word_squares_of moves filter].
  assert (I : In q squares) by (apply A; left; reflexivity).
  rewrite (can_play_same x o (turn p) (left p) q) by exact I. rewrite IH by (intros y J; apply A; right; exact J).
  replace (Board [x] [o] (turn p) (left p)) with p by (destruct p; simpl in *; subst; reflexivity).
  destruct (playable p q); auto. cbn [map]. f_equal. f_equal. destruct (fit_square q I) as [C _].
  unfold put. rewrite X, O. cbn [with_cell]. rewrite C. destruct (turn p); reflexivity.
Qed.
End Same.

Theorem quick_over_same : forall p, quick_over prepare p = board_over squares lines p.
Proof.
  intro p. unfold quick_over, prepare. destruct (xs p) as [|x [|]] eqn:X; auto. destruct (os p) as [|o [|]] eqn:O; auto.
  destruct fit_words eqn:F; auto. cbn [on_words q_lines q_squares]. rewrite !any_line_same by auto.
  rewrite (any_move_same F x o (turn p) (left p)). unfold board_over. rewrite X, O.
  replace (Board [x] [o] (turn p) (left p)) with p by (destruct p; simpl in *; subst; reflexivity). reflexivity.
Qed.
Theorem quick_succ_same : forall p, quick_succ prepare p = board_succ squares per_turn p.
Proof.
  intro p. unfold quick_succ, prepare. destruct (xs p) as [|x [|]] eqn:X; auto. destruct (os p) as [|o [|]] eqn:O; auto.
  destruct fit_words eqn:F; auto. cbn [on_words q_squares]. apply moves_same; auto.
Qed.
End Rules.
