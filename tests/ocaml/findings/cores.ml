(* DOMAINS domains that all allocate.  cores DOMAINS SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let n = Atomic.make 0 in
  let work () =
    let keep = Array.make 16 [] and i = ref 0 in
    while Unix.gettimeofday () < stop do
      for _ = 1 to 1000 do incr i; keep.(!i land 15) <- List.init 40 (fun k -> k + !i) done
    done;
    ignore (Atomic.fetch_and_add n !i)
  in
  let ds = List.init (int_of_string Sys.argv.(1) - 1) (fun _ -> Domain.spawn work) in
  work ();
  List.iter Domain.join ds;
  Printf.printf "%d\n%!" (Atomic.get n)
