(* Stores young values into a large old array (sick), or into a small one that is young again and again (healthy).
   mutation sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let old = Array.make 1_000_000 None and n = ref 0 in
  let sick = Sys.argv.(1) = "sick" in
  while Unix.gettimeofday () < stop do
    let young = Array.make 100 None in
    for i = 1 to 1000 do
      incr n;
      if sick then begin
        old.((!n * 7919) mod 1_000_000) <- Some !n;
        old.((!n * 7919) mod 1_000_000) <- None
      end
      else young.(i mod 100) <- Some !n
    done;
    ignore (Sys.opaque_identity young)
  done;
  Printf.printf "%d\n%!" !n
