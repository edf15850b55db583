(** Symmetries of boards of at most 63 squares: the image of a word of stones is found by shifting parts of it. Which shifts
    are symmetries of the game is checked for the board at hand ([is_symmetry]), so that nothing is assumed about them. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines Words.
Import ListNotations.
Local Open Scope uint63_scope.

Inductive shift := Up (mask by_ : int) | Down (mask by_ : int).
Definition part (g : shift) (s : int) : int := match g with Up m k => (s land m) << k | Down m k => (s land m) >> k end.
Fixpoint turned (gs : list shift) (s : int) : int := match gs with [] => 0 | g :: gs => part g s lor turned gs s end.
(** The shifts that bring each pair's first cell to its second one. *)
Definition shifts (pairs : list (int * int)) : list shift :=
  flat_map (fun n =>
    let k := of_Z (Z.of_nat n) in
    let up := word (map fst (filter (fun e => snd e =? fst e + k) pairs)) in
    let down := word (map fst (filter (fun e => fst e =? snd e + k) pairs)) in
    (if up =? 0 then [] else [Up up k]) ++ (if (down =? 0) || (k =? 0) then [] else [Down down k])) (seq 0 63).

(** The bit that a shift brings to a place. *)
Definition origin (g : shift) (d : int) : option int :=
  match g with
  | Up m k => if (d <? k) || (63 <=? d) then None else if bit m (d - k) then Some (d - k) else None
  | Down m k => if d <=? k + d then if bit m (k + d) then Some (k + d) else None else None
  end.
Definition origins (gs : list shift) (d : int) : list int :=
  flat_map (fun g => match origin g d with Some c => [c] | None => [] end) gs.
Definition from (gs : list shift) (c d : int) : bool := match origins gs d with [e] => e =? c | _ => false end.

Lemma bit_part : forall g s d, bit (part g s) d = match origin g d with Some c => bit s c | None => false end.
Proof.
  intros [m k|m k] s d; unfold part, origin.
  - rewrite bit_lsl. change digits with 63. destruct ((d <? k) || (63 <=? d)); auto. rewrite land_spec.
    destruct (bit m (d - k)); [apply andb_true_r|apply andb_false_r].
  - rewrite bit_lsr. destruct (d <=? k + d); auto. rewrite land_spec.
    destruct (bit m (k + d)); [apply andb_true_r|apply andb_false_r].
Qed.
Lemma bit_turned : forall gs s d, bit (turned gs s) d = existsb (bit s) (origins gs d).
Proof.
  induction gs as [|g gs IH]; intros s d; [apply bit_0|]. cbn [turned]. rewrite lor_spec, bit_part, IH.
  unfold origins. cbn [flat_map]. rewrite existsb_app. f_equal. destruct (origin g d); simpl; auto using orb_false_r.
Qed.
Lemma turned_lor : forall gs a b, turned gs (a lor b) = turned gs a lor turned gs b.
Proof.
  intros gs a b. apply bit_ext. intro d. rewrite lor_spec, !bit_turned. induction (origins gs d) as [|c l IH]; auto.
  simpl. rewrite IH, lor_spec. destruct (bit a c), (bit b c), (existsb (bit a) l), (existsb (bit b) l); reflexivity.
Qed.
Lemma from_ok : forall gs c d, from gs c d = true -> forall s, bit (turned gs s) d = bit s c.
Proof.
  intros gs c d H s. rewrite bit_turned. unfold from in H. destruct (origins gs d) as [|e [|]]; try discriminate.
  apply Uint63.eqb_correct in H. subst. simpl. apply orb_false_r.
Qed.

Section Symmetry.
Variables (squares : list square) (lines : list line) (per_turn : int) (gs : list shift).
Notation G := (line_game squares lines per_turn).

Definition image (p : board) : board :=
  match xs p, os p with [x], [o] => Board [turned gs x] [turned gs o] (turn p) (left p) | _, _ => p end.

(** The cells of the second list are those that cells of the first are brought to. *)
Definition meets (a b : list int) : bool :=
  forallb (fun d => existsb (fun c => from gs c d) a) b && forallb (fun c => existsb (fun d => from gs c d) b) a.
Definition square_to (q r : square) : bool :=
  if turned gs (1 << cell q) =? 1 << cell r then from gs (cell q) (cell r) && meets (below q) (below r) else false.
Definition line_to (l k : line) : bool :=
  if turned gs (word (on l)) =? word (on k) then meets (on l) (on k) && meets (stops l) (stops k) else false.
Definition is_symmetry : bool :=
  fit_words squares lines &&
  forallb (fun q => existsb (square_to q) squares) squares && forallb (fun r => existsb (fun q => square_to q r) squares) squares &&
  forallb (fun l => existsb (line_to l) lines) lines && forallb (fun k => existsb (fun l => line_to l k) lines) lines.

Hypothesis ok : is_symmetry = true.

Lemma parts : fit_words squares lines = true /\
  (forall q, In q squares -> exists r, In r squares /\ square_to q r = true) /\
  (forall r, In r squares -> exists q, In q squares /\ square_to q r = true) /\
  (forall l, In l lines -> exists k, In k lines /\ line_to l k = true) /\
  (forall k, In k lines -> exists l, In l lines /\ line_to l k = true).
Proof.
  pose proof ok as H. unfold is_symmetry in H. rewrite !andb_true_iff, !forallb_forall in H.
  destruct H as [[[[F A] B] C] D]. split; auto.
  split; [intros x I; specialize (A x I)|split; [intros x I; specialize (B x I)|split; [intros x I; specialize (C x I)|intros x I; specialize (D x I)]]];
    [apply existsb_exists in A|apply existsb_exists in B|apply existsb_exists in C|apply existsb_exists in D]; eauto.
Qed.

Lemma meets_all : forall a b s, meets a b = true -> forallb (bit (turned gs s)) b = forallb (bit s) a.
Proof.
  intros a b s H. unfold meets in H. rewrite andb_true_iff, !forallb_forall in H. destruct H as [A B].
  apply eq_true_iff_eq. rewrite !forallb_forall. split; intros F c I.
  - specialize (B c I). apply existsb_exists in B. destruct B as [d [J E]]. rewrite <- (from_ok _ _ _ E). auto.
  - specialize (A c I). apply existsb_exists in A. destruct A as [d [J E]]. rewrite (from_ok _ _ _ E). auto.
Qed.
Lemma meets_some : forall a b s, meets a b = true -> existsb (bit (turned gs s)) b = existsb (bit s) a.
Proof.
  intros a b s H. unfold meets in H. rewrite andb_true_iff, !forallb_forall in H. destruct H as [A B].
  apply eq_true_iff_eq. rewrite !existsb_exists. split; intros [c [I F]].
  - specialize (A c I). apply existsb_exists in A. destruct A as [d [J E]]. rewrite (from_ok _ _ _ E) in F. eauto.
  - specialize (B c I). apply existsb_exists in B. destruct B as [d [J E]]. rewrite <- (from_ok _ _ _ E) in F. eauto.
Qed.

Lemma complete_to : forall l k s, In l lines -> In k lines -> line_to l k = true -> complete [turned gs s] k = complete [s] l.
Proof.
  intros l k s Il Ik H. unfold line_to in H. destruct (_ =? _); [|discriminate]. apply andb_true_iff in H. destruct H as [A B].
  destruct (fit_line _ _ (proj1 parts) l Il). destruct (fit_line _ _ (proj1 parts) k Ik).
  unfold complete. rewrite !all_one, !some_one by auto.
  f_equal; [apply (meets_all _ _ s A)|f_equal; apply (meets_some _ _ s B)].
Qed.
Lemma has_line_image : forall s, has_line lines [turned gs s] = has_line lines [s].
Proof.
  intro s. destruct parts as [_ [_ [_ [C D]]]]. unfold has_line. apply eq_true_iff_eq. rewrite !existsb_exists. split.
  - intros [k [I E]]. destruct (D k I) as [l [J H]]. exists l. rewrite <- (complete_to l k s) by auto. auto.
  - intros [l [I E]]. destruct (C l I) as [k [J H]]. exists k. rewrite (complete_to l k s) by auto. auto.
Qed.

Section Words.
Variables (p : board) (x o : int).
Hypothesis X : xs p = [x].
Hypothesis O : os p = [o].

Lemma image_words : image p = Board [turned gs x] [turned gs o] (turn p) (left p).
Proof. unfold image. rewrite X, O. reflexivity. Qed.
Lemma as_words : p = Board [x] [o] (turn p) (left p).
Proof. destruct p; simpl in *; subst; reflexivity. Qed.

Lemma playable_image : forall q r, In q squares -> In r squares -> square_to q r = true -> playable (image p) r = playable p q.
Proof.
  intros q r Iq Ir H. unfold square_to in H. destruct (_ =? _); [|discriminate]. apply andb_true_iff in H. destruct H as [E M].
  destruct (fit_square _ _ (proj1 parts) q Iq) as [Cq Nq]. destruct (fit_square _ _ (proj1 parts) r Ir) as [Cr Nr].
  rewrite image_words. rewrite as_words at 3. unfold playable. rewrite !occupied_words by auto.
  rewrite <- turned_lor, (from_ok _ _ _ E). f_equal.
  assert (F : forall l x o t n, narrow l = true -> forallb (occupied (Board [x] [o] t n)) l = forallb (bit (x lor o)) l).
  { clear. induction l as [|d l IH]; intros x o t n N; auto. cbn [narrow forallb] in *. apply andb_true_iff in N. destruct N as [D N].
    rewrite occupied_words, IH by auto. reflexivity. }
  rewrite !F by auto. rewrite <- turned_lor. apply (meets_all _ _ _ M).
Qed.
Lemma put_image : forall q r, In q squares -> In r squares -> square_to q r = true ->
  image (put per_turn p (cell q)) = put per_turn (image p) (cell r).
Proof.
  intros q r Iq Ir H. unfold square_to in H. destruct (turned gs _ =? _) eqn:T; [|discriminate]. apply Uint63.eqb_correct in T.
  destruct (fit_square _ _ (proj1 parts) q Iq) as [Cq _]. destruct (fit_square _ _ (proj1 parts) r Ir) as [Cr _].
  rewrite image_words. unfold image, put. rewrite X, O. cbn [xs os turn left with_cell]. rewrite Cq, Cr.
  destruct (turn p); rewrite turned_lor, T; reflexivity.
Qed.
Lemma over_image : board_over squares lines (image p) = board_over squares lines p.
Proof.
  destruct parts as [_ [A [B _]]]. unfold board_over.
  assert (Xi : xs (image p) = [turned gs x]) by (rewrite image_words; reflexivity).
  assert (Oi : os (image p) = [turned gs o]) by (rewrite image_words; reflexivity). rewrite Xi, Oi, X, O.
  rewrite !has_line_image. replace (existsb (playable (image p)) squares) with (existsb (playable p) squares); auto.
  apply eq_true_iff_eq. rewrite !existsb_exists. split.
  - intros [q [I P]]. destruct (A q I) as [r [J H]]. exists r. rewrite (playable_image q r) by auto. auto.
  - intros [r [I P]]. destruct (B r I) as [q [J H]]. exists q. rewrite <- (playable_image q r) by auto. auto.
Qed.
End Words.

Theorem image_symmetric : @symmetric G image.
Proof.
  destruct parts as [_ [A [B _]]].
  assert (Other : forall p, (forall x o, xs p = [x] -> os p = [o] -> False) -> image p = p).
  { intros p N. unfold image. destruct (xs p) as [|x [|]]; auto. destruct (os p) as [|o [|]]; auto. exfalso. eapply N; reflexivity. }
  assert (Dec : forall p, (exists x o, xs p = [x] /\ os p = [o]) \/ (forall x o, xs p = [x] -> os p = [o] -> False)).
  { intro p. destruct (xs p) as [|x [|]]; destruct (os p) as [|o [|]];
      solve [left; eauto | right; intros; discriminate]. }
  assert (Shape : forall p c x o, xs (put per_turn p c) = [x] -> os (put per_turn p c) = [o] ->
    exists a b, xs p = [a] /\ os p = [b]).
  { intros p c x o X O. apply (f_equal (@length int)) in X. apply (f_equal (@length int)) in O. unfold put in X, O. cbn [xs os] in X, O.
    assert (L : length (xs p) = 1%nat /\ length (os p) = 1%nat).
    { destruct (turn p); try rewrite length_add in X; try rewrite length_add in O; split; [exact X|exact O|exact X|exact O]. }
    destruct L as [L M]. destruct (xs p) as [|a [|]], (os p) as [|b [|]]; try discriminate; eauto. }
  split.
  - intro p. unfold image. destruct (xs p) as [|x [|]]; auto. destruct (os p) as [|o [|]]; auto.
  - intro p. destruct (Dec p) as [[x [o [X O]]]|N]; [apply (over_image p x o); auto|rewrite Other; auto].
  - intros p m q I. apply in_succ in I. destruct I as [s [Is [P [E _]]]]. subst q.
    destruct (Dec p) as [[x [o [X O]]]|N].
    + destruct (A s Is) as [r [Ir H]]. exists (code r). rewrite (put_image p x o X O s r) by auto.
      apply succ_in; auto. rewrite (playable_image p x o X O s r) by auto. exact P.
    + exists (code s). rewrite !Other; auto.
      * apply succ_in; auto.
      * intros x o X O. destruct (Shape _ _ _ _ X O) as [a [b [Xa Ob]]]. eapply N; eauto.
  - intros p m q' I. apply in_succ in I. destruct I as [r [Ir [P [E _]]]]. subst q'.
    destruct (Dec p) as [[x [o [X O]]]|N].
    + destruct (B r Ir) as [q [Iq H]]. exists (code q), (put per_turn p (cell q)). split.
      * symmetry. apply (put_image p x o); auto.
      * apply succ_in; auto. rewrite <- (playable_image p x o X O q r) by auto. exact P.
    + rewrite Other in * by auto. exists (code r), (put per_turn p (cell r)). split; [|apply succ_in; auto].
      symmetry. apply Other. intros x o X O. destruct (Shape _ _ _ _ X O) as [a [b [Xa Ob]]]. eapply N; eauto.
Qed.
End Symmetry.

(** * All images *)
Section Images.
Variables (squares : list square) (lines : list line) (per_turn : int) (gens : list (list shift)).
Notation G := (line_game squares lines per_turn).

Definition orbit (p : board) : list board := fold_left (fun l gs => l ++ map (image gs) l) gens [p].
Definition orbit_hash (p : board) : int := fold_left (fun h q => h + board_hash q) (orbit p) 0.
Definition products : list (board -> board) :=
  fold_left (fun l gs => l ++ map (fun s p => image gs (s p)) l) gens [fun p => p].

Hypothesis gens_ok : forall gs, In gs gens -> is_symmetry squares lines gs = true.
Lemma products_symmetric : forall s, In s (tl products) -> @symmetric G s.
Proof.
  assert (A : forall some l, (forall gs, In gs some -> is_symmetry squares lines gs = true) ->
    (forall s, In s l -> @symmetric G s) ->
    forall s, In s (fold_left (fun l gs => l ++ map (fun s p => image gs (s p)) l) some l) -> @symmetric G s).
  { clear. induction some as [|g others IH]; intros l Ok L s I; [apply L; exact I|]. cbn [fold_left] in I. eapply IH; [| |exact I].
    - intros gs J. apply Ok. right. exact J.
    - intros t J. apply in_app_or in J. destruct J as [J|J]; [auto|]. apply in_map_iff in J. destruct J as [u [E J]]. subst t.
      apply (@symmetric_compose G u (image g)); [auto|]. apply image_symmetric. apply Ok. left. reflexivity. }
  intros s I. apply (A gens [fun p => p]); auto.
  - intros t [E|[]]. subst t. apply (@symmetric_id G).
  - change (In s products). revert I. destruct products as [|t l]; simpl; [intros []|right; assumption].
Qed.
End Images.
