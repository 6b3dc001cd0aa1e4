(* fixed.ml: wait for a line, work between two user events, print what Gc counted meanwhile, wait for the end of the input. *)
type Runtime_events.User.tag += Mark

let mark = Runtime_events.User.register "mark" Mark Runtime_events.Type.unit

let () =
  Runtime_events.start ();
  let live = Array.make 50000 [] in
  Gc.full_major ();
  print_endline "ready";
  ignore (read_line ());
  Runtime_events.User.write mark ();
  let before = Gc.quick_stat () in
  for i = 1 to 3_000_000 do
    live.(i mod 50000) <- [ i; i + 1 ]
  done;
  let after = Gc.quick_stat () in
  Runtime_events.User.write mark ();
  (* What the ring tells of a collection comes at its end. *)
  Printf.printf "%d %d %.0f\n%!"
    (after.minor_collections - before.minor_collections)
    (after.major_collections - before.major_collections)
    (after.promoted_words -. before.promoted_words);
  try ignore (read_line ()) with End_of_file -> ()
