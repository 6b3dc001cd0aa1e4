(* Allocates at the bottom of a deep recursion (sick), or of a shallow one (healthy).  deep_stack sick|healthy SECONDS *)
let rec down n f = if n = 0 then f () else 1 + Sys.opaque_identity (down (n - 1) f)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = ref 0 in
  let work () =
    while Unix.gettimeofday () < stop do
      for i = 1 to 1000 do incr n; ignore (Sys.opaque_identity (List.init 40 (fun k -> k + i))) done
    done;
    0
  in
  ignore (down (if Sys.argv.(1) = "sick" then 200_000 else 20) work);
  Printf.printf "%d\n%!" !n
