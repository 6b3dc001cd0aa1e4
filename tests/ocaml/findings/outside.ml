(* Holds 300 MB in bigarrays (sick), or 3 MB (healthy).  outside sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let held = Bigarray.Array1.create Bigarray.char Bigarray.c_layout (if Sys.argv.(1) = "sick" then 300_000_000 else 3_000_000) in
  Bigarray.Array1.fill held 'x';
  let n = ref 0 and keep = Array.make 1000 [] in
  while Unix.gettimeofday () < stop do
    for i = 1 to 1000 do incr n; keep.(!n mod 1000) <- List.init 10 (fun k -> k + i) done;
    Unix.sleepf 0.001
  done;
  ignore (Sys.opaque_identity held);
  Printf.printf "%d\n%!" !n
