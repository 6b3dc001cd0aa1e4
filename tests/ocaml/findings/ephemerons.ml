(* A quarter of a million entries that are ephemerons (sick), or pairs (healthy), beside buffers that make the major cycles.
   ephemerons sick|healthy SECONDS *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let key = ref 0 and n = ref 0 in
  let entries =
    Array.init 250_000 (fun i -> if sick then Obj.repr (Ephemeron.K1.make key i) else Obj.repr (key, i)) in
  while Unix.gettimeofday () < stop do
    incr n;
    Bytes.set (Sys.opaque_identity (Bytes.create 20_000)) 0 'x';
    for i = 1 to 3000 do ignore (Sys.opaque_identity (i * !n)) done
  done;
  ignore (Sys.opaque_identity entries);
  Printf.printf "%d\n%!" !n
