(* Builds trees that live a little longer than the minor heap lasts.  outlive DEPTH SECONDS; sick with 18 and the default s,
   healthy with s=8M; with 24, where a tree outlives every minor heap, s is no remedy. *)
type tree = Leaf | Node of tree * int * tree

let rec build depth =
  if depth = 0 then Leaf
  else
    let left = build (depth - 1) in
    let right = build (depth - 1) in
    Node (left, depth, right)

let rec sum = function Leaf -> 0 | Node (left, n, right) -> sum left + n + sum right

let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) and n = ref 0 in
  while Unix.gettimeofday () < stop do
    ignore (Sys.opaque_identity (sum (build (int_of_string Sys.argv.(1)))));
    incr n
  done;
  Printf.printf "%d\n%!" !n
