(* Buffers of 16 kB: a new one for each piece of work (sick), or one for all (healthy).  large_blocks sick|healthy SECONDS *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let live = Array.init 300_000 (fun i -> Some (i, i)) and n = ref 0 in
  let one = Array.make 2000 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 100 do
      let a = if sick then Array.make 2000 !n else one in
      for i = 0 to 1999 do a.(i) <- i + !n done;
      ignore (Sys.opaque_identity a);
      incr n
    done;
    ignore (Sys.opaque_identity (List.init 1000 (fun i -> live.(i))))
  done;
  ignore (Sys.opaque_identity live);
  Printf.printf "%d\n%!" !n
