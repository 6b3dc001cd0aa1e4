(* Reads pages of a file of 300 MB, mapped, here and there: more than its memory holds (sick), or the first 10 MB of it (healthy).
   faults sick|healthy SECONDS; with 100 MB of memory. *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let size = 300_000_000 in
  let name = Filename.temp_file ~temp_dir:(Sys.getcwd ()) "faults" ".data" in
  let fd = Unix.openfile name [ Unix.O_RDWR ] 0o600 in
  let part = Bytes.make 1_000_000 'x' in
  for _ = 1 to size / 1_000_000 do ignore (Unix.write fd part 0 1_000_000) done;
  Unix.fsync fd;
  Sys.remove name;
  let a = Bigarray.array1_of_genarray (Unix.map_file fd Bigarray.char Bigarray.c_layout false [| size |]) in
  let reach = if Sys.argv.(1) = "sick" then size else 10_000_000 in
  let n = ref 0 and at = ref 0 and sum = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 20 do
      incr n;
      at := (!at * 1103515245 + 12345) land 0x3fffffff;
      sum := !sum + Char.code a.{!at mod reach};
      ignore (Sys.opaque_identity (List.init 20 (fun k -> k + !sum)))
    done;
    Unix.sleepf 0.001
  done;
  Printf.printf "%d\n%!" !n
