(* Does what the lines on standard input say, as tests/support/faces_target.c: "busy", "exec" and "mark".  It reads no more than
   a line: the next program reads what comes after. *)
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

let () =
  Runtime_events.start ();
  Gc.full_major ();
  print_endline (string_of_int (Unix.getpid ()));
  while true do
    let said = line [] in
    (match said with
     | "busy" -> busy ()
     | "mark" -> Runtime_events.User.write mark ()
     | _ -> Unix.execv Sys.executable_name Sys.argv);
    print_endline said
  done
