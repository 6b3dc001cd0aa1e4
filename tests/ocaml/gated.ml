(* Makes a file "waits" and waits for a line on standard input, so that whoever observes it has attached, then works for
   some seconds in a minor heap that its lists do not fit in: gated WORDS SECONDS. *)
let () =
  Gc.set { (Gc.get ()) with minor_heap_size = int_of_string Sys.argv.(1) };
  close_out (open_out "waits");
  ignore (input_line stdin);
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let keep = Array.make 64 [] and i = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr i;
      keep.(!i land 63) <- List.init 40 (fun k -> k + !i)
    done
  done
