(* unswept.ml: a heap of which a third is reachable while nothing of the rest has been swept; a line on standard input has it collected in
   full.  Each time "said" gets the reachable words. *)
let keep = Array.make 3 []

let say () =
  let out = open_out "saying" in
  Printf.fprintf out "%d\n" (Obj.reachable_words (Obj.repr keep));
  close_out out;
  Sys.rename "saying" "said"

let () =
  Array.iteri (fun i _ -> keep.(i) <- List.init 200_000 (fun n -> Bytes.create (8 + (n mod 7 * 8)))) keep;
  Gc.full_major ();
  keep.(1) <- [];
  keep.(2) <- [];
  say ();
  ignore (input_line stdin);
  Gc.full_major ();
  say ();
  ignore (input_line stdin)
