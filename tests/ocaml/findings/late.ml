(* Two domains allocate.  Now and then one computes without a safepoint: a recursion that neither allocates nor is a tail call
   (sick), or the same in a loop (healthy).  Always: of three domains the main one computes 20 to 50 ms between all that it
   allocates.  late sick|healthy|always SECONDS *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let fib_loop n =
  let rec go n = if n < 2 then n else (ignore (Sys.opaque_identity (ref n)); go (n - 1) + go (n - 2)) in
  go n
let () =
  let always = Sys.argv.(1) = "always" in
  let sick = Sys.argv.(1) = "sick" || always in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let keep () = let k = Array.make 16 [] in fun i -> k.(i land 15) <- List.init 40 (fun k -> k + i) in
  let work compute () =
    let keep = keep () and i = ref 0 in
    while Unix.gettimeofday () < stop do
      for _ = 1 to if compute && always then 1 else 20_000 do incr i; keep !i done;
      if compute then ignore (Sys.opaque_identity (if sick then fib 33 else fib_loop 20))
    done;
    !i
  in
  let others = List.init (if always then 2 else 1) (fun _ -> Domain.spawn (work (not always))) in
  let n = work always () in
  List.iter (fun d -> ignore (Domain.join d)) others;
  Printf.printf "%d\n%!" n
