(* A fiber, as a scheduler's events tell it, that sleeps in a system call.  "none": without events. *)
type Runtime_events.User.tag += Fiber
let fiber = Runtime_events.User.register "eio.fiber" Fiber Runtime_events.Type.int
type _ Effect.t += Y : unit Effect.t
let[@inline never] waits () = Unix.sleepf 600.; ignore (Sys.opaque_identity 0)
let () =
  if Sys.argv.(1) = "ring" then Runtime_events.start ();
  if Sys.argv.(2) <> "none" then Runtime_events.User.write fiber (int_of_string Sys.argv.(2));
  print_endline "ready";
  Effect.Deep.match_with (fun () -> waits (); ignore (Sys.opaque_identity 0)) ()
    { retc = Fun.id; exnc = raise; effc = fun (type a) (_ : a Effect.t) -> None }
