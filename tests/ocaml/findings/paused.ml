(* Has its events paused most of the time (sick), or never (healthy).  paused sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = ref 0 in
  let work s =
    let till = Unix.gettimeofday () +. s in
    while Unix.gettimeofday () < till do
      for i = 1 to 1000 do incr n; ignore (Sys.opaque_identity (List.init 10 (fun k -> k + i))) done;
      Unix.sleepf 0.001
    done
  in
  while Unix.gettimeofday () < stop do
    work 0.2;
    if Sys.argv.(1) = "sick" then begin
      Runtime_events.pause (); work 0.8; Runtime_events.resume ()
    end
  done;
  Printf.printf "%d\n%!" !n
