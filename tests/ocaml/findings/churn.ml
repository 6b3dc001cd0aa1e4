(* Work in domains: one spawned for each piece (sick), or two that stay (healthy).  churn sick|healthy SECONDS *)
let piece () =
  let sum = ref 0 in
  for i = 1 to 400_000 do sum := (!sum * 7 + i) land 0xffffff done;
  ignore (Sys.opaque_identity (Array.init 200 (fun i -> i + !sum)))
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
