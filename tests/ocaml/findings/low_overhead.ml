(* Makes lists and keeps each for a while: in a large table, so that they are promoted and the major collector marks the table again and again
   (sick with o=40; the remedy is a larger o), or in a small one, where they die young (healthy).  low_overhead sick|healthy SECONDS *)
let () =
  let size = if Sys.argv.(1) = "sick" then 1_500_000 else 100 in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let table = Array.init size (fun i -> [i; i + 1; i + 2]) and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr n;
      table.((!n * 7919) mod size) <- [!n; !n + 1; !n + 2]
    done
  done;
  ignore (Sys.opaque_identity table);
  Printf.printf "%d\n%!" !n
