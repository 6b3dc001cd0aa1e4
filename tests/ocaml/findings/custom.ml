(* Bigarrays of 100 kB beside a live heap of 12 MB: a new one for each piece of work (sick), or one for all (healthy).
   custom sick|healthy SECONDS; a remedy is M. *)
let () =
  let sick = Sys.argv.(1) = "sick" in
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let make () = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 100_000 in
  let live = Array.init 500_000 (fun i -> Some (i, i)) and n = ref 0 and one = make () in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 20 do
      let a = if sick then make () else one in
      a.{0} <- 'x';
      incr n
    done;
    ignore (Sys.opaque_identity (List.init 1000 (fun i -> live.(i))))
  done;
  ignore (Sys.opaque_identity live);
  Printf.printf "%d\n%!" !n
