(* Keeps a large table of which parts are replaced all the time: the major collector marks it again and again.  low_overhead SECONDS;
   sick with o=40, the remedy is a larger o. *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(1) in
  let table = Array.init 1_500_000 (fun i -> [i; i + 1; i + 2]) and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr n;
      table.((!n * 7919) mod 1_500_000) <- [!n; !n + 1; !n + 2]
    done
  done;
  ignore (Sys.opaque_identity table);
  Printf.printf "%d\n%!" !n
