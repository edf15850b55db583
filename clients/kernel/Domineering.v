(** Domineering, to be compared with the section `domineering` of solver/games/RULES.md. Squares are numbered row by row
    from the bottom left. [domino] says where a domino lies: First's on a square and the one above it, Second's on a square
    and the one to its right, both free and on the board. A side that cannot put a domino loses ([end_of]). The code of a move is the lower or left square.

    The keys of certificates leave out free squares on which no domino fits any more. So certificates are checked in a game in which such
    squares are covered after each move ([tidy]); [tidy_same] says that both games are the same, and [domineering_sound] is about the rules without it.
    [sure_sound] is theorem T9 of THEOREMS.md. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Connections.
Import ListNotations.
Local Open Scope uint63_scope.

Record dominoes := Dominoes { filled : cells; vertical : bool (* First is to move *) }.
Definition dominoes_eqb (p q : dominoes) : bool := same (filled p) (filled q) && Bool.eqb (vertical p) (vertical q).
Lemma dominoes_eqb_ok : forall p q, dominoes_eqb p q = true -> p = q.
Proof.
  intros [a b] [c d]; unfold dominoes_eqb; simpl. rewrite andb_true_iff. intros [A B].
  apply same_ok in A. apply Bool.eqb_prop in B. congruence.
Qed.
Definition dominoes_hash (p : dominoes) : int := mix (filled p) (if vertical p then 1 else 2).

Section Domineering.
Variables (width height : int) (squares : list int).

(** * Rules *)
Definition half (first : bool) (c : int) : int := if first then c + width else c + 1.
Definition on_board (first : bool) (c : int) : bool :=
  (c <? width * height) && if first then c / width + 1 <? height else c mod width + 1 <? width.
Definition domino (p : dominoes) (first : bool) (c : int) : bool :=
  on_board first c && negb (mem c (filled p)) && negb (mem (half first c) (filled p)).
(* Values: 0 Second wins, 2 First wins. *)
Definition end_of (p : dominoes) : option int :=
  if existsb (domino p (vertical p)) squares then None else Some (if vertical p then 0 else 2).
Definition cover (p : dominoes) (c : int) : dominoes :=
  Dominoes (with_cell c (with_cell (half (vertical p) c) (filled p))) (negb (vertical p)).

(** A square on which a domino fits. *)
Definition alive (p : dominoes) (c : int) : bool :=
  domino p true c || domino p true (c - width) || domino p false c || ((0 <? c) && domino p false (c - 1)).
Definition tidy (p : dominoes) : dominoes :=
  Dominoes (fold_left (fun s c => if alive p c then s else with_cell c s) squares (filled p)) (vertical p).

Variable tidying : bool.
Definition play (p : dominoes) (c : int) : dominoes := if tidying then tidy (cover p c) else cover p c.
Definition put_dominoes (p : dominoes) : list (int * dominoes) :=
  map (fun c => (c, play p c)) (filter (domino p (vertical p)) squares).
Definition domino_game : game := Game dominoes dominoes_eqb dominoes_eqb_ok dominoes_hash vertical end_of put_dominoes.

(** * What a move does *)
Definition room (p : dominoes) : Prop := forall c first, In c squares -> fits c (filled p) /\ fits (half first c) (filled p).
Definition touch (first : bool) (c : int) (first' : bool) (d : int) : bool :=
  (c =? d) || (c =? half first' d) || (half first c =? d) || (half first c =? half first' d).

Lemma half_back : forall first c, half first c - (if first then width else 1) = c.
Proof.
  intros first c. apply to_Z_inj. unfold half. destruct first; rewrite sub_spec, add_spec, Zminus_mod_idemp_l;
    rewrite Z.add_simpl_r; apply Z.mod_small; apply to_Z_bounded.
Qed.
Lemma alive_domino : forall p first c, domino p first c = true -> alive p c = true /\ alive p (half first c) = true.
Proof.
  intros p first c D. unfold alive. pose proof (half_back first c) as B. destruct first; rewrite D, B, D.
  - rewrite ?orb_true_r; auto.
  - assert (P : (0 <? half false c) = true).
    { unfold domino, on_board in D. rewrite !andb_true_iff, ltb_spec in D. destruct D as [[[D _] _] _].
      pose proof (to_Z_bounded (width * height)). pose proof (to_Z_bounded c). apply ltb_spec. unfold half.
      rewrite add_spec. change (to_Z 0) with 0%Z. change (to_Z 1) with 1%Z. rewrite Z.mod_small; lia. }
    rewrite P, ?orb_true_r; auto.
Qed.

Lemma tidy_mem : forall l p s x, (forall c, In c l -> fits c s) ->
  mem x (fold_left (fun s c => if alive p c then s else with_cell c s) l s) = mem x s || (is_in x l && negb (alive p x)).
Proof.
  induction l as [|c l IH]; intros p s x F; simpl; [rewrite orb_false_r; reflexivity|].
  rewrite IH.
  - destruct (alive p c) eqn:A.
    + destruct (x =? c) eqn:Q; simpl; auto. apply Uint63.eqb_correct in Q. subst. rewrite A. rewrite !andb_false_r. reflexivity.
    + rewrite mem_add by (apply F; left; reflexivity). destruct (x =? c) eqn:Q; simpl; auto.
      apply Uint63.eqb_correct in Q. subst. rewrite A. simpl. rewrite orb_true_r. reflexivity.
  - intros d I. unfold fits. destruct (alive p c); rewrite ?length_add; apply F; right; exact I.
Qed.
Lemma tidy_length : forall l p s, length (fold_left (fun s c => if alive p c then s else with_cell c s) l s) = length s.
Proof. induction l as [|c l IH]; intros p s; simpl; auto. rewrite IH. destruct (alive p c); rewrite ?length_add; reflexivity. Qed.
Lemma tidy_domino : forall p first c, room p -> domino (tidy p) first c = domino p first c.
Proof.
  intros p first c R. assert (F : forall d, In d squares -> fits d (filled p)) by (intros d I; apply (R d true I)).
  unfold domino. unfold tidy. cbn [filled]. rewrite !tidy_mem by auto. fold (domino p first c).
  destruct (domino p first c) eqn:D.
  - destruct (alive_domino p first c D) as [-> ->]. rewrite !andb_false_r, !orb_false_r. exact D.
  - unfold domino in D. destruct (on_board first c); auto. destruct (mem c (filled p)); auto.
    destruct (mem (half first c) (filled p)); simpl in *; [rewrite andb_false_r; reflexivity|discriminate].
Qed.

Lemma room_play : forall p c, room p -> room (play p c).
Proof.
  intros p c R d first I. specialize (R d first I). unfold fits, play in *.
  destruct tidying; unfold tidy, cover; cbn [filled]; rewrite ?tidy_length; cbn [filled]; rewrite !length_add; exact R.
Qed.
Lemma turn_play : forall p c, vertical (play p c) = negb (vertical p).
Proof. intros. unfold play. destruct tidying; reflexivity. Qed.

(** A domino takes away those that it touches, and no others. *)
Lemma play_domino : forall p c first d, room p -> In c squares ->
  domino (play p c) first d = domino p first d && negb (touch first d (vertical p) c).
Proof.
  intros p c first d R I. destruct (R c (vertical p) I) as [F G].
  assert (E : domino (cover p c) first d = domino p first d && negb (touch first d (vertical p) c)).
  { unfold domino, cover, touch. cbn [filled]. rewrite !mem_add by (unfold fits in *; rewrite ?length_add; auto).
    destruct (on_board first d), (mem d (filled p)), (mem (half first d) (filled p)), (d =? c), (d =? half (vertical p) c),
      (half first d =? c), (half first d =? half (vertical p) c); reflexivity. }
  unfold play. destruct tidying; auto. rewrite tidy_domino; auto.
  intros e f Ie. specialize (R e f Ie). unfold fits, cover in *. cbn [filled]. rewrite !length_add. exact R.
Qed.

Lemma in_put : forall p m q, In (m, q) (put_dominoes p) <-> In m squares /\ domino p (vertical p) m = true /\ q = play p m.
Proof.
  intros p m q. unfold put_dominoes. rewrite in_map_iff. split.
  - intros [c [E I]]. apply filter_In in I. inversion E; subst. tauto.
  - intros [I [D E]]. exists m. split; [congruence|]. apply filter_In. auto.
Qed.
Lemma end_none : forall p, (exists c, In c squares /\ domino p (vertical p) c = true) -> end_of p = None.
Proof. intros p E. unfold end_of. apply existsb_exists in E. rewrite E. reflexivity. Qed.

(** * T9
    [w] is the side that wins. *)
Section Sure.
Variable w : bool.
Definition prize : int := if w then 2 else 0.
Notation b := (negb w).

Fixpoint apart (l : list int) : bool :=
  match l with [] => true | c :: l => forallb (fun d => negb (touch w c w d)) l && apart l end.

(** A set C that has a square of each domino of the other side; certain dominoes N and safe dominoes S. *)
Record sure (p : dominoes) (C N S : list int) : Prop := {
  s_room : room p;
  s_cover : forall d, In d squares -> domino p b d = true -> In d C \/ In (half b d) C;
  s_free : forall c, In c (N ++ S) -> In c squares /\ domino p w c = true;
  s_safe : forall c d, In c S -> In d squares -> domino p b d = true -> touch w c b d = false;
  s_apart : apart (N ++ S) = true
}.

Lemma touch_sym : forall f c g d, touch f c g d = touch g d f c.
Proof.
  assert (Sy : forall x y : int, (x =? y) = (y =? x)).
  { intros x y. destruct (x =? y) eqn:Q; [apply Uint63.eqb_correct in Q; subst; symmetry; apply Uint63.eqb_refl|].
    destruct (y =? x) eqn:Q'; auto. apply Uint63.eqb_correct in Q'. subst. rewrite Uint63.eqb_refl in Q. discriminate. }
  intros. unfold touch. rewrite (Sy d c), (Sy d (half f c)), (Sy (half g d) c), (Sy (half g d) (half f c)).
  destruct (c =? d), (c =? half g d), (half f c =? d), (half f c =? half g d); reflexivity.
Qed.

Lemma apart_app : forall N S, apart (N ++ S) = true ->
  apart N = true /\ apart S = true /\ forall c d, In c N -> In d S -> touch w c w d = false.
Proof.
  induction N as [|c N IH]; simpl; intros S A; [repeat split; auto; intros c d []|]. apply andb_true_iff in A. destruct A as [F A].
  destruct (IH S A) as [A1 [A2 A3]]. rewrite forallb_app in F. apply andb_true_iff in F. destruct F as [F1 F2].
  repeat split; auto; [rewrite F1, A1; reflexivity|]. intros d e [I|I] J; auto. subst d. rewrite forallb_forall in F2.
  specialize (F2 e J). apply negb_true_iff in F2. exact F2.
Qed.
Lemma app_apart : forall N S, apart N = true -> apart S = true -> (forall c d, In c N -> In d S -> touch w c w d = false) ->
  apart (N ++ S) = true.
Proof.
  induction N as [|c N IH]; simpl; intros S A1 A2 A3; auto. apply andb_true_iff in A1. destruct A1 as [F A1].
  rewrite forallb_app, F. simpl. rewrite IH; auto. rewrite andb_true_r. apply forallb_forall. intros d I.
  rewrite A3; auto.
Qed.

Lemma filter_apart : forall f l, apart l = true -> apart (filter f l) = true.
Proof.
  induction l as [|c l IH]; simpl; intros A; auto. apply andb_true_iff in A. destruct A as [F A].
  destruct (f c); simpl; auto. rewrite IH by auto. rewrite andb_true_r. apply forallb_forall. intros d I.
  apply filter_In in I. rewrite forallb_forall in F. apply F. tauto.
Qed.

(** A square lies in at most one of the dominoes. *)
Definition on (x c : int) : bool := (c =? x) || (half w c =? x).
Lemma one_at_most : forall x l, apart l = true -> (length l <= S (length (filter (fun c => negb (on x c)) l)))%nat.
Proof.
  intros x. induction l as [|c l IH]; simpl; intros A; [lia|]. apply andb_true_iff in A. destruct A as [F A].
  destruct (on x c) eqn:O; simpl; [|specialize (IH A); lia].
  assert (E : filter (fun d => negb (on x d)) l = l); [|rewrite E; lia].
  clear IH A. induction l as [|d l IH]; simpl in *; auto. apply andb_true_iff in F. destruct F as [T F].
  destruct (on x d) eqn:Od; simpl; [|f_equal; auto]. exfalso. apply negb_true_iff in T. unfold on in *. unfold touch in T.
  rewrite !orb_false_iff in T. rewrite !orb_true_iff in *. destruct T as [[[T1 T2] T3] T4].
  destruct O as [O|O], Od as [Od|Od]; apply Uint63.eqb_correct in O; apply Uint63.eqb_correct in Od; subst x;
    try rewrite <- Od in *; rewrite ?Uint63.eqb_refl in *; try discriminate;
    match goal with H1 : ?a = ?b, H2 : (?b =? ?a) = false |- _ => rewrite H1, Uint63.eqb_refl in H2; discriminate
                  | H1 : ?a = ?b, H2 : (?a =? ?b) = false |- _ => rewrite H1, Uint63.eqb_refl in H2; discriminate end.
Qed.

Lemma filter_shorter : forall (f : int -> bool) l, (length (filter f l) <= length l)%nat.
Proof. induction l as [|c l IH]; simpl; auto. destruct (f c); simpl; lia. Qed.
Lemma filter_less : forall (f : int -> bool) l x, In x l -> f x = false -> (length (filter f l) < length l)%nat.
Proof.
  induction l as [|y l IH]; intros x I F; [destruct I|]. simpl. destruct I as [I|I].
  - subst y. rewrite F. pose proof (filter_shorter f l). lia.
  - specialize (IH x I F). destruct (f y); simpl; lia.
Qed.

Lemma won : within w prize prize = true.
Proof. unfold within, prize. destruct w; reflexivity. Qed.
Lemma end_prize : forall p v, vertical p = b -> end_of p = Some v -> v = prize.
Proof.
  intros p v T E. unfold end_of in E. destruct (existsb _ _); [discriminate|]. inversion E. rewrite T. unfold prize. destruct w; reflexivity.
Qed.

(** The dominoes that are left after one of w's own is put. *)
Lemma after_own : forall p c C N S N' S', sure p C N S -> vertical p = w -> In c squares ->
  (forall d, In d (N' ++ S') -> In d (N ++ S) /\ touch w d w c = false) -> (forall d, In d S' -> In d S) -> apart (N' ++ S') = true ->
  sure (play p c) C N' S'.
Proof.
  intros p c C N S N' S' Su T I Sub SubS A. pose proof (s_room _ _ _ _ Su) as R. split.
  - apply room_play. exact R.
  - intros d Id D. rewrite play_domino in D by auto. apply andb_true_iff in D. apply (s_cover _ _ _ _ Su); tauto.
  - intros d Id. destruct (Sub d Id) as [Id' Td]. destruct (s_free _ _ _ _ Su d Id') as [Sq D]. split; auto.
    rewrite play_domino by auto. rewrite D, T, Td. reflexivity.
  - intros d e Id Ie D. rewrite play_domino in D by auto. apply andb_true_iff in D. apply (s_safe _ _ _ _ Su); auto. tauto.
  - exact A.
Qed.

Notation forces := (@forces domino_game).
Theorem sure_waiting : forall u p C N S, (length C <= u)%nat -> (u <= length S + length N / 3)%nat -> sure p C N S -> vertical p = b ->
  forces w prize (2 * u) p.
Proof.
  induction u as [|u IH]; intros p C N S Lu Cu Su T; pose proof (s_room _ _ _ _ Su) as R.
  - destruct C; [|simpl in Lu; lia]. apply forces_end with prize; [|exact won]. simpl.
    unfold end_of. destruct (existsb (domino p (vertical p)) squares) eqn:E.
    + apply existsb_exists in E. destruct E as [d [I D]]. rewrite T in D. destruct (s_cover _ _ _ _ Su d I D) as [[]|[]].
    + rewrite T. unfold prize. destruct w; reflexivity.
  - destruct (end_of p) as [v|] eqn:O; [apply forces_end with v; [exact O|rewrite (end_prize p v T O); exact won]|].
    replace (2 * Datatypes.S u)%nat with (Datatypes.S (Datatypes.S (2 * u))) by lia. apply forces_theirs; [exact O| | |].
    + unfold mine. simpl. rewrite T. destruct w; reflexivity.
    + simpl. intro Z. unfold end_of in O. destruct (existsb (domino p (vertical p)) squares) eqn:E; [|discriminate].
      apply existsb_exists in E. destruct E as [d [I D]]. assert (K : In (d, play p d) (put_dominoes p)) by (apply in_put; auto).
      rewrite Z in K. destruct K.
    + intros d q Iq. simpl in Iq. apply in_put in Iq. destruct Iq as [Id [D ->]]. rewrite T in D. set (q := play p d).
      set (C' := filter (fun x => negb ((x =? d) || (x =? half b d))) C).
      set (N' := filter (fun c => negb (on (half b d) c)) (filter (fun c => negb (on d c)) N)).
      destruct (apart_app _ _ (s_apart _ _ _ _ Su)) as [An [As Ans]].
      assert (LC : (length C' <= u)%nat).
      { set (f := fun x => negb ((x =? d) || (x =? half b d))) in *. pose proof (filter_less f C) as Sh.
        unfold C'. destruct (s_cover _ _ _ _ Su d Id D) as [K|K].
        - specialize (Sh d K). unfold f at 1 in Sh. rewrite Uint63.eqb_refl in Sh. specialize (Sh eq_refl). lia.
        - specialize (Sh (half b d) K). unfold f at 1 in Sh. rewrite Uint63.eqb_refl, orb_true_r in Sh. specialize (Sh eq_refl). lia. }
      assert (LN : (length N <= length N' + 2)%nat).
      { pose proof (one_at_most d N An). pose proof (one_at_most (half b d) _ (filter_apart (fun c => negb (on d c)) N An)).
        unfold N'. lia. }
      assert (InN : forall c, In c N' -> In c N /\ touch w c b d = false).
      { intros c I. unfold N' in I. apply filter_In in I. destruct I as [I O2]. apply filter_In in I. destruct I as [I O1].
        split; auto. apply negb_true_iff in O1. apply negb_true_iff in O2. unfold on in *. rewrite orb_false_iff in *.
        unfold touch. destruct O1 as [-> ->]. destruct O2 as [-> ->]. reflexivity. }
      assert (Sq : sure q C' N' S).
      { split.
        - apply room_play. exact R.
        - intros e Ie De. unfold q in De. rewrite play_domino in De by auto. apply andb_true_iff in De. destruct De as [De Te].
          rewrite T in Te. apply negb_true_iff in Te. unfold touch in Te. rewrite !orb_false_iff in Te.
          destruct Te as [[[T1 T2] T3] T4]. unfold C'. destruct (s_cover _ _ _ _ Su e Ie De) as [K|K].
          + left. apply filter_In. rewrite T1, T2. auto.
          + right. apply filter_In. rewrite T3, T4. auto.
        - intros c I. apply in_app_iff in I. destruct I as [I|I].
          + destruct (InN c I) as [I' Tc]. destruct (s_free _ _ _ _ Su c) as [Sc Dc]; [apply in_app_iff; auto|]. split; auto.
            unfold q. rewrite play_domino by auto. rewrite Dc, T, Tc. reflexivity.
          + destruct (s_free _ _ _ _ Su c) as [Sc Dc]; [apply in_app_iff; auto|]. split; auto.
            unfold q. rewrite play_domino by auto. rewrite Dc, T, (s_safe _ _ _ _ Su c d) by auto. reflexivity.
        - intros c e Ic Ie De. unfold q in De. rewrite play_domino in De by auto. apply andb_true_iff in De.
          apply (s_safe _ _ _ _ Su); tauto.
        - apply app_apart; auto; [unfold N'; apply filter_apart; apply filter_apart; exact An|].
          intros c e Ic Ie. apply Ans; auto. apply InN. exact Ic. }
      assert (Tq : vertical q = w) by (unfold q; rewrite turn_play, T; apply negb_involutive).
      destruct (apart_app _ _ (s_apart _ _ _ _ Sq)) as [An' [_ Ans']].
      assert (Own : forall c N2 S2, In c (N' ++ S) -> (forall e, In e (N2 ++ S2) -> In e (N' ++ S) /\ touch w e w c = false) ->
                (forall e, In e S2 -> In e S) -> apart (N2 ++ S2) = true -> (u <= length S2 + length N2 / 3)%nat ->
                forces w prize (Datatypes.S (2 * u)) q).
      { intros c N2 S2 Ic Sub SubS A L. destruct (s_free _ _ _ _ Sq c Ic) as [Sc Dc].
        apply forces_mine with c (play q c).
        - simpl. apply end_none. exists c. rewrite Tq. auto.
        - unfold mine. simpl. rewrite Tq. destruct w; reflexivity.
        - simpl. apply in_put. rewrite Tq. auto.
        - apply IH with C' N2 S2; auto; [|rewrite turn_play, Tq; reflexivity]. apply after_own with N' S; auto. }
      destruct N' as [|c N2] eqn:EN.
      * simpl in LN. assert (N3 : (length N / 3 = 0)%nat) by (apply PeanoNat.Nat.div_small; lia).
        rewrite N3 in Cu. destruct S as [|c S2]; [cbn [length] in Cu; lia|]. apply (Own c [] S2); [left; reflexivity| | | |].
        -- simpl in As. intros e I. split; [right; exact I|]. rewrite touch_sym. apply andb_true_iff in As. destruct As as [F _].
           rewrite forallb_forall in F. specialize (F e I). apply negb_true_iff in F. exact F.
        -- intros e I. right. exact I.
        -- simpl in As. apply andb_true_iff in As. tauto.
        -- change (length (@nil int) / 3)%nat with 0%nat. cbn [length] in Cu. lia.
      * apply (Own c N2 S); [left; reflexivity| | | |].
        -- intros e I. split; [right; exact I|]. rewrite touch_sym. pose proof (s_apart _ _ _ _ Sq) as A. simpl in A.
           apply andb_true_iff in A. destruct A as [F _]. rewrite forallb_forall in F. specialize (F e I).
           apply negb_true_iff in F. exact F.
        -- auto.
        -- pose proof (s_apart _ _ _ _ Sq) as A. simpl in A. apply andb_true_iff in A. tauto.
        -- cbn [length] in LN. assert ((length N / 3 <= length N2 / 3 + 1)%nat); [|lia].
           replace (length N2 / 3 + 1)%nat with ((length N2 + 1 * 3) / 3)%nat by (rewrite PeanoNat.Nat.div_add by lia; lia).
           apply PeanoNat.Nat.div_le_mono; lia.
Qed.

Theorem sure_moving : forall p C N S, (length C + 1 <= length S + (length N + 2) / 3)%nat -> sure p C N S -> vertical p = w ->
  forces w prize (Datatypes.S (2 * length C)) p.
Proof.
  intros p C N S L Su T.
  assert (Own : forall c N2 S2, In c (N ++ S) -> (forall e, In e (N2 ++ S2) -> In e (N ++ S) /\ touch w e w c = false) ->
            (forall e, In e S2 -> In e S) -> apart (N2 ++ S2) = true -> (length C <= length S2 + length N2 / 3)%nat ->
            forces w prize (Datatypes.S (2 * length C)) p).
  { intros c N2 S2 Ic Sub SubS A Lc. destruct (s_free _ _ _ _ Su c Ic) as [Sc Dc].
    apply forces_mine with c (play p c).
    - simpl. apply end_none. exists c. rewrite T. auto.
    - unfold mine. simpl. rewrite T. destruct w; reflexivity.
    - simpl. apply in_put. rewrite T. auto.
    - apply sure_waiting with C N2 S2; auto; [|rewrite turn_play, T; reflexivity]. apply after_own with N S; auto. }
  pose proof (s_apart _ _ _ _ Su) as A. destruct N as [|c N2].
  - change ((length (@nil int) + 2) / 3)%nat with 0%nat in L. destruct S as [|c S2]; [cbn [length] in L; lia|]. simpl in A. apply andb_true_iff in A. destruct A as [F A].
    apply (Own c [] S2); [left; reflexivity| | |exact A|change (length (@nil int) / 3)%nat with 0%nat; cbn [length] in L; lia].
    + simpl. intros e I. split; [right; exact I|]. rewrite touch_sym. rewrite forallb_forall in F. specialize (F e I).
      apply negb_true_iff in F. exact F.
    + intros e I. right. exact I.
  - simpl in A. apply andb_true_iff in A. destruct A as [F A]. apply (Own c N2 S); [left; reflexivity| |auto|exact A|].
    + intros e I. split; [right; exact I|]. rewrite touch_sym. rewrite forallb_forall in F. specialize (F e I).
      apply negb_true_iff in F. exact F.
    + cbn [length] in L. replace (Datatypes.S (length N2) + 2)%nat with (length N2 + 1 * 3)%nat in L by lia.
      rewrite PeanoNat.Nat.div_add in L by lia. lia.
Qed.

(** * Cards *)
Definition room_ok (p : dominoes) : bool :=
  Nat.leb (length (filled p)) 1000 &&
  forallb (fun c => let n := 63 * of_Z (Z.of_nat (length (filled p))) in
                    (c <? n) && (half true c <? n) && (half false c <? n)) squares.
Lemma room_ok_room : forall p, room_ok p = true -> room p.
Proof.
  intros p K. unfold room_ok in K. apply andb_true_iff in K. destruct K as [L K]. apply Nat.leb_le in L.
  assert (E : to_Z (63 * of_Z (Z.of_nat (length (filled p)))) = (63 * Z.of_nat (length (filled p)))%Z).
  { assert (B : wB = 9223372036854775808%Z) by reflexivity.
    rewrite mul_spec, of_Z_spec, to_Z_63, B. rewrite (Z.mod_small (Z.of_nat _)) by lia. apply Z.mod_small. lia. }
  intros c first I. rewrite forallb_forall in K. specialize (K c I). rewrite !andb_true_iff, !ltb_spec, E in K.
  destruct K as [[K1 K2] K3]. unfold fits. destruct first; split; assumption.
Qed.

Definition sure_ok (p : dominoes) (C N S : list int) : bool :=
  room_ok p && forallb (fun d => negb (domino p b d) || is_in d C || is_in (half b d) C) squares &&
  forallb (fun c => is_in c squares && domino p w c) (N ++ S) &&
  forallb (fun c => forallb (fun d => negb (domino p b d && touch w c b d)) squares) S && apart (N ++ S).
Lemma sure_ok_sure : forall p C N S, sure_ok p C N S = true -> sure p C N S.
Proof.
  intros p C N S K. unfold sure_ok in K. rewrite !andb_true_iff, !forallb_forall in K. destruct K as [[[[R Co] F] Sa] A]. split.
  - apply room_ok_room. exact R.
  - intros d I D. specialize (Co d I). rewrite D in Co. simpl in Co. apply orb_true_iff in Co. rewrite !is_in_ok in Co. exact Co.
  - intros c I. specialize (F c I). apply andb_true_iff in F. rewrite is_in_ok in F. exact F.
  - intros c d Ic Id D. specialize (Sa c Ic). rewrite forallb_forall in Sa. specialize (Sa d Id). rewrite D in Sa.
    simpl in Sa. apply negb_true_iff in Sa. exact Sa.
  - exact A.
Qed.

(** A cover of the other side's dominoes, and dominoes of the winner. *)
Record sure_card := Sure_card { the_cover : list int; certain : list int }.
Definition sure_plies (k : sure_card) (p : dominoes) : option int :=
  let is_safe := fun c => forallb (fun d => negb (domino p b d && touch w c b d)) squares in
  let S := filter is_safe (certain k) in let N := filter (fun c => negb (is_safe c)) (certain k) in
  let u := length (the_cover k) in
  if sure_ok p (the_cover k) N S then
    if Bool.eqb (vertical p) w
    then if Nat.leb (u + 1) (length S + (length N + 2) / 3) then nat_int (Datatypes.S (2 * u)) else None
    else if Nat.leb u (length S + length N / 3) then nat_int (2 * u) else None
  else None.

Theorem sure_sound : forall k p n, sure_plies k p = Some n -> forces w prize (Z.to_nat (to_Z n)) p.
Proof.
  intros k p n K. unfold sure_plies in K.
  set (f := fun c => forallb (fun d => negb (domino p b d && touch w c b d)) squares) in *.
  destruct (sure_ok p _ _ _) eqn:Ok; [|discriminate]. apply sure_ok_sure in Ok. destruct (Bool.eqb (vertical p) w) eqn:T.
  - apply Bool.eqb_prop in T. destruct (Nat.leb _ _) eqn:L; [|discriminate]. apply Nat.leb_le in L. apply nat_int_ok in K.
    rewrite K. eapply sure_moving; eauto.
  - destruct (Nat.leb _ _) eqn:L; [|discriminate]. apply Nat.leb_le in L. apply nat_int_ok in K. rewrite K.
    eapply sure_waiting; eauto. destruct (vertical p), w; simpl in *; congruence.
Qed.
End Sure.

Definition domino_plies (k : sure_card) (low : bool) (v : int) (p : dominoes) : option int :=
  if stronger low (prize low) v then sure_plies low k p else None.
Lemma domino_plies_ok : forall k low v p n, domino_plies k low v p = Some n -> @forces domino_game low v (Z.to_nat (to_Z n)) p.
Proof.
  intros k low v p n K. unfold domino_plies in K. destruct (stronger low (prize low) v) eqn:S; [|discriminate].
  eapply forces_weaken; [exact S|]. apply sure_sound with k. exact K.
Qed.
End Domineering.

(** * Squares on which no domino fits do not matter *)
Section Same.
Variables (width height : int) (squares : list int).
Notation plain := (domino_game width height squares false).
Notation tidied := (domino_game width height squares true).
Definition alike (p q : dominoes) : Prop :=
  room width squares p /\ room width squares q /\ vertical p = vertical q /\
  forall first c, domino width height p first c = domino width height q first c.

Lemma alike_end : forall p q, alike p q -> end_of width height squares p = end_of width height squares q.
Proof.
  intros p q [_ [_ [T D]]]. unfold end_of. rewrite T.
  replace (existsb (domino width height q (vertical q)) squares) with (existsb (domino width height p (vertical q)) squares); auto.
  induction squares as [|c l IH]; simpl; auto. rewrite D, IH. reflexivity.
Qed.
Lemma alike_play : forall s t p q c, alike p q -> In c squares ->
  alike (play width height squares s p c) (play width height squares t q c).
Proof.
  intros s t p q c [Rp [Rq [T D]]] I. split; [apply room_play; auto|]. split; [apply room_play; auto|]. split.
  - rewrite !turn_play. congruence.
  - intros first d. rewrite !play_domino by auto. rewrite D, T. reflexivity.
Qed.
Lemma alike_put : forall s t p q m p', alike p q -> In (m, p') (put_dominoes width height squares s p) ->
  exists q', In (m, q') (put_dominoes width height squares t q) /\ alike p' q'.
Proof.
  intros s t p q m p' A I. apply in_put in I. destruct I as [I [D ->]]. exists (play width height squares t q m). split.
  - apply in_put. destruct A as [_ [_ [T E]]]. rewrite <- T, <- E. auto.
  - apply alike_play; auto.
Qed.
Lemma alike_sym : forall p q, alike p q -> alike q p.
Proof. intros p q [A [B [C D]]]. split; [exact B|]. split; [exact A|]. split; [congruence|]. intros. symmetry. apply D. Qed.

Theorem tidy_same : forall low v n p, @forces tidied low v n p -> forall q, alike p q -> @forces plain low v n q.
Proof.
  intros low v n p F. induction F as [n p z O V|n p m p' O M I F IH|n p O M NE F IH]; intros q A; pose proof (alike_end p q A) as E.
  - apply forces_end with z; auto. simpl in *. congruence.
  - destruct (alike_put true false p q m p' A I) as [q' [I' A']]. apply forces_mine with m q'; auto.
    + simpl in *. congruence.
    + unfold mine in *. simpl in *. destruct A as [_ [_ [T _]]]. congruence.
  - apply forces_theirs.
    + simpl in *. congruence.
    + unfold mine in *. simpl in *. destruct A as [_ [_ [T _]]]. congruence.
    + simpl in *. intro Z. destruct (put_dominoes width height squares true p) as [|[m p'] l] eqn:Ep; [congruence|].
      destruct (alike_put true false p q m p' A) as [q' [I' _]]; [rewrite Ep; left; reflexivity|]. rewrite Z in I'. destruct I'.
    + intros m q' I. destruct (alike_put false true q p m q' (alike_sym _ _ A) I) as [p' [I' A']].
      apply (IH m p'); auto. apply alike_sym. exact A'.
Qed.
Theorem tidy_same_keeps : forall low v p q, alike p q -> @keeps tidied low v p -> @keeps plain low v q.
Proof.
  intros low v. cofix CH. intros p q A K. pose proof (alike_end p q A) as E. pose proof (proj1 (proj2 (proj2 A))) as T.
  destruct K as [p z O V|p m p' O M I K|p O M NE K].
  - apply (@keeps_end plain low v q z); auto. simpl in *. congruence.
  - destruct (alike_put true false p q m p' A I) as [q' [I' A']]. apply (@keeps_mine plain low v q m q'); auto.
    + simpl in *. congruence.
    + unfold mine in *. simpl in *. congruence.
    + apply (CH p' q' A' K).
  - apply (@keeps_theirs plain low v q).
    + simpl in *. congruence.
    + unfold mine in *. simpl in *. congruence.
    + simpl in *. intro Z. destruct (put_dominoes width height squares true p) as [|[m p'] l] eqn:Ep; [congruence|].
      destruct (alike_put true false p q m p' A) as [q' [I' _]]; [rewrite Ep; left; reflexivity|]. rewrite Z in I'. destruct I'.
    + intros m q' I. destruct (alike_put false true q p m q' (alike_sym _ _ A) I) as [p' [I' A']].
      apply (CH p' q' (alike_sym _ _ A') (K m p' I')).
Qed.
End Same.

Definition board_squares (width height : int) : list int :=
  map (fun i => of_Z (Z.of_nat i)) (seq 0 (Z.to_nat (to_Z (width * height)))).
Definition domineering_game (width height : int) : game := domino_game width height (board_squares width height) false.
Definition domineering (width height : int) (squares : list int) : theory :=
  Theory (domino_game width height squares true) [] (fun _ I => match I with end) sure_card
    (domino_plies width height squares) (domino_plies_ok width height squares true).


(** * What is claimed *)
Definition domineering_claim (width height : int) (squares : list int)
    (shown : records (domineering width height squares)) (low : bool) (v : int) (root : dominoes) : option int :=
  if room_ok width squares root then claim (domineering width height squares) shown low v root else None.
Theorem domineering_sound : forall width height fuel l shown low v root n,
  check (domineering width height (board_squares width height)) fuel l = Some shown ->
  domineering_claim width height (board_squares width height) shown low v root = Some n ->
  @keeps (domineering_game width height) low v root /\
  ((n =? 0) = false -> @forces (domineering_game width height) low v (Z.to_nat (to_Z n)) root).
Proof.
  intros width height fuel l shown low v root n C K. unfold domineering_claim in K.
  destruct (room_ok width (board_squares width height) root) eqn:R; [|discriminate].
  assert (V : verify (domineering width height (board_squares width height)) fuel low v root l = Some n).
  { unfold verify. rewrite C. exact K. }
  apply verify_sound in V. destruct V as [Ke F].
  assert (A : alike width height (board_squares width height) root root).
  { apply room_ok_room in R. split; [exact R|]. split; [exact R|]. split; reflexivity. }
  split.
  - exact (tidy_same_keeps width height (board_squares width height) low v root root A Ke).
  - intro N. exact (tidy_same width height (board_squares width height) low v _ root (F N) root A).
Qed.
Print Assumptions domineering_sound.
