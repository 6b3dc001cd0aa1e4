(* One domain allocates.  Three more wait on a condition (`sick`), or there are none.  idle sick|healthy SECONDS *)
let () =
  let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let m = Mutex.create () and c = Condition.create () and over = ref false in
  let wait () = Mutex.lock m; while not !over do Condition.wait c m done; Mutex.unlock m in
  let ds = if Sys.argv.(1) = "sick" then List.init 3 (fun _ -> Domain.spawn wait) else [] in
  let keep = Array.make 16 [] and i = ref 0 in
  while Unix.gettimeofday () < stop do
    for _ = 1 to 1000 do
      incr i;
      keep.(!i land 15) <- List.init 40 (fun k -> k + !i)
    done
  done;
  Mutex.lock m; over := true; Condition.broadcast c; Mutex.unlock m;
  List.iter Domain.join ds;
  Printf.printf "%d\n%!" !i
