(* Reports each step by a user event (sick), or one of a thousand (healthy).  flood sick|healthy SECONDS *)
open Runtime_events
type User.tag += Step
let ev = User.register "step" Step Type.int
let () =
  let every = if Sys.argv.(1) = "sick" then 1 else 1000 in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 100 do
      incr n;
      if !n mod every = 0 then User.write ev !n
    done;
    Unix.sleepf 0.0005
  done;
  Printf.printf "%d\n%!" !n
