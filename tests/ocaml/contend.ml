(* contend.exe: two domains want one mutex: one sleeps while it has it, the other waits for it in the span db.query. *)
module R = Runtime_events

type R.User.tag += Query

let query = R.User.register "db.query" Query R.Type.span
let mutex = Mutex.create ()
let held = Atomic.make false

let[@inline never] with_conn f =
  Mutex.lock mutex;
  let n = f () in
  Mutex.unlock mutex;
  n

let () =
  R.start ();
  let waiter =
    Domain.spawn (fun () ->
        while true do
          if Atomic.get held then (
            R.User.write query R.Type.Begin;
            ignore (Sys.opaque_identity (with_conn (fun () -> 1) + 1));
            R.User.write query R.Type.End)
          else Domain.cpu_relax ()
        done)
  in
  while true do
    Mutex.lock mutex;
    Atomic.set held true;
    Unix.sleepf 0.6;
    Atomic.set held false;
    Mutex.unlock mutex;
    Unix.sleepf 0.05
  done;
  Domain.join waiter
