(* A program that works a little all the time, forks on SIGUSR1 and runs itself anew on SIGUSR2. *)
let fork = ref false
let exec = ref false
let child = ref false

let () =
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> fork := true));
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle (fun _ -> exec := true));
  while true do
    ignore (Sys.opaque_identity (List.init 20_000 string_of_int));
    Gc.minor ();
    (try Unix.sleepf 0.01 with Unix.Unix_error (Unix.EINTR, _, _) -> ());
    if !fork && not !child then begin
      fork := false;
      if Unix.fork () = 0 then child := true
    end;
    if !exec then Unix.execv Sys.executable_name [| Sys.executable_name; "again" |]
  done
