(* Allocates lists that live for a while and die.  small_heap SECONDS; sick with s=32k, in which they do not fit, healthy with s=1M. *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(1) in
  let keep = Array.make 64 [] and i = ref 0 and n = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr i; incr n;
      keep.(!i land 63) <- List.init 40 (fun k -> k + !i)
    done
  done;
  Printf.printf "%d\n%!" !n
