(* Work in domains: one spawned for each piece (`sick`), or two that stay.  churn sick|healthy SECONDS *)
let rec fib n = if n < 2 then [n] else if n < 18 then (match fib (n-1), fib (n-2) with a :: _, b :: _ -> [a + b] | _ -> []) else fib (n-1)
let piece () = for _ = 1 to 20 do ignore (Sys.opaque_identity (fib 18)) done
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = Atomic.make 0 in
  let work () = while Unix.gettimeofday () < stop do piece (); Atomic.incr n done in
  if Sys.argv.(1) = "sick" then
    while Unix.gettimeofday () < stop do
      let d = Domain.spawn (fun () -> piece (); Atomic.incr n) in
      piece (); Atomic.incr n; Domain.join d
    done
  else begin
    let d = Domain.spawn work in
    work (); Domain.join d
  end;
  Printf.printf "%d\n%!" (Atomic.get n)
