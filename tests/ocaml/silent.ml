(* Busy domains that record nothing until a line on standard input says so: "start", "pause", "resume", "exec", "end".  "counts" prints
   minor and major collections, and the bytes that this domain allocated and promoted, at a time when it allocates nothing. *)
let busy =
  let stop = Atomic.make false in
  let work () =
    let kept = ref [] in
    while not (Atomic.get stop) do
      for i = 1 to 2000 do
        kept := string_of_int i :: !kept
      done;
      if List.length !kept > 20000 then kept := []
    done
  in
  (stop, List.init 2 (fun _ -> Domain.spawn work))

let () =
  let stop, domains = busy in
  let rec loop () =
    match input_line stdin with
    | "start" -> Runtime_events.start (); print_endline "started"; loop ()
    | "pause" -> Runtime_events.pause (); print_endline "paused"; loop ()
    | "resume" -> Runtime_events.resume (); print_endline "resumed"; loop ()
    | "exec" -> Unix.execv Sys.argv.(1) [| Sys.argv.(1); Sys.argv.(1) |]
    | "counts" ->
      let s = Gc.quick_stat () in
      Printf.printf "counts %d %d %.0f\n%!" s.minor_collections s.major_collections (8. *. s.minor_words);
      loop ()
    | _ | (exception End_of_file) -> Atomic.set stop true; List.iter Domain.join domains
  in
  print_endline "ready";
  loop ()
