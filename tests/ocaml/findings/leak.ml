(* Keeps all (sick), or the latest (healthy).  leak sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let kept = ref [] and ring = Array.make 10_000 [||] and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 100 do
      incr n;
      let a = Array.make 50 !n in
      if Sys.argv.(1) = "sick" then kept := a :: !kept else ring.(!n mod 10_000) <- a
    done;
    Unix.sleepf 0.005
  done;
  Printf.printf "%d\n%!" (!n + List.length !kept)
