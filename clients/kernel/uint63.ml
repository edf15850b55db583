(* The 63-bit integers of the kernel are OCaml's own. Trusted: each function is what Coq's Uint63 says of it. *)
type t = int

let of_int (i : int) : t = i
let add : t -> t -> t = ( + )
let sub : t -> t -> t = ( - )
let mul : t -> t -> t = ( * )
let wide op (x : t) (y : t) : t = Int64.(to_int (op (logand (of_int x) 0x7fffffffffffffffL) (logand (of_int y) 0x7fffffffffffffffL)))
let div (x : t) (y : t) : t = if y = 0 then 0 else if x >= 0 && y > 0 then x / y else wide Int64.div x y
let rem (x : t) (y : t) : t = if y = 0 then x else if x >= 0 && y > 0 then x mod y else wide Int64.rem x y
let l_and : t -> t -> t = ( land )
let l_or : t -> t -> t = ( lor )
let l_xor : t -> t -> t = ( lxor )
let l_sl (x : t) (n : t) : t = if n < 0 || n >= 63 then 0 else x lsl n
let l_sr (x : t) (n : t) : t = if n < 0 || n >= 63 then 0 else x lsr n
let equal (x : t) (y : t) = x = y
let lt (x : t) (y : t) = x lxor min_int < y lxor min_int
let le (x : t) (y : t) = x lxor min_int <= y lxor min_int
