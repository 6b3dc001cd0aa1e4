(* A table of 20 MB of which entries are replaced now and then, beside much computing: with a high o, garbage makes the heap several times
   as large.  overhead_high SECONDS; sick with o=500 and 220 MB of memory, healthy with o=80. *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(1) in
  let size = 150_000 in
  let entry i = Some (String.make 100 (Char.chr (i land 127))) in
  let table = Array.init size entry and n = ref 0 and sum = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr n;
      table.(!n * 7919 mod size) <- entry !n;
      for k = 1 to 1500 do sum := (!sum * 7 + k) land 0xffffff done
    done
  done;
  ignore (Sys.opaque_identity (table, !sum));
  Printf.printf "%d\n%!" !n
