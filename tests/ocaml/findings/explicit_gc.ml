(* A service that collects after each request (sick), or never (healthy).  explicit_gc sick|healthy SECONDS *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let live = Array.init 200_000 (fun i -> Some i) and n = ref 0 and sum = ref 0 in
  while Unix.gettimeofday () < stop do
    for k = 1 to 20_000 do
      match live.((k * 7919) mod 200_000) with Some v -> sum := !sum + v | None -> ()
    done;
    ignore (Sys.opaque_identity (List.init 100 (fun k -> k + !sum)));
    incr n;
    if sick && !n mod 100 = 0 then Gc.full_major ()
  done;
  Printf.printf "%d\n%!" !n
