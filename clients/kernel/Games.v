(** The rules of the games, and what the kernel's theorem says of each. Cells are numbered row by row: row * width + column,
    row 0 at the bottom. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Lines Words Images Groups Pairs Weights.
Import ListNotations.
Local Open Scope uint63_scope.

Definition of_nat (n : nat) : int := of_Z (Z.of_nat n).

(** * Boards *)
Section Boards.
Variables (width height : nat).
Definition on_board (p : Z * Z) : bool :=
  (0 <=? fst p)%Z && (fst p <? Z.of_nat width)%Z && (0 <=? snd p)%Z && (snd p <? Z.of_nat height)%Z.
Definition cell_of (p : Z * Z) : int := of_Z (snd p * Z.of_nat width + fst p).
Definition places : list (nat * nat) := flat_map (fun r => map (fun c => (c, r)) (seq 0 width)) (seq 0 height).
Definition words : nat := S (width * height / 63).

(** The k squares from a square in a direction, if they are on the board; with [exact] the squares before and after them
    are stops. *)
Definition line_from (k : nat) (exact : bool) (direction : Z * Z) (place : nat * nat) : list line :=
  let at_ i := (Z.of_nat (fst place) + i * fst direction, Z.of_nat (snd place) + i * snd direction)%Z in
  let squares := map (fun i => at_ (Z.of_nat i)) (seq 0 k) in
  if forallb on_board squares
  then [Line (map cell_of squares) (if exact then map cell_of (filter on_board [at_ (-1)%Z; at_ (Z.of_nat k)]) else [])]
  else [].
Definition all_lines (k : nat) (exact : bool) : list line :=
  flat_map (fun d => flat_map (line_from k exact d) places) [(1, 0); (0, 1); (1, 1); (1, -1)]%Z.

Definition free_squares : list square :=
  map (fun p => let c := of_nat (snd p * width + fst p) in Square c c []) places.
(** A stone falls to the lowest empty square of its column; the code of a move is its column. *)
Definition columns : list square :=
  map (fun p => Square (of_nat (fst p)) (of_nat (snd p * width + fst p))
                       (map (fun r => of_nat (r * width + fst p)) (seq 0 (snd p)))) places.
End Boards.

(** * Line games with what is known of them *)
Section Theory.
Variables (squares : list square) (lines : list line) (per_turn : int).

Inductive line_card :=
| In_groups (gs : list (list int))
| In_pairs (ps : list pair) (aim : option int)
| In_weights (gs : list (int * int)).

(** The empty squares among some, as an integer, unless integers end. *)
Fixpoint count_empties (p : board) (l : list square) : option int :=
  match l with
  | [] => Some 0
  | q :: l => match count_empties p l with
              | Some n => if occupied p (cell q) then Some n else if n <? n + 1 then Some (n + 1) else None
              | None => None
              end
  end.
Definition empties_int (p : board) : option int := count_empties p squares.
(** What the theorems ask of the board, whatever the position. *)
Record grounds := Grounds { for_groups : bool; for_pairs : bool; for_weights : bool }.
Definition grounds_here : grounds :=
  Grounds (groups_board squares lines) (pairs_board squares lines) (weights_board squares lines).
Definition line_plies (ends : board -> option int) (h : grounds) (c : line_card) (low : bool) (b : int) (p : board) : option int :=
  match c with
  | In_groups gs => if for_groups h && groups_here squares lines per_turn low p gs && stronger low 1 b then empties_int p else None
  | In_pairs ps aim =>
    if (per_turn =? 1) && for_pairs h && match ends p with None => true | Some _ => false end &&
       (if stronger low 1 b then pairs_here squares lines low p ps aim false
        else stronger low (goal low true) b && pairs_here squares lines low p ps aim true)
    then empties_int p else None
  | In_weights gs =>
    if (per_turn =? 1) && for_weights h && stronger low 1 b && weights_here squares lines low gs p then empties_int p else None
  end.

Lemma empties_int_ok : forall p n, empties_int p = Some n -> Z.to_nat (to_Z n) = empties squares p.
Proof.
  unfold empties_int, empties. intro p. induction squares as [|q l IH]; intros n H; cbn [count_empties filter] in *.
  - inversion H; subst. reflexivity.
  - destruct (count_empties p l) as [k|]; [|discriminate]. specialize (IH k eq_refl).
    destruct (occupied p (cell q)); cbn [negb length].
    + inversion H; subst. exact IH.
    + destruct (k <? k + 1) eqn:K; [|discriminate]. inversion H; subst. apply next_ok in K. unfold plies_nat in K. lia.
Qed.

Lemma line_plies_ok : forall c low b p n, line_plies (board_over squares lines) grounds_here c low b p = Some n ->
  @forces (line_game squares lines per_turn) low b (Z.to_nat (to_Z n)) p.
Proof.
  intros c low b p n H. unfold line_plies, grounds_here in H. cbn [for_groups for_pairs for_weights] in H. destruct c as [gs|ps aim|gs].
  - destruct (_ && _) eqn:E; [|discriminate]. apply andb_true_iff in E. destruct E as [E S]. rewrite (empties_int_ok _ _ H).
    eapply forces_weaken; [exact S|]. apply groups_sound with (gs := gs). exact E.
  - destruct (_ && _) eqn:E; [|discriminate]. rewrite !andb_true_iff in E. destruct E as [[[P B] O] E].
    apply Uint63.eqb_correct in P. rewrite P. rewrite (empties_int_ok _ _ H).
    destruct (stronger low 1 b) eqn:S; [|apply andb_true_iff in E; destruct E as [S' E]];
      (eapply forces_weaken; [|eapply pairs_sound; unfold pairs_ok; rewrite B, O; exact E]); auto.
  - destruct (_ && _) eqn:E; [|discriminate]. rewrite !andb_true_iff in E. destruct E as [[[P B] S] E].
    apply Uint63.eqb_correct in P. rewrite P. rewrite (empties_int_ok _ _ H).
    eapply forces_weaken; [exact S|]. apply weights_sound with (gs := gs). unfold weights_ok. rewrite B. exact E.
Qed.

(** What is computed once: the game with words, and the symmetries among the maps of cells that are proposed. *)
Section Prepared.
Variables (q : quick) (gens : list (list shift)) (h : grounds).
Hypothesis seen : h = grounds_here.
Hypothesis prepared : q = prepare squares lines.
Hypothesis symmetries : forall gs, In gs gens -> is_symmetry squares lines gs = true.
Notation G := (line_game squares lines per_turn).
Definition quick_game : game :=
  swift G (orbit_hash gens) (quick_over squares lines q) (quick_succ squares per_turn q).

Lemma quick_game_over : forall p : pos G, quick_over squares lines q p = @over G p.
Proof. rewrite prepared. apply quick_over_same. Qed.
Lemma quick_game_succ : forall p : pos G, quick_succ squares per_turn q p = @succ G p.
Proof. rewrite prepared. apply (quick_succ_same squares lines per_turn). Qed.
Lemma quick_images_ok : forall s, In s (tl (products gens)) -> @symmetric quick_game s.
Proof.
  intros s I. apply (swift_symmetric G _ _ _ quick_game_over quick_game_succ).
  apply (products_symmetric squares lines per_turn gens symmetries s I).
Qed.
Lemma quick_plies_ok : forall c low b p n, line_plies (quick_over squares lines q) h c low b p = Some n -> @forces quick_game low b (Z.to_nat (to_Z n)) p.
Proof.
  intros c low b p n H. rewrite seen in H. apply (swift_forces G _ _ _ quick_game_over quick_game_succ).
  apply line_plies_ok with (c := c). rewrite <- H. destruct c; unfold line_plies; rewrite ?quick_game_over; reflexivity.
Qed.
Definition prepared_theory : theory :=
  Theory quick_game (tl (products gens)) quick_images_ok line_card (line_plies (quick_over squares lines q) h) quick_plies_ok.
End Prepared.

Variable maps : list (list (int * int)).
Definition symmetries : list (list shift) := filter (is_symmetry squares lines) (map shifts maps).
Lemma symmetries_ok : forall gs, In gs symmetries -> is_symmetry squares lines gs = true.
Proof. intros gs I. apply filter_In in I. tauto. Qed.
Definition line_theory : theory := 
  prepared_theory (prepare squares lines) symmetries grounds_here eq_refl eq_refl symmetries_ok.

Theorem line_sound : forall fuel low b root l n,
  verify line_theory fuel low b root l = Some n ->
  @keeps (line_game squares lines per_turn) low b root /\
  ((n =? 0) = false -> @forces (line_game squares lines per_turn) low b (Z.to_nat (to_Z n)) root).
Proof.
  intros fuel low b root l n H. apply verify_sound in H. destruct H as [K F]. split.
  - exact (swift_keeps _ _ _ _ (quick_game_over _ eq_refl) (quick_game_succ _ eq_refl) low b root K).
  - intro N. apply (swift_forces _ _ _ _ (quick_game_over _ eq_refl) (quick_game_succ _ eq_refl)). exact (F N).
Qed.
End Theory.

(** Maps of cells: left and right, top and bottom, and on square boards columns and rows. *)
Definition map_cells (width height : nat) (to : nat * nat -> nat * nat) : list (int * int) :=
  let number p := of_nat (snd p * width + fst p) in
  map (fun p => (number p, number (to p))) (places width height).
Definition mirror (width height : nat) : list (int * int) := map_cells width height (fun p => (width - 1 - fst p, snd p)%nat).
Definition flip (width height : nat) : list (int * int) := map_cells width height (fun p => (fst p, height - 1 - snd p)%nat).
Definition transpose (width height : nat) : list (list (int * int)) :=
  if Nat.eqb width height then [map_cells width height (fun p => (snd p, fst p))] else [].

Definition connect4_game (width height : nat) : game :=
  line_game (columns width height) (all_lines width height 4 false) 1.
Definition connect4 (width height : nat) : theory :=
  line_theory (columns width height) (all_lines width height 4 false) 1 [mirror width height].
Definition mnk_game (width height k turn : nat) (exact : bool) : game :=
  line_game (free_squares width height) (all_lines width height k exact) (of_nat turn).
Definition mnk (width height k turn : nat) (exact : bool) : theory :=
  line_theory (free_squares width height) (all_lines width height k exact) (of_nat turn)
    (mirror width height :: flip width height :: transpose width height).
Definition no_stones (width height : nat) : cells := none (words width height).

(** * What is claimed *)
Theorem connect4_sound : forall width height fuel low b root l n,
  verify (connect4 width height) fuel low b root l = Some n ->
  @keeps (connect4_game width height) low b root /\
  ((n =? 0) = false -> @forces (connect4_game width height) low b (Z.to_nat (to_Z n)) root).
Proof. intros. eapply line_sound; eauto. Qed.
Theorem mnk_sound : forall width height k turn exact fuel low b root l n,
  verify (mnk width height k turn exact) fuel low b root l = Some n ->
  @keeps (mnk_game width height k turn exact) low b root /\
  ((n =? 0) = false -> @forces (mnk_game width height k turn exact) low b (Z.to_nat (to_Z n)) root).
Proof. intros. eapply line_sound; eauto. Qed.
Print Assumptions connect4_sound.
Print Assumptions mnk_sound.
