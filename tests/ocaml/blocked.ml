(* blocked.exe: one domain keeps a mutex while it runs an endless loop that allocates nothing, another one waits for the mutex.
   Both have begun when a line is printed. *)
let mutex = Mutex.create ()
let locked = Atomic.make false
let waits = Atomic.make false
let over = Atomic.make false

let[@inline never] spin () =
  let n = ref 0 in
  while not (Atomic.get over) do
    incr n
  done;
  !n

let[@inline never] hold () =
  Mutex.lock mutex;
  Atomic.set locked true;
  let n = spin () in
  Mutex.unlock mutex;
  n

let[@inline never] with_conn f =
  Mutex.lock mutex;
  let n = f () in
  Mutex.unlock mutex;
  n

let () =
  let holder = Domain.spawn (fun () -> hold () + 1) in
  while not (Atomic.get locked) do
    Domain.cpu_relax ()
  done;
  let waiter =
    Domain.spawn (fun () ->
        Atomic.set waits true;
        with_conn (fun () -> 1) + 1)
  in
  while not (Atomic.get waits) do
    Domain.cpu_relax ()
  done;
  print_endline "ready";
  exit (Domain.join waiter + Domain.join holder)
