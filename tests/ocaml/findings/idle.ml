(* Domains that allocate: one, or BUSY.  More wait on a condition, every second of them in sleeps of 10 ms (`sick`: IDLE, or 3), or there are none.
   idle sick|healthy [BUSY IDLE] SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(Array.length Sys.argv - 1) in
  let number i default = if Array.length Sys.argv > 3 then int_of_string Sys.argv.(i) else default in
  let busy = number 2 1 and idle = if Sys.argv.(1) = "sick" then number 3 3 else 0 in
  let m = Mutex.create () and c = Condition.create () and over = ref false and total = Atomic.make 0 in
  let wait () = Mutex.lock m; while not !over do Condition.wait c m done; Mutex.unlock m in
  let sleep () = while Unix.gettimeofday () < stop do Unix.sleepf 0.01 done in
  let ds = List.init idle (fun i -> Domain.spawn (if i land 1 = 1 && busy > 1 then sleep else wait)) in
  let work () =
    let keep = Array.make 16 [] and i = ref 0 in
    while Unix.gettimeofday () < stop do
      for _ = 1 to 1000 do
        incr i;
        keep.(!i land 15) <- List.init 40 (fun k -> k + !i)
      done
    done;
    ignore (Atomic.fetch_and_add total !i)
  in
  let workers = List.init (busy - 1) (fun _ -> Domain.spawn work) in
  work ();
  List.iter Domain.join workers;
  Mutex.lock m; over := true; Condition.broadcast c; Mutex.unlock m;
  List.iter Domain.join ds;
  Printf.printf "%d\n%!" (Atomic.get total)
