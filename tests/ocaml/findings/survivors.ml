(* Beside 300 MB that live for ever, four in ten of the values (sick), or one in two hundred (healthy), live until 15,000 later ones
   have been kept: s=2M finds half of them dead that the default promotes.  survivors sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let value i = Sys.opaque_identity [ 1; 2; 3; 4; 5; 6; 7; i ] in
  let old = Array.init 1_500_000 value and ring = Array.make 15_000 [] in
  let kept = if Sys.argv.(1) = "sick" then 80 else 1 in
  let n = ref 0 and at = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 10_000 do
      let v = value !n in
      if !n mod 200 < kept then begin
        ring.(!at) <- v;
        at := (!at + 1) mod Array.length ring
      end;
      incr n
    done
  done;
  ignore (Sys.opaque_identity old);
  Printf.printf "%d\n%!" !n
