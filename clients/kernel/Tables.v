(** Tables of items that are looked up by an integer. An item that is found may belong to another integer: the caller compares. *)
From Coq Require Import Uint63 List Bool.
Import ListNotations.
Local Open Scope uint63_scope.

Section Tables.
Variable A : Type.

Inductive table := Empty | Leaf (l : list A) | Node (a b c d e f g h : table).

(** Mixes every bit of the integer into the three lowest ones. *)
Definition spread (k : int) : int := let h := k * 0x1e3779b97f4a7c15 in h lxor (h >> 31).

Fixpoint look (t : table) (k : int) : list A :=
  match t with
  | Empty => []
  | Leaf l => l
  | Node a b c d e f g h =>
    if k land 4 =? 0
    then if k land 2 =? 0 then if k land 1 =? 0 then look a (k >> 3) else look b (k >> 3)
         else if k land 1 =? 0 then look c (k >> 3) else look d (k >> 3)
    else if k land 2 =? 0 then if k land 1 =? 0 then look e (k >> 3) else look f (k >> 3)
         else if k land 1 =? 0 then look g (k >> 3) else look h (k >> 3)
  end.

(** Adds an item to a table of that many levels. *)
Fixpoint store (levels : nat) (t : table) (k : int) (x : A) : table :=
  match levels with
  | O => Leaf (x :: match t with Leaf l => l | _ => [] end)
  | S n =>
    match match t with Node _ _ _ _ _ _ _ _ => t | _ => Node Empty Empty Empty Empty Empty Empty Empty Empty end with
    | Node a b c d e f g h =>
      if k land 4 =? 0
      then if k land 2 =? 0
           then if k land 1 =? 0 then Node (store n a (k >> 3) x) b c d e f g h
                else Node a (store n b (k >> 3) x) c d e f g h
           else if k land 1 =? 0 then Node a b (store n c (k >> 3) x) d e f g h
                else Node a b c (store n d (k >> 3) x) e f g h
      else if k land 2 =? 0
           then if k land 1 =? 0 then Node a b c d (store n e (k >> 3) x) f g h
                else Node a b c d e (store n f (k >> 3) x) g h
           else if k land 1 =? 0 then Node a b c d e f (store n g (k >> 3) x) h
                else Node a b c d e f g (store n h (k >> 3) x)
    | _ => t
    end
  end.

(** What is found was there before or is the new item. *)
Lemma look_store : forall n t k x k' y, In y (look (store n t k x) k') -> y = x \/ In y (look t k').
Proof.
  induction n as [|n IH]; intros t k x k' y H.
  - simpl in H. destruct H as [H|H]; auto. destruct t; simpl in H; auto; destruct H.
  - destruct t as [|l|a b c d e f g h]; simpl in H;
      destruct (k land 4 =? 0), (k land 2 =? 0), (k land 1 =? 0); simpl in H |- *;
      destruct (k' land 4 =? 0), (k' land 2 =? 0), (k' land 1 =? 0); simpl in H; auto; try contradiction;
      apply IH in H; simpl in H; tauto.
Qed.
End Tables.
Arguments Empty {_}. Arguments Leaf {_} _. Arguments look {_} _ _. Arguments store {_} _ _ _ _.
