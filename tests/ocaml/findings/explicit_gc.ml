(* A service that collects after each request (`sick`), or never.  explicit_gc sick|healthy SECONDS *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let live = Array.init 200_000 (fun i -> Some i) and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for k = 1 to 20_000 do
      live.((k * 7919 + !n) mod 200_000) <- Some k
    done;
    incr n;
    if sick && !n mod 100 = 0 then Gc.full_major ()
  done;
  Printf.printf "%d\n%!" !n
