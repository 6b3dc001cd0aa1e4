(* Ten programs that nothing is wrong with: healthy KIND SECONDS.  Each does its work with pauses or in a way that suits the collector. *)
let stop = Unix.gettimeofday () +. float_of_string Sys.argv.(2)
let on () = Unix.gettimeofday () < stop
let n = ref 0

(* Wakes up ten times a second and does nearly nothing. *)
let idle_server () = while on () do Unix.sleepf 0.1; incr n; ignore (Sys.opaque_identity (String.make 100 'x')) done

(* A thousand requests a second, each of which formats a reply. *)
let server () =
  while on () do
    incr n;
    ignore (Sys.opaque_identity (Printf.sprintf "HTTP/1.1 200 OK\r\nX: %d\r\n\r\n%s" !n (String.make 2000 'x')));
    Unix.sleepf 0.001
  done

(* Two domains, each with a part of the numbers. *)
let parallel_map () =
  let part from () =
    let a = Array.make 100_000 0. and rounds = ref 0 in
    while on () do
      for i = 0 to 99_999 do a.(i) <- sqrt (float (from + i + !rounds)) done;
      incr rounds
    done;
    !rounds
  in
  let d = Domain.spawn (part 100_000) in
  n := part 0 () + Domain.join d

(* Short lists, all dead soon. *)
let short_lived () =
  while on () do
    for i = 1 to 1000 do incr n; ignore (Sys.opaque_identity (List.fold_left (+) 0 (List.init 50 (fun k -> k * i)))) done
  done

(* A round robin of fibers. *)
type _ Effect.t += Yield : unit Effect.t
let fibers () =
  let open Effect.Deep in
  let ready : (unit, unit) continuation Queue.t = Queue.create () in
  let spawn f =
    match_with f ()
      { retc = (fun () -> ()); exnc = raise;
        effc = fun (type a) (e : a Effect.t) ->
          match e with Yield -> Some (fun (k : (a, unit) continuation) -> Queue.push k ready) | _ -> None }
  in
  for i = 1 to 100 do
    spawn (fun () -> while on () do incr n; ignore (Sys.opaque_identity (i * !n)); Effect.perform Yield done)
  done;
  while not (Queue.is_empty ready) do continue (Queue.pop ready) () done

(* Reads, counts words, sorts, again and again. *)
let batch () =
  let text = String.concat " " (List.init 20_000 (fun i -> string_of_int (i * 7919 mod 5000))) in
  while on () do
    let counts = Hashtbl.create 5000 in
    String.split_on_char ' ' text |> List.iter (fun w -> Hashtbl.replace counts w (1 + Option.value ~default:0 (Hashtbl.find_opt counts w)));
    ignore (Sys.opaque_identity (List.sort compare (Hashtbl.fold (fun w c l -> (c, w) :: l) counts [])));
    incr n;
    Unix.sleepf 0.05
  done

(* A cache of a fixed size. *)
let cache () =
  let table = Array.make 100_000 "" in
  while on () do
    for _ = 1 to 20 do incr n; table.(!n * 7919 mod 100_000) <- string_of_int !n done;
    Unix.sleepf 0.001
  done

(* Numbers in one bigarray. *)
let numbers () =
  let a = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 1_000_000 in
  while on () do
    for i = 0 to 999_999 do Bigarray.Array1.unsafe_set a i (float (i + !n)) done;
    incr n
  done

(* One domain makes, another takes. *)
let pipeline () =
  let q = Queue.create () and m = Mutex.create () and c = Condition.create () and over = ref false in
  let taker () =
    let taken = ref 0 in
    let rec go () =
      Mutex.lock m;
      while Queue.is_empty q && not !over do Condition.wait c m done;
      let got = Queue.length q in
      Queue.clear q;
      Mutex.unlock m;
      taken := !taken + got;
      if got > 0 || not !over then go ()
    in
    go (); !taken
  in
  let d = Domain.spawn taker in
  while on () do
    for _ = 1 to 100 do incr n; Mutex.lock m; Queue.push (!n, "message") q; Condition.signal c; Mutex.unlock m done;
    Unix.sleepf 0.002
  done;
  Mutex.lock m; over := true; Condition.broadcast c; Mutex.unlock m;
  n := Domain.join d

(* Loads a table at the start, collects once, then looks things up. *)
let loaded () =
  let table = Hashtbl.create 100_000 in
  for i = 1 to 200_000 do Hashtbl.replace table i (string_of_int i) done;
  Gc.full_major ();
  while on () do
    for i = 1 to 1000 do incr n; ignore (Sys.opaque_identity (Hashtbl.find_opt table (i * 7919 mod 200_000))) done
  done

let () =
  List.assoc Sys.argv.(1)
    [ "idle_server", idle_server; "server", server; "parallel_map", parallel_map; "short_lived", short_lived; "fibers", fibers;
      "batch", batch; "cache", cache; "numbers", numbers; "pipeline", pipeline; "loaded", loaded ] ();
  Printf.printf "%d\n%!" !n
