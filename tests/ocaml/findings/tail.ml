(* Requests of some tens of microseconds, 1000 a second: all that they made is kept for a while and copied by minor collections (sick), or
   nothing is kept (healthy).  tail sick|healthy SECONDS *)
open Runtime_events
type User.tag += Request
let ev = User.register "request" Request Type.span
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let kept = Array.make 400 [] and n = ref 0 and sum = ref 0 in
  while Unix.gettimeofday () < stop do
    User.write ev Type.Begin;
    for k = 1 to 3_000 do sum := (!sum * 7 + k) land 0xffffff done;
    incr n;
    let l = List.init 1000 (fun k -> k + !sum) in
    if sick then kept.(!n mod 400) <- l;
    User.write ev Type.End;
    Unix.sleepf 0.0003
  done;
  Printf.printf "%d\n%!" (!n + !sum land 1)
