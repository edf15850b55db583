(** Games that are given as graphs (the game `andor`), to be compared with the section "What a graph says" of solver/GRAPH.md. A position is
    the number of a node; [node_of] says of each number what the node is: who moves there and to which nodes, or the
    value. The code of a move is the place of the child in the list.

    [node_of] is an argument: the theorem holds for the graph that it describes, and `proofkernel --graph` prints that one. *)
From Coq Require Import Uint63 List Bool ZArith Lia.
From proofkernel Require Import Kernel.
Import ListNotations.
Local Open Scope uint63_scope.

Inductive node := First_moves (children : list int) | Second_moves (children : list int) | Ends (value : int).

Section Graph.
Variable node_of : int -> node.
(** What First gets when the game goes on for ever. *)
Variable infinite : int.

Definition node_first (p : int) : bool := match node_of p with First_moves _ => true | _ => false end.
Definition node_over (p : int) : option int := match node_of p with Ends v => Some v | _ => None end.
Fixpoint numbered (i : int) (l : list int) : list (int * int) :=
  match l with [] => [] | c :: l => (i, c) :: numbered (i + 1) l end.
Definition node_succ (p : int) : list (int * int) :=
  match node_of p with First_moves l | Second_moves l => numbered 0 l | Ends _ => [] end.
Definition graph_game : game :=
  Game int Uint63.eqb Uint63.eqb_correct (fun p => p) node_first node_over node_succ.

Definition graph : theory :=
  Theory graph_game [] (fun _ I => match I with end) Empty_set (fun k _ _ _ => match k with end) (fun k _ _ _ _ => match k with end).

(** * What is claimed
    The player of the bound forces an end within it; or it sees to it that the game ends within the bound or goes on for ever, and infinite play is
    within the bound as well. *)
Definition secures (low : bool) (b : int) (p : int) : Prop :=
  (exists n, @forces graph_game low b n p) \/ (within low b infinite = true /\ @keeps graph_game low b p).

Definition graph_claim (shown : records graph) (low : bool) (b : int) (root : int) : option int :=
  match claim graph shown low b root with
  | Some n => if (n =? 0) && negb (within low b infinite) then None else Some n
  | None => None
  end.

Theorem graph_sound : forall fuel l shown low b root n, check graph fuel l = Some shown ->
  graph_claim shown low b root = Some n ->
  secures low b root /\ ((n =? 0) = false -> @forces graph_game low b (Z.to_nat (to_Z n)) root).
Proof.
  intros fuel l shown low b root n C K. unfold graph_claim in K. destruct (claim graph shown low b root) as [k|] eqn:E; [|discriminate].
  assert (V : verify graph fuel low b root l = Some k) by (unfold verify; rewrite C; exact E).
  apply verify_sound in V. destruct V as [Ke Fo].
  destruct ((k =? 0) && negb (within low b infinite)) eqn:Q; [discriminate|]. inversion K; subst k. split; [|exact Fo].
  destruct (n =? 0) eqn:Z; [|left; eauto]. right. simpl in Q. apply negb_false_iff in Q. auto.
Qed.
End Graph.
Print Assumptions graph_sound.
