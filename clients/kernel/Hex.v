(** Hex, to be compared with the section `hex` of solver/games/RULES.md: cells are numbered row by row from the top left.
    [neighbours], [edge] and [far] say what touches what, [chain] is a chain from edge to edge ([chain_linked]: it consists of stones each of which is a
    neighbour of the one before; [linked_chain]: each such chain is found), [hex_over] the end of the game and [hex_succ] the moves: a stone on an empty cell. First joins the top
    row and the bottom row, Second the first column and the last.

    [no_two_chains]: there are never chains of both sides. [connection_sound]: theorem T8 of THEOREMS.md, not only
    for bridges but for all connections of Connections.v. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel Cells Connections.
Import ListNotations.
Local Open Scope uint63_scope.

(** * Rules *)
Record hex_board := Hex_board { black : cells; white : cells; black_moves : bool }.

Definition hex_eqb (p q : hex_board) : bool :=
  same (black p) (black q) && same (white p) (white q) && Bool.eqb (black_moves p) (black_moves q).
Lemma hex_eqb_ok : forall p q, hex_eqb p q = true -> p = q.
Proof.
  intros [a b c] [d e f]; unfold hex_eqb; simpl. rewrite !andb_true_iff. intros [[A B] C].
  apply same_ok in A. apply same_ok in B. apply Bool.eqb_prop in C. congruence.
Qed.
Definition hex_hash (p : hex_board) : int := mix (white p) (mix (black p) 1).
Definition stones_of (first : bool) (p : hex_board) : cells := if first then black p else white p.
Definition hex_empty (p : hex_board) (c : int) : bool := negb (mem c (black p) || mem c (white p)).
Definition hex_put (p : hex_board) (c : int) : hex_board :=
  if black_moves p then Hex_board (with_cell c (black p)) (white p) false else Hex_board (black p) (with_cell c (white p)) true.

(** The cells of a board and of its edges, and a number of steps that is enough for every search, computed once. *)
Record layout := Layout { all : list int; top_row : list int; first_column : list int; steps : nat }.

Section Hex.
Variables width height : int.

Definition size : int := width * height.
Definition row (c : int) : int := c / width.
Definition column (c : int) : int := c mod width.
Definition neighbours (c : int) : list int :=
  let y := row c in let x := column c in
  let left := 0 <? x in let right := x + 1 <? width in
  (if left then [c - 1] else []) ++ (if right then [c + 1] else []) ++
  (if 0 <? y then [c - width] else []) ++ (if (0 <? y) && right then [c - width + 1] else []) ++
  (if y + 1 <? height then [c + width] else []) ++ (if (y + 1 <? height) && left then [c + width - 1] else []).
(** Where a side's chain begins, and where it ends. *)
Definition edge (first : bool) (c : int) : bool := if first then row c =? 0 else column c =? 0.
Definition far (first : bool) (c : int) : bool := if first then row c + 1 =? height else column c + 1 =? width.

Definition layout_of : layout :=
  let all := map (fun i => of_Z (Z.of_nat i)) (seq 0 (Z.to_nat (to_Z size))) in
  Layout all (filter (edge true) all) (filter (edge false) all) (Z.to_nat (7 * to_Z size)%Z + 1).

Variable L : layout.

Definition edge_cells (first : bool) : list int := if first then top_row L else first_column L.
(** Searches from the cells of `todo`, through stones s that were not seen, for a cell of the far edge. *)
Fixpoint search (first : bool) (s : int -> bool) (steps : nat) (seen : cells) (todo : list int) : bool :=
  match steps, todo with
  | S n, c :: todo =>
    if s c && negb (mem c seen)
    then if far first c then true else search first s n (with_cell c seen) (neighbours c ++ todo)
    else search first s n seen todo
  | _, _ => false
  end.
Definition finds (first : bool) (s : int -> bool) (words : nat) : bool :=
  search first s (steps L) (none words) (edge_cells first).
Definition chain (first : bool) (s : cells) : bool := finds first (fun c => mem c s) (length s).

(* Values: 0 Second wins, 2 First wins. *)
Definition hex_over (p : hex_board) : option int :=
  if chain true (black p) then Some 2 else if chain false (white p) then Some 0 else None.
Definition hex_succ (p : hex_board) : list (int * hex_board) :=
  map (fun c => (c, hex_put p c)) (filter (hex_empty p) (all L)).

Definition hex_game : game := Game hex_board hex_eqb hex_eqb_ok hex_hash black_moves hex_over hex_succ.

(** * Cells and their neighbours *)
Definition board_ok : bool := (0 <? width) && (0 <? height) && (width <=? 1000) && (height <=? 1000).
Hypothesis Board : board_ok = true.
Hypothesis Layout_ok : L = layout_of.
Notation Wd := (to_Z width).
Notation Ht := (to_Z height).

Lemma sides : (0 < Wd <= 1000 /\ 0 < Ht <= 1000)%Z.
Proof.
  unfold board_ok in Board. rewrite !andb_true_iff, !ltb_spec, !leb_spec in Board.
  change (to_Z 0) with 0%Z in Board. change (to_Z 1000) with 1000%Z in Board. lia.
Qed.
Definition on_board (c : int) : Prop := (to_Z c < Wd * Ht)%Z.
Definition X (c : int) : Z := (to_Z c mod Wd)%Z.
Definition Y (c : int) : Z := (to_Z c / Wd)%Z.

Lemma wB_big : (1000000000 < wB)%Z. Proof. reflexivity. Qed.
Lemma size_Z : to_Z size = (Wd * Ht)%Z.
Proof. unfold size. rewrite mul_spec. pose proof sides. pose proof wB_big. apply Z.mod_small. nia. Qed.
Lemma row_Z : forall c, to_Z (row c) = Y c. Proof. intro. apply div_spec. Qed.
Lemma column_Z : forall c, to_Z (column c) = X c. Proof. intro. apply mod_spec. Qed.
Lemma cell_Z : forall c, to_Z c = (Y c * Wd + X c)%Z.
Proof. intro c. unfold X, Y. pose proof sides. pose proof (Z.div_mod (to_Z c) Wd). lia. Qed.
Lemma X_range : forall c, (0 <= X c < Wd)%Z.
Proof. intro. apply Z.mod_pos_bound. pose proof sides. lia. Qed.
Lemma Y_range : forall c, on_board c -> (0 <= Y c < Ht)%Z.
Proof.
  intros c B. unfold on_board in B. unfold Y. pose proof (to_Z_bounded c). pose proof sides. split.
  - apply Z.div_pos; lia.
  - apply Z.div_lt_upper_bound; lia.
Qed.
Lemma XY : forall c x y, to_Z c = (y * Wd + x)%Z -> (0 <= x < Wd)%Z -> X c = x /\ Y c = y.
Proof.
  intros c x y E R. unfold X, Y. rewrite E. pose proof sides. split.
  - rewrite Z.add_comm, Z_mod_plus_full. apply Z.mod_small. lia.
  - rewrite Z.div_add_l by lia. rewrite Z.div_small by lia. lia.
Qed.
Lemma XY_same : forall c d, X c = X d -> Y c = Y d -> c = d.
Proof. intros c d Ex Ey. apply to_Z_inj. rewrite (cell_Z c), (cell_Z d). congruence. Qed.
Lemma on_board_XY : forall c, (0 <= Y c < Ht)%Z -> on_board c.
Proof. intros c R. unfold on_board. rewrite cell_Z. pose proof (X_range c). nia. Qed.

(** The six steps. *)
Definition step (x y x' y' : Z) : Prop :=
  (y' = y /\ (x' = x + 1 \/ x' = x - 1) \/ y' = y + 1 /\ (x' = x \/ x' = x - 1) \/ y' = y - 1 /\ (x' = x \/ x' = x + 1))%Z.

Lemma plus_Z : forall c k, (to_Z c + to_Z k < 1000000000)%Z -> to_Z (c + k) = (to_Z c + to_Z k)%Z.
Proof.
  intros. rewrite add_spec. pose proof wB_big. apply Z.mod_small. pose proof (to_Z_bounded c). pose proof (to_Z_bounded k). lia.
Qed.
Lemma minus_Z : forall c k, (to_Z k <= to_Z c)%Z -> to_Z (c - k) = (to_Z c - to_Z k)%Z.
Proof.
  intros. rewrite sub_spec. apply Z.mod_small. pose proof (to_Z_bounded c). pose proof (to_Z_bounded k). lia.
Qed.

Lemma neighbours_ok : forall c d, on_board c -> (In d (neighbours c) <-> on_board d /\ step (X c) (Y c) (X d) (Y d)).
Proof.
  intros c d B. pose proof sides as S. pose proof (X_range c) as Rx. pose proof (Y_range c B) as Ry.
  pose proof (cell_Z c) as Ec. pose proof (row_Z c) as Er. pose proof (column_Z c) as Eo.
  assert (C : (to_Z c < 1000000)%Z) by nia.
  assert (One : to_Z 1 = 1%Z) by reflexivity. assert (Zero : to_Z 0 = 0%Z) by reflexivity.
  assert (PX : to_Z (column c + 1) = (X c + 1)%Z) by (rewrite plus_Z; lia).
  assert (PY : to_Z (row c + 1) = (Y c + 1)%Z) by (rewrite plus_Z; lia).
  assert (D : forall e x y, to_Z e = (y * Wd + x)%Z -> (0 <= x < Wd)%Z -> (0 <= y < Ht)%Z -> d = e ->
                step (X c) (Y c) x y -> on_board d /\ step (X c) (Y c) (X d) (Y d)).
  { intros e x y E Rx' Ry' De St. subst e. destruct (XY d x y E Rx') as [-> ->]. split; auto.
    apply on_board_XY. destruct (XY d x y E Rx') as [_ ->]. lia. }
  unfold neighbours. rewrite !in_app_iff. split.
  - assert (U : forall b e, In d (if (b : bool) then [e] else []) -> b = true /\ d = e).
    { intros [] e I; simpl in I; [destruct I as [I|[]]; auto|destruct I]. }
    intros [I|[I|[I|[I|[I|I]]]]]; apply U in I; destruct I as [T I];
      rewrite ?andb_true_iff, ?ltb_spec, ?PX, ?PY, ?Er, ?Eo, ?Zero in T.
    + apply (D (c - 1) (X c - 1)%Z (Y c)); auto; [rewrite minus_Z; nia|lia|unfold step; lia].
    + apply (D (c + 1) (X c + 1)%Z (Y c)); auto; [rewrite plus_Z; nia|lia|unfold step; lia].
    + apply (D (c - width) (X c) (Y c - 1)%Z); auto; [rewrite minus_Z; nia|lia|unfold step; lia].
    + assert (M : to_Z (c - width) = (to_Z c - Wd)%Z) by (apply minus_Z; nia).
      apply (D (c - width + 1) (X c + 1)%Z (Y c - 1)%Z); auto; [rewrite plus_Z; nia|lia|lia|unfold step; lia].
    + apply (D (c + width) (X c) (Y c + 1)%Z); auto; [rewrite plus_Z; nia|lia|unfold step; lia].
    + assert (M : to_Z (c + width) = (to_Z c + Wd)%Z) by (apply plus_Z; nia).
      apply (D (c + width - 1) (X c - 1)%Z (Y c + 1)%Z); auto; [rewrite minus_Z; nia|lia|lia|unfold step; lia].
  - intros [Bd St]. pose proof (X_range d) as Rd. pose proof (Y_range d Bd) as Rd'. pose proof (cell_Z d) as Ed.
    assert (U : forall (b : bool) e, b = true -> d = e -> In d (if b then [e] else [])).
    { intros b e -> ->. left. reflexivity. }
    assert (Eq : forall e, to_Z d = to_Z e -> d = e) by (intros; apply to_Z_inj; auto).
    unfold step in St. destruct St as [[Sy [Sx|Sx]]|[[Sy [Sx|Sx]]|[Sy [Sx|Sx]]]]; rewrite Sx, Sy in Ed.
    + right; left. apply U; [apply ltb_spec; lia|]. apply Eq. rewrite plus_Z; nia.
    + left. apply U; [apply ltb_spec; lia|]. apply Eq. rewrite minus_Z; nia.
    + do 4 right; left. apply U; [apply ltb_spec; lia|]. apply Eq. rewrite plus_Z; nia.
    + do 5 right. apply U; [rewrite andb_true_iff, !ltb_spec; lia|]. apply Eq.
      assert (M : to_Z (c + width) = (to_Z c + Wd)%Z) by (apply plus_Z; nia). rewrite minus_Z; nia.
    + do 2 right; left. apply U; [apply ltb_spec; lia|]. apply Eq. rewrite minus_Z; nia.
    + do 3 right; left. apply U; [rewrite andb_true_iff, !ltb_spec; lia|]. apply Eq.
      assert (M : to_Z (c - width) = (to_Z c - Wd)%Z) by (apply minus_Z; nia). rewrite plus_Z; nia.
Qed.
Lemma neighbours_back : forall c d, on_board c -> In d (neighbours c) -> on_board d /\ In c (neighbours d).
Proof.
  intros c d B I. apply neighbours_ok in I; auto. destruct I as [Bd S]. split; auto. apply neighbours_ok; auto.
  split; auto. unfold step in *. lia.
Qed.
Lemma neighbours_length : forall c, (length (neighbours c) <= 6)%nat.
Proof.
  intros. unfold neighbours. rewrite !app_length.
  repeat match goal with |- context [length (if ?b then _ else _)] => destruct b end; simpl; lia.
Qed.

Lemma all_in : forall c, In c (all L) <-> on_board c.
Proof.
  intro c. rewrite Layout_ok. unfold layout_of. simpl. rewrite in_map_iff. pose proof size_Z as E. pose proof wB_big.
  assert (Small : (Wd * Ht <= 1000000)%Z) by (pose proof sides; nia). split.
  - intros [i [Ei I]]. apply in_seq in I. subst c. unfold on_board. rewrite of_Z_spec, Z.mod_small; lia.
  - intro B. unfold on_board in B. pose proof (to_Z_bounded c). exists (Z.to_nat (to_Z c)). split.
    + rewrite Z2Nat.id by lia. apply of_to_Z.
    + apply in_seq. lia.
Qed.
Lemma edge_in : forall first c, In c (edge_cells first) <-> on_board c /\ edge first c = true.
Proof.
  intros first c. rewrite <- all_in. unfold edge_cells. rewrite Layout_ok. destruct first; unfold layout_of; cbn [top_row first_column all]; apply filter_In.
Qed.
Lemma all_length : length (all L) = Z.to_nat (Wd * Ht).
Proof. rewrite Layout_ok. simpl. rewrite map_length, seq_length, size_Z. reflexivity. Qed.

(** * Chains *)
(** Stones that a chain joins with the edge. *)
Inductive linked (first : bool) (s : int -> bool) : int -> Prop :=
| linked_edge : forall c, on_board c -> edge first c = true -> s c = true -> linked first s c
| linked_next : forall c d, linked first s c -> In d (neighbours c) -> s d = true -> linked first s d.

Lemma linked_on_board : forall first s c, linked first s c -> on_board c /\ s c = true.
Proof.
  intros first s c K. induction K as [c B _ S|c d K [B _] I S]; split; auto.
  apply (neighbours_back c); auto.
Qed.

Lemma search_linked : forall first s n seen todo, search first s n seen todo = true ->
  (forall c, In c todo -> s c = true -> linked first s c) -> exists c, linked first s c /\ far first c = true.
Proof.
  induction n as [|n IH]; simpl; intros seen todo R T; [discriminate|]. destruct todo as [|c todo]; [discriminate|].
  destruct (s c && negb (mem c seen)) eqn:E.
  - apply andb_true_iff in E. destruct E as [S _]. pose proof (T c (or_introl eq_refl) S) as K.
    destruct (far first c) eqn:F; [eauto|]. apply IH in R; auto. intros d Id Sd. apply in_app_iff in Id. destruct Id as [Id|Id].
    + eapply linked_next; eauto.
    + apply T; auto. right. exact Id.
  - apply IH in R; auto. intros d Id Sd. apply T; auto. right. exact Id.
Qed.

Definition unseen (seen : cells) : nat := length (filter (fun c => negb (mem c seen)) (all L)).
Lemma unseen_less : forall seen c, fits c seen -> on_board c -> mem c seen = false -> (S (unseen (with_cell c seen)) <= unseen seen)%nat.
Proof.
  intros seen c F B M. apply all_in in B. unfold unseen. revert B.
  assert (LE : forall l, (length (filter (fun d => negb (mem d (with_cell c seen))) l) <= length (filter (fun d => negb (mem d seen)) l))%nat).
  { induction l as [|d l IH]; simpl; auto. rewrite mem_add by auto. destruct (d =? c), (mem d seen); simpl; lia. }
  generalize (all L). induction l as [|d l IH]; simpl; intros I; [destruct I|]. rewrite mem_add by auto. destruct I as [I|I].
  - subst d. rewrite Uint63.eqb_refl, M. simpl. specialize (LE l). lia.
  - specialize (IH I). destruct (d =? c), (mem d seen); simpl; lia.
Qed.

(** A search that finds no chain has seen a set of stones that no step leaves. *)
Lemma search_closed : forall first s n seen todo,
  (forall c, on_board c -> fits c seen) -> (forall c, In c todo -> on_board c) ->
  (length todo + 6 * unseen seen < n)%nat -> search first s n seen todo = false ->
  (forall c, mem c seen = true -> on_board c -> s c = true /\ far first c = false /\
     forall d, In d (neighbours c) -> s d = true -> mem d seen = true \/ In d todo) ->
  exists R : int -> bool, (forall c, In c todo -> s c = true -> R c = true) /\
    (forall c, on_board c -> mem c seen = true -> R c = true) /\
    forall c, on_board c -> R c = true -> far first c = false /\ forall d, In d (neighbours c) -> s d = true -> R d = true.
Proof.
  induction n as [|n IH]; simpl; intros seen todo Fi B M S C; [lia|]. destruct todo as [|c todo].
  { exists (fun c => mem c seen). split; [intros c []|]. split; auto. intros c Bc Mc. destruct (C c Mc Bc) as [_ [F K]].
    split; auto. intros d Id Sd. destruct (K d Id Sd) as [K'|[]]. exact K'. }
  pose proof (B c (or_introl eq_refl)) as Bc. destruct (s c && negb (mem c seen)) eqn:E.
  - apply andb_true_iff in E. destruct E as [Sc Nc]. apply negb_true_iff in Nc. destruct (far first c) eqn:F; [discriminate|].
    pose proof (unseen_less seen c (Fi c Bc) Bc Nc) as U.
    destruct (IH (with_cell c seen) (neighbours c ++ todo)) as [R [R1 [R2 R3]]]; auto.
    + intros d Bd. unfold fits. rewrite length_add. apply Fi. exact Bd.
    + intros d Id. apply in_app_iff in Id. destruct Id as [Id|Id]; [apply (neighbours_back c); auto|apply B; right; auto].
    + rewrite app_length. pose proof (neighbours_length c). simpl in M. lia.
    + intros d Md Bd. rewrite mem_add in Md by auto. destruct (d =? c) eqn:Dc.
      * apply Uint63.eqb_correct in Dc. subst d. split; [|split]; auto. intros e Ie Se. right. apply in_app_iff. auto.
      * simpl in Md. destruct (C d Md Bd) as [Sd [Fd K]]. split; [|split]; auto. intros e Ie Se. rewrite mem_add by auto.
        destruct (K e Ie Se) as [K'|[K'|K']]; [rewrite K', orb_true_r; auto| |right; apply in_app_iff; auto].
        subst e. rewrite Uint63.eqb_refl. auto.
    + exists R. split; [|split]; auto.
      * intros d [Id|Id] Sd; [|apply R1; auto; apply in_app_iff; auto]. subst d. apply R2; auto.
        rewrite mem_add by auto. rewrite Uint63.eqb_refl. reflexivity.
      * intros d Bd Md. apply R2; auto. rewrite mem_add by auto. rewrite Md. apply orb_true_r.
  - assert (Old : s c = true -> mem c seen = true).
    { intro Sc. rewrite Sc in E. destruct (mem c seen); [reflexivity|discriminate]. }
    destruct (IH seen todo) as [R [R1 [R2 R3]]]; auto.
    + intros d Id. apply B. right. exact Id.
    + simpl in M. lia.
    + intros d Md Bd. destruct (C d Md Bd) as [Sd [Fd K]]. split; [|split]; auto. intros e Ie Se.
      destruct (K e Ie Se) as [K'|[K'|K']]; auto. subst e. auto.
    + exists R. split; [|split]; auto. intros d [Id|Id] Sd; auto. subst d. auto.
Qed.

Lemma length_none : forall n, length (none n) = n.
Proof. induction n; simpl; auto. Qed.
Lemma filter_shorter : forall (f : int -> bool) l, (length (filter f l) <= length l)%nat.
Proof. induction l as [|c l IH]; simpl; auto. destruct (f c); simpl; lia. Qed.

Lemma not_found_closed : forall first s n, (forall c, on_board c -> (to_Z c < 63 * Z.of_nat n)%Z) -> finds first s n = false ->
  exists R : int -> bool, (forall c, on_board c -> edge first c = true -> s c = true -> R c = true) /\
    forall c, on_board c -> R c = true -> far first c = false /\ forall d, In d (neighbours c) -> s d = true -> R d = true.
Proof.
  intros first s n F N. unfold finds in N. apply search_closed in N.
  - destruct N as [R [R1 [_ R3]]]. exists R. split; auto. intros c B E S. apply R1; auto. apply edge_in. auto.
  - intros c B. unfold fits. rewrite length_none. apply F. exact B.
  - intros c I. apply edge_in in I. tauto.
  - assert (U : (unseen (none n) <= Z.to_nat (Wd * Ht))%nat) by (rewrite <- all_length; apply filter_shorter).
    assert (Ed : (length (edge_cells first) <= Z.to_nat (Wd * Ht))%nat).
    { rewrite <- all_length. unfold edge_cells. rewrite Layout_ok.
      destruct first; unfold layout_of; cbn [top_row first_column all]; apply filter_shorter. }
    rewrite Layout_ok. unfold layout_of. cbn [steps]. rewrite size_Z. pose proof sides.
    assert (Z.to_nat (7 * (Wd * Ht)) = 7 * Z.to_nat (Wd * Ht))%nat by nia. lia.
  - intros c M. rewrite mem_none in M. discriminate.
Qed.

Lemma found_linked : forall first s n, finds first s n = true -> exists c, linked first s c /\ far first c = true.
Proof.
  intros first s n E. unfold finds in E. apply search_linked in E; auto. intros c I S. apply edge_in in I. apply linked_edge; tauto.
Qed.
Lemma linked_found : forall first s n c, (forall c, on_board c -> (to_Z c < 63 * Z.of_nat n)%Z) ->
  linked first s c -> far first c = true -> finds first s n = true.
Proof.
  intros first s n c F K Fa. destruct (finds first s n) eqn:E; auto. destruct (not_found_closed _ _ _ F E) as [R [R1 R2]].
  assert (Rc : R c = true).
  { clear Fa. induction K as [c B Ed S|c d K IH I S]; [auto|]. pose proof (linked_on_board _ _ _ K) as [B _].
    destruct (R2 c B IH) as [_ N]. auto. }
  pose proof (linked_on_board _ _ _ K) as [B _]. destruct (R2 c B Rc) as [N _]. congruence.
Qed.

(** * No two chains
    A line from the top row to the bottom row divides the other cells: [par] says on which side of it a cell lies, by the
    number of steps of the line that pass the cell on the left, between its row and the next. *)
Definition free (s : int -> bool) (x y : Z) : Prop := forall c, on_board c -> s c = true -> ~ (X c = x /\ Y c = y).
Definition passes (x y : Z) (c d : int) : bool :=
  (Y c =? y)%Z && (Y d =? y + 1)%Z && (X c <? x)%Z || (Y d =? y)%Z && (Y c =? y + 1)%Z && (X d <? x)%Z.

Ltac cases :=
  repeat (match goal with
          | |- context [(?a =? ?b)%Z] => destruct (Z.eqb_spec a b)
          | |- context [(?a <? ?b)%Z] => destruct (Z.ltb_spec a b)
          end; try (exfalso; lia); cbn [andb orb xorb]);
  try reflexivity.

Lemma edge_true : forall c, edge true c = true <-> Y c = 0%Z.
Proof.
  intro c. unfold edge. rewrite <- row_Z. split; intro E.
  - apply Uint63.eqb_correct in E. rewrite E. reflexivity.
  - assert (row c = 0) as -> by (apply to_Z_inj; exact E). reflexivity.
Qed.
Lemma edge_false : forall c, edge false c = true <-> X c = 0%Z.
Proof.
  intro c. unfold edge. rewrite <- column_Z. split; intro E.
  - apply Uint63.eqb_correct in E. rewrite E. reflexivity.
  - assert (column c = 0) as -> by (apply to_Z_inj; exact E). reflexivity.
Qed.
Lemma far_true : forall c, on_board c -> far true c = true <-> Y c = (Ht - 1)%Z.
Proof.
  intros c B. unfold far. pose proof (Y_range c B) as R. pose proof sides as S. rewrite <- row_Z in *.
  assert (P : to_Z (row c + 1) = (to_Z (row c) + 1)%Z) by (rewrite plus_Z; change (to_Z 1) with 1%Z; lia). split; intro E.
  - apply Uint63.eqb_correct in E. rewrite <- E, P. lia.
  - assert (row c + 1 = height) as -> by (apply to_Z_inj; lia). apply Uint63.eqb_refl.
Qed.
Lemma far_false : forall c, far false c = true <-> X c = (Wd - 1)%Z.
Proof.
  intros c. unfold far. pose proof (X_range c) as R. pose proof sides as S. rewrite <- column_Z in *.
  assert (P : to_Z (column c + 1) = (to_Z (column c) + 1)%Z) by (rewrite plus_Z; change (to_Z 1) with 1%Z; lia). split; intro E.
  - apply Uint63.eqb_correct in E. rewrite <- E, P. lia.
  - assert (column c + 1 = width) as -> by (apply to_Z_inj; lia). apply Uint63.eqb_refl.
Qed.

Record parity (s : int -> bool) (c : int) (par : Z -> Z -> bool) : Prop := {
  p_beside : forall x y, free s x y -> free s (x + 1) y -> par x y = par (x + 1)%Z y;
  p_below : forall x y x', (0 <= y)%Z -> (x' = x \/ x' = x - 1)%Z -> free s x y -> free s x' (y + 1) ->
    xorb (par x y) (par x' (y + 1)%Z) = ((Y c =? y + 1)%Z && (X c <? x')%Z);
  p_left : forall y, par 0%Z y = false;
  p_right : forall y, (0 <= y)%Z -> free s (Wd - 1) y -> par (Wd - 1)%Z y = (y <? Y c)%Z
}.

Lemma free_not : forall s c x y, on_board c -> s c = true -> free s x y -> X c <> x \/ Y c <> y.
Proof. intros s c x y B S F. specialize (F c B S). lia. Qed.

Lemma line_parity : forall s c, linked true s c -> exists par, parity s c par.
Proof.
  intros s c K. induction K as [c B E S|c d K [par P] I S].
  - exists (fun _ _ => false). apply edge_true in E. split; intros; try reflexivity; rewrite E; cases.
  - pose proof (linked_on_board _ _ _ K) as [B Sc]. pose proof I as I'. apply neighbours_ok in I'; auto.
    destruct I' as [Bd St]. pose proof (X_range c). pose proof (X_range d).
    exists (fun x y => xorb (par x y) (passes x y c d)). split.
    + intros x y F G. rewrite (p_beside _ _ _ P x y F G). f_equal.
      pose proof (free_not s c _ _ B Sc F). pose proof (free_not s d _ _ Bd S F). unfold passes. cases.
    + intros x y x' Py Px F G. pose proof (p_below _ _ _ P x y x' Py Px F G) as Q.
      transitivity (xorb (xorb (par x y) (par x' (y + 1)%Z)) (xorb (passes x y c d) (passes x' (y + 1) c d))).
      { destruct (par x y), (par x' (y + 1)%Z), (passes x y c d), (passes x' (y + 1) c d); reflexivity. }
      rewrite Q. clear Q P par K I.
      pose proof (free_not s c _ _ B Sc F). pose proof (free_not s d _ _ Bd S F).
      pose proof (free_not s c _ _ B Sc G). pose proof (free_not s d _ _ Bd S G). unfold passes. clear F G.
      unfold step in St. destruct St as [[Sy [Sx|Sx]]|[[Sy [Sx|Sx]]|[Sy [Sx|Sx]]]]; rewrite Sx, Sy in *; cases.
    + intros y. rewrite (p_left _ _ _ P y). unfold passes. cases.
    + intros y Py F. rewrite (p_right _ _ _ P y Py F). unfold step in St.
      pose proof (free_not s c _ _ B Sc F). pose proof (free_not s d _ _ Bd S F). unfold passes. cases.
Qed.

Theorem no_two_chains : forall s t c d, (forall e, on_board e -> s e = true -> t e = true -> False) ->
  linked true s c -> far true c = true -> linked false t d -> far false d = true -> False.
Proof.
  intros s t c d Apart K Fc K' Fd. destruct (line_parity s c K) as [par P].
  pose proof (linked_on_board _ _ _ K) as [B Sc]. apply far_true in Fc; auto. pose proof sides as Sd. pose proof (X_range c) as Rc.
  set (q := fun x y => xorb (par x y) ((y =? Ht - 1)%Z && (X c <? x)%Z)).
  assert (Fr : forall e, on_board e -> t e = true -> free s (X e) (Y e)).
  { intros e Be Te f Bf Sf [Ex Ey]. assert (f = e) by (apply XY_same; auto). subst. eauto. }
  assert (Q : forall e, linked false t e -> q (X e) (Y e) = false).
  { intros e Ke. induction Ke as [e Be Ee Te|e f Ke IH I Tf].
    - apply edge_false in Ee. unfold q. rewrite Ee, (p_left _ _ _ P). cases.
    - pose proof (linked_on_board _ _ _ Ke) as [Be Te]. apply neighbours_ok in I; auto. destruct I as [Bf St].
      pose proof (Fr e Be Te) as Fe. pose proof (Fr f Bf Tf) as Ff. pose proof (Y_range e Be). pose proof (Y_range f Bf).
      rewrite <- IH. unfold q.
      pose proof (free_not s c _ _ B Sc Fe) as Ne. pose proof (free_not s c _ _ B Sc Ff) as Nf.
      unfold step in St. destruct St as [[Sy [Sx|Sx]]|[[Sy Sx]|[Sy Sx]]].
      + rewrite Sx, Sy in *. rewrite (p_beside _ _ _ P (X e) (Y e)) by auto. f_equal. cases.
      + assert (Xe : X e = (X f + 1)%Z) by lia. rewrite Sy in *. rewrite Xe in *.
        rewrite (p_beside _ _ _ P (X f) (Y e)) by auto. f_equal. cases.
      + rewrite Sy in *. pose proof (p_below _ _ _ P (X e) (Y e) (X f)) as E.
        assert (E' : xorb (par (X e) (Y e)) (par (X f) (Y e + 1)%Z) = ((Y c =? Y e + 1)%Z && (X c <? X f)%Z)) by (apply E; auto; lia).
        rewrite Fc in *. revert E'. destruct (par (X e) (Y e)), (par (X f) (Y e + 1)%Z); cases; intros; congruence.
      + assert (Ye : Y e = (Y f + 1)%Z) by lia. rewrite Ye in *. pose proof (p_below _ _ _ P (X f) (Y f) (X e)) as E.
        assert (E' : xorb (par (X f) (Y f)) (par (X e) (Y f + 1)%Z) = ((Y c =? Y f + 1)%Z && (X c <? X e)%Z)) by (apply E; auto; lia).
        rewrite Fc in *. revert E'. destruct (par (X f) (Y f)), (par (X e) (Y f + 1)%Z); cases; intros; congruence. }
  pose proof (linked_on_board _ _ _ K') as [Bd Td]. specialize (Q d K'). apply far_false in Fd. pose proof (Y_range d Bd).
  pose proof (Fr d Bd Td) as Ff. unfold q in Q. rewrite Fd in *. rewrite (p_right _ _ _ P) in Q by (auto; lia).
  pose proof (free_not s c _ _ B Sc Ff). rewrite Fc in *. revert Q. cases; intros; congruence.
Qed.

(** * Connections win *)
(** Cells that touch; size and size + 1 are the edges of a side. *)
Definition near (first : bool) (u v : int) : bool :=
  (u <? size) &&
  (if v <? size then is_in v (neighbours u) else if v =? size then edge first u else (v =? size + 1) && far first u).

Lemma size_next : to_Z (size + 1) = (Wd * Ht + 1)%Z.
Proof. pose proof sides. rewrite plus_Z; rewrite size_Z; change (to_Z 1) with 1%Z; nia. Qed.
Lemma in_size : forall c, (c <? size) = true <-> on_board c.
Proof. intro c. rewrite ltb_spec, size_Z. reflexivity. Qed.
Lemma off_board : forall c, on_board c -> c <> size /\ c <> size + 1.
Proof. intros c B. unfold on_board in B. split; intro E; subst c; rewrite ?size_next, ?size_Z in B; lia. Qed.

Lemma joined_found : forall first A n, (forall c, on_board c -> (to_Z c < 63 * Z.of_nat n)%Z) ->
  joined (near first) A size (size + 1) -> finds first A n = true.
Proof.
  intros first A n F J. destruct (finds first A n) eqn:E; auto. exfalso.
  destruct (not_found_closed _ _ _ F E) as [R [R1 R2]].
  assert (N1 : (size + 1 =? size) = false).
  { destruct (size + 1 =? size) eqn:Q; auto. apply Uint63.eqb_correct in Q. pose proof size_next as S.
    rewrite Q, size_Z in S. lia. }
  assert (N2 : (size + 1 <? size) = false).
  { destruct (size + 1 <? size) eqn:Q; auto. apply in_size in Q. apply off_board in Q. destruct Q; congruence. }
  set (K := fun v => (v =? size) || (v <? size) && A v && R v).
  assert (S : forall u v, joined (near first) A u v -> K u = K v).
  { intros u v Q. induction Q as [u|u v Q IH|u v w Q IH Q' IH'|u v Au Av N]; try congruence.
    unfold near in N. apply andb_true_iff in N. destruct N as [Bu N]. pose proof Bu as Bu'. apply in_size in Bu'.
    unfold K. rewrite Bu, Au. destruct (off_board u Bu') as [U1 _].
    replace (u =? size) with false by (symmetry; destruct (u =? size) eqn:Q; auto; apply Uint63.eqb_correct in Q; congruence).
    simpl. destruct (v <? size) eqn:Bv.
    - pose proof Bv as Bv'. apply in_size in Bv'. destruct (off_board v Bv') as [V1 _].
      replace (v =? size) with false by (symmetry; destruct (v =? size) eqn:Q; auto; apply Uint63.eqb_correct in Q; congruence).
      rewrite Av. simpl. apply is_in_ok in N. destruct (R u) eqn:Ru.
      + destruct (R2 u Bu' Ru) as [_ Cl]. symmetry. auto.
      + destruct (R v) eqn:Rv; auto. destruct (R2 v Bv' Rv) as [_ Cl]. rewrite <- Ru. apply Cl; auto.
        apply (neighbours_back u); auto.
    - destruct (v =? size) eqn:Q; simpl; auto. apply andb_true_iff in N. destruct N as [_ Fu].
      destruct (R u) eqn:Ru; auto. destruct (R2 u Bu' Ru) as [Fu' _]. congruence. }
  specialize (S _ _ J). unfold K in S. rewrite N1, N2 in S. rewrite Uint63.eqb_refl in S. discriminate.
Qed.

Lemma linked_weaken : forall first s t c, (forall d, on_board d -> s d = true -> t d = true) -> linked first s c -> linked first t c.
Proof.
  intros first s t c St K. induction K as [c B E S|c d K IH I S].
  - apply linked_edge; auto.
  - pose proof (linked_on_board _ _ _ K) as [B _]. eapply linked_next; eauto. apply St; auto. apply (neighbours_back c); auto.
Qed.

Definition room (p : hex_board) : Prop := length (black p) = length (white p) /\ forall c, on_board c -> fits c (black p).
Definition apart (p : hex_board) : Prop := forall c, on_board c -> mem c (black p) = true -> mem c (white p) = true -> False.
Lemma room_side : forall p s c, room p -> on_board c -> fits c (stones_of s p).
Proof. intros p [] c [E R] B; unfold stones_of; auto. unfold fits. rewrite <- E. apply R. exact B. Qed.
Lemma room_put : forall p c, room p -> room (hex_put p c).
Proof.
  intros p c [E R]. unfold room, hex_put, fits in *. destruct (black_moves p); simpl; rewrite ?length_add; auto.
Qed.
Lemma mem_put : forall p c d s, room p -> on_board c ->
  mem d (stones_of s (hex_put p c)) = (Bool.eqb s (black_moves p) && (d =? c)) || mem d (stones_of s p).
Proof.
  intros p c d s R B. unfold stones_of, hex_put. pose proof (room_side p true c R B). pose proof (room_side p false c R B).
  destruct s, (black_moves p); simpl; try reflexivity; apply mem_add; auto.
Qed.
Lemma turn_put : forall p c, black_moves (hex_put p c) = negb (black_moves p).
Proof. intros. unfold hex_put. destruct (black_moves p); reflexivity. Qed.
Lemma empty_sides : forall p c, hex_empty p c = true <-> forall s, mem c (stones_of s p) = false.
Proof.
  intros p c. unfold hex_empty, stones_of. destruct (mem c (black p)) eqn:E, (mem c (white p)) eqn:F; simpl; split; intro K; auto;
    try discriminate; try (specialize (K true); simpl in K; congruence); try (specialize (K false); simpl in K; congruence).
  intros []; auto.
Qed.
Lemma apart_put : forall p c, room p -> apart p -> on_board c -> hex_empty p c = true -> apart (hex_put p c).
Proof.
  intros p c R A B E d Bd M N. apply empty_sides with (s := true) in E as E1. apply empty_sides with (s := false) in E as E2.
  pose proof (mem_put p c d true R B) as M'. pose proof (mem_put p c d false R B) as N'. unfold stones_of in *.
  rewrite M in M'. rewrite N in N'. destruct (d =? c) eqn:Q.
  - apply Uint63.eqb_correct in Q. subst d. rewrite E1 in M'. rewrite E2 in N'. destruct (black_moves p); discriminate.
  - rewrite andb_false_r in *. simpl in *. symmetry in M', N'. eapply A; eauto.
Qed.
Lemma in_succ : forall p m q, In (m, q) (hex_succ p) <-> q = hex_put p m /\ on_board m /\ hex_empty p m = true.
Proof.
  intros p m q. unfold hex_succ. rewrite in_map_iff. split.
  - intros [c [E I]]. apply filter_In in I. rewrite all_in in I. inversion E as [[E1 E2]]. rewrite <- E1. tauto.
  - intros [-> [B E]]. exists m. split; auto. apply filter_In. rewrite all_in. auto.
Qed.

Section Winner.
Variable w : bool. (* the side that wins *)
Definition prize : int := if w then 2 else 0.
Definition is_edge (c : int) : bool := (c =? size) || (c =? size + 1).

Record inv (p : hex_board) (gs : plan) : Prop := {
  i_room : room p;
  i_apart : apart p;
  i_valid : valid gs = true;
  i_empty : forall c, In c (carrier gs) -> on_board c /\ hex_empty p c = true;
  i_wins : forall A, (forall c, is_edge c = true -> A c = true) ->
    (forall c, on_board c -> mem c (stones_of w p) = true -> A c = true) -> meets A gs = true ->
    joined (near w) A size (size + 1)
}.

Lemma off_edge : forall c, on_board c -> is_edge c = false.
Proof.
  intros c B. destruct (off_board c B) as [N M]. unfold is_edge. apply orb_false_iff.
  split; destruct (c =? _) eqn:Q; auto; apply Uint63.eqb_correct in Q; congruence.
Qed.
Lemma room_words : forall p c, room p -> on_board c -> (to_Z c < 63 * Z.of_nat (length (black p)))%Z.
Proof. intros p c [_ R] B. apply R. exact B. Qed.

(** The other side has no chain as long as a plan is intact but for one cell. *)
Lemma end_is_won : forall p q gs c, inv p gs -> room q -> (forall d, mem d (stones_of w q) = mem d (stones_of w p)) ->
  (forall d, on_board d -> mem d (stones_of (negb w) q) = true -> d = c \/ mem d (stones_of (negb w) p) = true) ->
  (on_board c -> hex_empty p c = true) ->
  hex_over q = None \/ hex_over q = Some prize.
Proof.
  intros p q gs c I R Same More Ec.
  assert (N : chain (negb w) (stones_of (negb w) q) = false).
  { destruct (chain (negb w) (stones_of (negb w) q)) eqn:E; auto. exfalso. apply found_linked in E.
    destruct E as [d [K Fd]].
    set (A := fun d => is_edge d || (d <? size) && mem d (stones_of w p) || is_in d (carrier gs) && negb (d =? c)).
    assert (J : joined (near w) A size (size + 1)).
    { apply (i_wins p gs I).
      - intros e E. unfold A. rewrite E. reflexivity.
      - intros e B E. unfold A. apply in_size in B. rewrite B, E. rewrite orb_true_r. reflexivity.
      - apply meets_without with (c := c); [exact (i_valid p gs I)|]. intros e Ie Ne. unfold A.
        apply is_in_ok in Ie. rewrite Ie. replace (e =? c) with false; [rewrite orb_true_r; reflexivity|].
        symmetry. destruct (e =? c) eqn:Q; auto. apply Uint63.eqb_correct in Q. congruence. }
    apply joined_found with (n := length (black p)) in J; [|intros e B; apply room_words; auto; apply (i_room p gs I)].
    apply found_linked in J. destruct J as [e [K' Fe]].
    assert (Ap : forall f, on_board f -> A f = true -> mem f (stones_of (negb w) q) = true -> False).
    { intros f B Af Mf. unfold A in Af. rewrite (off_edge f B) in Af. simpl in Af.
      pose proof (i_apart p gs I f B) as Apart. destruct (More f B Mf) as [Q|Q].
      - rewrite Q in *. specialize (Ec B). rewrite empty_sides in Ec. rewrite (Ec w) in Af. rewrite andb_false_r in Af. simpl in Af.
        rewrite Uint63.eqb_refl in Af. rewrite andb_false_r in Af. discriminate.
      - apply orb_true_iff in Af. destruct Af as [Af|Af]; apply andb_true_iff in Af; destruct Af as [Af Af'].
        + unfold stones_of in *. destruct w; simpl in *; auto.
        + apply is_in_ok in Af. apply (i_empty p gs I) in Af. destruct Af as [_ Af]. rewrite empty_sides in Af.
          rewrite Af in Q. discriminate. }
    destruct w; simpl in *.
    - apply (no_two_chains A (fun x => mem x (white q)) e d); auto.
    - apply (no_two_chains (fun x => mem x (black q)) A d e); auto. intros f B M N. eapply Ap; eauto. }
  unfold hex_over, prize. destruct w; simpl in *; rewrite N; [|destruct (chain false (white q)); auto].
  destruct (chain true (black q)); auto.
Qed.

Lemma won : forall v, v = prize -> within w prize v = true.
Proof. intros v ->. unfold within, prize. destruct w; reflexivity. Qed.
Notation forces := (@forces hex_game).

Lemma still_won : forall p gs v, inv p gs -> hex_over p = Some v -> within w prize v = true.
Proof.
  intros p gs v I O. apply won. assert (E : hex_over p = None \/ hex_over p = Some prize); [|destruct E; congruence].
  apply (end_is_won p p gs size I (i_room p gs I)); auto. intro B. destruct (off_board size B). congruence.
Qed.

(** When nothing is left to do, the chain is there. *)
Lemma more_to_do : forall p gs, inv p gs -> hex_over p = None -> gs <> [].
Proof.
  intros p gs I O Z. subst gs. pose proof (i_room p [] I) as R. set (A := fun d => is_edge d || (d <? size) && mem d (stones_of w p)).
  assert (J : joined (near w) A size (size + 1)).
  { apply (i_wins p [] I); auto; unfold A; intros c C; [rewrite C; reflexivity|]. intro M. apply in_size in C.
    rewrite C, M. apply orb_true_r. }
  assert (Fit : forall c, on_board c -> (to_Z c < 63 * Z.of_nat (length (stones_of w p)))%Z).
  { intros c B. apply (room_side p w c R B). }
  apply joined_found with (n := length (stones_of w p)) in J; auto. apply found_linked in J. destruct J as [e [K F]].
  assert (C : chain w (stones_of w p) = true).
  { apply linked_found with (c := e); auto. apply (linked_weaken w A); auto. intros d B Ad. unfold A in Ad.
    rewrite (off_edge d B) in Ad. simpl in Ad. apply andb_true_iff in Ad. tauto. }
  unfold hex_over in O. destruct w; simpl in C; rewrite C in O; [discriminate|]. destruct (chain true (black p)); discriminate.
Qed.

(** After the owner's answer on e the plan for the rest holds. *)
Lemma answered : forall p gs q e rest, inv p gs -> room q -> apart q -> black_moves q = w ->
  (forall d, mem d (stones_of w q) = mem d (stones_of w p)) -> on_board e -> hex_empty q e = true ->
  valid rest = true -> ~ In e (carrier rest) -> (forall d, In d (carrier rest) -> on_board d /\ hex_empty q d = true) ->
  (forall A, A e = true -> meets A rest = true -> meets A gs = true) -> inv (hex_put q e) rest.
Proof.
  intros p gs q e rest I R Ap T Sw Be Ee V Ne Em Me.
  assert (Sr : forall d s, mem d (stones_of s (hex_put q e)) = (Bool.eqb s w && (d =? e)) || mem d (stones_of s q)).
  { intros d s. rewrite mem_put by auto. rewrite T. reflexivity. }
  split.
  - apply room_put. exact R.
  - apply apart_put; auto.
  - exact V.
  - intros d Id. destruct (Em d Id) as [Bd Ed]. split; auto. apply empty_sides. intro s. rewrite Sr.
    rewrite empty_sides in Ed. rewrite Ed, eqb_false by congruence. rewrite andb_false_r. reflexivity.
  - intros A Ae As Am. apply (i_wins p gs I); auto.
    + intros d B Md. apply As; auto. rewrite Sr, Sw, Md. apply orb_true_r.
    + apply Me; auto. apply As; auto. rewrite Sr, Bool.eqb_reflx, Uint63.eqb_refl. reflexivity.
Qed.

Theorem plan_forces : forall n p gs, (moves gs <= n)%nat -> inv p gs -> black_moves p = negb w -> forces w prize (2 * n) p.
Proof.
  induction n as [n IH] using (well_founded_induction lt_wf). intros p gs Mn I T.
  pose proof (i_room p gs I) as R. pose proof (i_valid p gs I) as V.
  destruct (hex_over p) as [v|] eqn:O; [apply forces_end with v; [exact O|exact (still_won p gs v I O)]|].
  pose proof (more_to_do p gs I O) as NE.
  pose proof (i_empty p gs I) as Empty.
  destruct n as [|k].
  { destruct (answer gs 0 V NE) as [e [rest [_ [_ [_ [_ [_ [_ [M _]]]]]]]]]. lia. }
  replace (2 * S k)%nat with (S (S (2 * k))) by lia. apply forces_theirs; [exact O| | |].
  - unfold mine. simpl. rewrite T. destruct w; reflexivity.
  - destruct (answer gs 0 V NE) as [e [_ [_ [Ie _]]]]. apply Empty in Ie. intro Z.
    assert (In (e, hex_put p e) (hex_succ p)) as K by (apply in_succ; tauto). simpl in Z. rewrite Z in K. destruct K.
  - intros c q Iq. simpl in Iq. apply in_succ in Iq. destruct Iq as [-> [Bc Ec]]. set (q := hex_put p c).
    assert (Rq : room q) by (apply room_put; exact R).
    assert (Sw : forall d, mem d (stones_of w q) = mem d (stones_of w p)).
    { intro d. unfold q. rewrite mem_put by auto. rewrite T. destruct w; reflexivity. }
    destruct (hex_over q) as [v|] eqn:Oq.
    { apply forces_end with v; [exact Oq|]. apply won.
      assert (E : hex_over q = None \/ hex_over q = Some prize); [|destruct E; congruence].
      apply (end_is_won p q gs c I Rq Sw); auto. intros d B. unfold q. rewrite mem_put by auto. intro M.
      apply orb_true_iff in M. destruct M as [M|M]; auto. apply andb_true_iff in M. destruct M as [_ M].
      apply Uint63.eqb_correct in M. auto. }
    destruct (answer gs c V NE) as [e [rest [Vr [Ie [Ne [Nr [Nc [Sub [M Me]]]]]]]]].
    destruct (Empty e Ie) as [Be Ee].
    assert (Keep : forall d, hex_empty p d = true -> d <> c -> hex_empty q d = true).
    { intros d E N. apply empty_sides. intro s. rewrite empty_sides in E. unfold q. rewrite mem_put by auto.
      rewrite E, eqb_false by auto. rewrite andb_false_r. reflexivity. }
    assert (Tq : black_moves q = w) by (unfold q; rewrite turn_put, T; apply negb_involutive).
    apply forces_mine with e (hex_put q e); [exact Oq| | |].
    + unfold mine. simpl. rewrite Tq. destruct w; reflexivity.
    + simpl. apply in_succ. auto.
    + apply IH with rest; [lia|lia| |rewrite turn_put, Tq; reflexivity].
      apply (answered p gs); auto.
      * apply apart_put; auto. apply (i_apart p gs I).
      * intros d Id. destruct (Empty d (Sub d Id)) as [Bd Ed]. split; auto. apply Keep; auto. intro Z. congruence.
Qed.

(** When the owner of a plan is to move, it begins with an answer to nothing. *)
Theorem plan_forces_first : forall p gs, inv p gs -> forces w prize (2 * moves gs) p.
Proof.
  intros p gs I. pose proof (i_valid p gs I) as V. pose proof (i_empty p gs I) as Empty.
  destruct (Bool.eqb (black_moves p) w) eqn:T.
  2: { apply plan_forces with gs; auto. destruct (black_moves p), w; simpl in *; congruence. }
  apply Bool.eqb_prop in T.
  destruct (hex_over p) as [v|] eqn:O; [apply forces_end with v; [exact O|exact (still_won p gs v I O)]|].
  pose proof (more_to_do p gs I O) as NE.
  destruct (answer gs size V NE) as [e [rest [Vr [Ie [_ [Nr [_ [Sub [M Me]]]]]]]]]. destruct (Empty e Ie) as [Be Ee].
  apply (@forces_more hex_game w prize (S (2 * moves rest))); [|lia].
  apply forces_mine with e (hex_put p e); [exact O| | |].
  - unfold mine. simpl. rewrite T. destruct w; reflexivity.
  - simpl. apply in_succ. auto.
  - apply plan_forces with rest; auto; [|rewrite turn_put, T; reflexivity].
    apply (answered p gs); auto; [apply (i_room p gs I)|apply (i_apart p gs I)].
Qed.

(** * Cards *)
Definition position_ok (p : hex_board) : bool :=
  Nat.eqb (length (black p)) (length (white p)) && Nat.leb (length (black p)) 1000 &&
  (size <=? 63 * of_Z (Z.of_nat (length (black p)))) && forallb (fun c => negb (mem c (black p) && mem c (white p))) (all L).
Definition plan_ok (p : hex_board) (gs : plan) (s : script) : bool :=
  position_ok p && valid gs && forallb (fun c => (c <? size) && hex_empty p c) (carrier gs) &&
  match run (near w) (fun c => is_edge c || (c <? size) && mem c (stones_of w p)) gs (fun c => c) s with
  | Some l => l size =? l (size + 1)
  | None => false
  end.

Lemma plan_ok_inv : forall p gs s, plan_ok p gs s = true -> inv p gs.
Proof.
  intros p gs s K. unfold plan_ok, position_ok in K. rewrite !andb_true_iff in K.
  destruct K as [[[[[[Le Small] Si] Ap] V] Em] Ru]. apply Nat.eqb_eq in Le. apply Nat.leb_le in Small.
  rewrite forallb_forall in Ap. rewrite forallb_forall in Em. apply leb_spec in Si. split.
  - split; [exact Le|]. intros c B. unfold fits. unfold on_board in B. rewrite size_Z in Si.
    assert (E : to_Z (63 * of_Z (Z.of_nat (length (black p)))) = (63 * Z.of_nat (length (black p)))%Z).
    { pose proof wB_big. rewrite mul_spec, of_Z_spec, to_Z_63. rewrite (Z.mod_small (Z.of_nat _)) by lia. apply Z.mod_small. lia. }
    lia.
  - intros c B M N. apply all_in in B. specialize (Ap c B). rewrite M, N in Ap. discriminate.
  - exact V.
  - intros c Ic. specialize (Em c Ic). apply andb_true_iff in Em. rewrite in_size in Em. exact Em.
  - intros A Ae As Am. destruct (run _ _ _ _ s) as [l|] eqn:Er; [|discriminate]. apply Uint63.eqb_correct in Ru.
    apply (run_sound _ _ _ _ _ _ Er A); auto; [|apply sound_first]. intros c C. apply orb_true_iff in C.
    destruct C as [C|C]; auto. apply andb_true_iff in C. rewrite in_size in C. destruct C. auto.
Qed.
End Winner.

(** A plan, perhaps after a stone that its owner, to move, puts first. *)
Record hex_card := Hex_card { stone_first : option int; the_plan : plan; the_script : script }.
Definition hex_plies (k : hex_card) (low : bool) (b : int) (p : hex_board) : option int :=
  if board_ok && stronger low (prize low) b && match hex_over p with None => true | Some _ => false end then
    match stone_first k with
    | None => if plan_ok low p (the_plan k) (the_script k) then nat_int (2 * moves (the_plan k)) else None
    | Some c =>
      if Bool.eqb low (black_moves p) && (c <? size) && hex_empty p c && plan_ok low (hex_put p c) (the_plan k) (the_script k)
      then nat_int (S (2 * moves (the_plan k))) else None
    end
  else None.

End Hex.

Theorem connection_sound : forall width height k low b p n,
  hex_plies width height (layout_of width height) k low b p = Some n ->
  @forces (hex_game width height (layout_of width height)) low b (Z.to_nat (to_Z n)) p.
Proof.
  intros width height k low b p n E. unfold hex_plies in E.
  destruct (board_ok width height && _ && _) eqn:C; [|discriminate]. rewrite !andb_true_iff in C. destruct C as [[B S] O].
  destruct (hex_over width height (layout_of width height) p) eqn:Op; [discriminate|]. clear O.
  apply (forces_weaken (hex_game width height (layout_of width height)) low (prize low) b); [exact S|].
  destruct (stone_first k) as [c|].
  - destruct (Bool.eqb low (black_moves p) && _ && _ && _) eqn:K; [|discriminate]. apply nat_int_ok in E. rewrite E.
    rewrite !andb_true_iff in K. destruct K as [[[T Bc] Ec] P]. apply Bool.eqb_prop in T.
    apply plan_ok_inv in P; auto. apply forces_mine with c (hex_put p c); [exact Op| | |].
    + unfold mine. simpl. rewrite <- T. destruct low; reflexivity.
    + apply (in_succ width height); auto. rewrite in_size in Bc by auto. auto.
    + apply plan_forces with (the_plan k); auto. rewrite turn_put. congruence.
  - destruct (plan_ok _ _ _ _ _ _ _) eqn:P; [|discriminate]. apply nat_int_ok in E. rewrite E.
    apply plan_ok_inv in P; auto. apply plan_forces_first; auto.
Qed.

Definition hex (width height : int) : theory :=
  let L := layout_of width height in
  Theory (hex_game width height L) [] (fun _ I => match I with end) hex_card (hex_plies width height L)
    (fun k low b p n E => connection_sound width height k low b p n E).

(** * What is claimed *)
Theorem hex_sound : forall width height fuel low b root l n, verify (hex width height) fuel low b root l = Some n ->
  @keeps (hex width height) low b root /\
  ((n =? 0) = false -> @forces (hex width height) low b (Z.to_nat (to_Z n)) root).
Proof. intros; eapply verify_sound; eauto. Qed.
Print Assumptions hex_sound.
