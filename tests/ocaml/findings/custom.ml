(* Bigarrays of 64 KiB, one after the other, beside a live heap of 40 MB.  custom SECONDS; the remedy is M. *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(1) in
  let live = Array.init 500_000 (fun i -> Some (i, i)) and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 20 do
      let a = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 100_000 in
      a.{0} <- 'x';
      incr n
    done;
    ignore (Sys.opaque_identity (List.init 1000 (fun i -> live.(i))))
  done;
  ignore (Sys.opaque_identity live);
  Printf.printf "%d\n%!" !n
