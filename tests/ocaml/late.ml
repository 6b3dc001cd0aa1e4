(* late.exe N COUNT: one domain allocates in http.request; the other one runs, COUNT times, a recursion that allocates nothing, in marshal.big. *)
module R = Runtime_events

type R.User.tag += Late | Request

let late = R.User.register "marshal.big" Late R.Type.span
let request = R.User.register "http.request" Request R.Type.span
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  let n = int_of_string Sys.argv.(1) and count = int_of_string Sys.argv.(2) in
  R.start ();
  let over = Atomic.make false in
  let domain =
    Domain.spawn (fun () ->
        let sum = ref 0 in
        for _ = 1 to count do
          Unix.sleepf 0.1;
          R.User.write late R.Type.Begin;
          sum := !sum + fib n;
          R.User.write late R.Type.End;
          ignore (Sys.opaque_identity (ref 0))
        done;
        Atomic.set over true;
        !sum)
  in
  let keep = ref [] in
  while not (Atomic.get over) do
    R.User.write request R.Type.Begin;
    for i = 1 to 20000 do
      keep := [ i; i + 1 ] :: (if i mod 100 = 0 then [] else !keep)
    done;
    R.User.write request R.Type.End
  done;
  ignore (Domain.join domain)
