(* usage: idle N: N idle workers, each of which waits for a condition of its own, as those of Lwt_preemptive; prints "ready". *)
let started = Atomic.make 0
let[@inline never] idle () =
  let m = Mutex.create () and c = Condition.create () in
  Mutex.lock m;
  Atomic.incr started;
  while true do Condition.wait c m done
let () =
  let n = int_of_string Sys.argv.(1) in
  for _ = 1 to n do ignore (Thread.create idle ()) done;
  while Atomic.get started < n do Thread.delay 0.01 done;
  print_endline "ready";
  Thread.delay 1000.
