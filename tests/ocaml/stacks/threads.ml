(* usage: threads N: N threads that wait for a mutex, each below its own function; prints "ready". *)
let m = Mutex.create ()
let sink = ref 0
let[@inline never] wait () = Mutex.lock m; incr sink
let started = Atomic.make 0
let () =
  Mutex.lock m;
  let n = int_of_string Sys.argv.(1) in
  let body () = Atomic.incr started; wait (); incr sink in
  let all = List.init n (fun _ -> Thread.create body ()) in
  while Atomic.get started < n do Thread.delay 0.01 done;
  Thread.delay 0.2;
  print_endline "ready";
  List.iter Thread.join all
