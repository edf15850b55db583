From Coq Require Import Extraction ExtrOcamlBasic ExtrOCamlInt63.
From proofkernel Require Import Kernel Lines Pairs Games Connections Hex Nim Graphs Domineering Breakthrough.
Extraction Language OCaml.
Extraction "kernel.ml" check claim connect4 mnk no_stones Fact Pair
  hex nim graph graph_claim domineering domineering_claim board_squares breakthrough.
