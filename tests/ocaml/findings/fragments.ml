(* Fills the heap, drops nineteen of twenty blocks here and there (sick) or none (healthy), and collects after that.
   fragments sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let table = Array.init 3_000_000 (fun i -> Some (i, i + 1)) in
  if Sys.argv.(1) = "sick" then Array.iteri (fun i _ -> if i mod 20 <> 0 then table.(i) <- None) table;
  Gc.full_major ();
  Gc.full_major ();
  let n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do incr n; ignore (Sys.opaque_identity (List.init 3 (fun k -> k + !n))) done;
    Unix.sleepf 0.001
  done;
  ignore (Sys.opaque_identity table);
  Printf.printf "%d\n%!" !n
