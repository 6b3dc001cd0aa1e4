(* Allocates lists that live for a while and die: `sick` with a minor heap that they do not fit in.
   small_heap WORDS SECONDS: WORDS is the size of the minor heap. *)
let () =
  Gc.set { (Gc.get ()) with minor_heap_size = int_of_string Sys.argv.(1) };
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let keep = Array.make 64 [] and i = ref 0 and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr i; incr n;
      keep.(!i land 63) <- List.init 40 (fun k -> k + !i)
    done
  done;
  Printf.printf "%d\n%!" !n
