(* Does what the lines on standard input say, as tests/support/faces_target.c: "busy", "exec" and "mark".  It reads no more than
   a line: the next program reads what comes after.  With the argument "silent" it records no events before "start" says so;
   a domain that ends has written, too, then.
   "counts" prints minor and major collections, bytes allocated and promoted, and those of the major heap. *)
type Runtime_events.User.tag += Mark

let mark = Runtime_events.User.register "mark" Mark Runtime_events.Type.unit

let rec line bytes =
  let one = Bytes.create 1 in
  if Unix.read Unix.stdin one 0 1 = 0 then exit 0
  else if Bytes.get one 0 = '\n' then String.concat "" (List.rev bytes)
  else line (Bytes.to_string one :: bytes)

let busy () =
  let keep = Array.make 64 [] in
  for i = 1 to 40 do
    for k = 1 to 2000 do keep.(k land 63) <- List.init 40 (fun n -> n + k) done;
    if i mod 5 = 0 then Gc.full_major () else Gc.minor ();
    Unix.sleepf 0.01
  done

(* A program that does nothing ends no slice, so what it says of itself is of the last one. *)
let counts () =
  Gc.full_major ();
  let s = Gc.quick_stat () in
  Printf.printf "%d %d %.0f %.0f %d\n%!" s.minor_collections s.major_collections (8. *. s.minor_words) (8. *. s.promoted_words)
    (8 * s.heap_words)

let () =
  if Array.length Sys.argv < 2 || Sys.argv.(1) <> "silent" then Runtime_events.start ();
  Gc.full_major ();
  print_endline (string_of_int (Unix.getpid ()));
  while true do
    let said = line [] in
    (match said with
     | "busy" -> busy ()
     | "start" ->
       Runtime_events.start ();
       Domain.join (Domain.spawn ignore)
     | "counts" -> counts ()
     | "mark" -> Runtime_events.User.write mark ()
     | _ -> Unix.execv Sys.executable_name Sys.argv);
    print_endline said
  done
