(* Builds 300 MB of small blocks, drops them, and goes on with little (sick); or gives them back (healthy).  freed sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  ignore (Sys.opaque_identity (List.init 3_700_000 (fun i -> Array.make 7 i)));
  Gc.full_major ();
  if Sys.argv.(1) = "healthy" then Gc.compact () else Gc.full_major ();
  let n = ref 0 and keep = Array.make 1000 [] in
  while Unix.gettimeofday () < stop do
    for i = 1 to 1000 do incr n; keep.(!n mod 1000) <- List.init 10 (fun k -> k + i) done;
    Unix.sleepf 0.001
  done;
  Printf.printf "%d\n%!" !n
