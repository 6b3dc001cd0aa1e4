(* Writes user events as fast as it can (sick), or a few (healthy).  losses sick|healthy SECONDS *)
open Runtime_events
type User.tag += Step
let ev = User.register "step" Step Type.span
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to (if sick then 10_000 else 5) do
      User.write ev Type.Begin; User.write ev Type.End; incr n
    done;
    if not sick then Unix.sleepf 0.001
  done;
  Printf.printf "%d\n%!" !n
