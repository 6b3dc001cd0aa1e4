(* Short-lived handles, one of eight kept for a while, with a finaliser each (sick) or without (healthy).  finalisers sick|healthy SECONDS *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = ref 0 and closed = ref 0 in
  let keep = Array.make 20_000 (ref 0) in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr n;
      let handle = ref !n in
      if sick then Gc.finalise (fun h -> closed := !closed + (!h land 1)) handle;
      if !n land 7 = 0 then keep.(!n * 7919 mod 20_000) <- handle
    done
  done;
  ignore (Sys.opaque_identity keep);
  Printf.printf "%d\n%!" !n
