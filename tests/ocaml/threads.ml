(* threads.exe WAITING ROUNDS DOMAINS: in each domain WAITING systhreads wait for a condition that never comes true while another
   thread allocates and collects ROUNDS times, and all along another one waits now and then for its turn.  ROUNDS 0: until it is
   killed.  It leaves by _exit, so that the threads that wait need no word. *)

let lock = Mutex.create ()
and never = Condition.create ()

let wait () =
  Mutex.lock lock;
  while true do
    Condition.wait never lock
  done

(* A thread that waits again and again, and is woken by the one that collects. *)
let turns () =
  let m = Mutex.create () and c = Condition.create () and ready = ref false in
  let follow () =
    Mutex.lock m;
    while true do
      while not !ready do
        Condition.wait c m
      done;
      ready := false
    done
  in
  ignore (Thread.create follow ());
  fun () ->
    Mutex.lock m;
    ready := true;
    Condition.signal c;
    Mutex.unlock m;
    Thread.yield ()

let work waiting rounds () =
  for _ = 1 to waiting do
    ignore (Thread.create wait ())
  done;
  let wake = if waiting > 0 then turns () else ignore in
  let round = ref 0 in
  while rounds = 0 || !round < rounds do
    incr round;
    ignore (Sys.opaque_identity (List.init 2000 string_of_int));
    Gc.minor ();
    if !round mod 10 = 0 then wake ()
  done

let () =
  let arg i = int_of_string Sys.argv.(i) in
  let done_ = Atomic.make 0 in
  for _ = 2 to arg 3 do
    ignore
      (Domain.spawn (fun () ->
           work (arg 1) (arg 2) ();
           Atomic.incr done_;
           wait ()))
  done;
  work (arg 1) (arg 2) ();
  while Atomic.get done_ < arg 3 - 1 do
    Unix.sleepf 0.01
  done;
  Unix._exit 0
