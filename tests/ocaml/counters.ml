(* counters.ml DOMAINS [events]: one domain more ends; then all rest, and "said" gets what Gc.quick_stat answers, the words that
   domain 0 has allocated beyond its last collection, and the thread of each domain.  A line on standard input makes domain 0
   allocate a million words more, and say again; the second makes another domain end. *)

external tid : unit -> int = "counters_tid"
external hold : int -> unit = "counters_hold"

let[@inline never] churn n =
  let r = ref [] in
  for i = 1 to n do
    r := (i, string_of_int i) :: !r;
    if i mod 1000 = 0 then r := []
  done;
  ignore (Sys.opaque_identity !r)

let keep = ref []

(* What a domain that ended had allocated and promoted.  From OCaml 5.4 on Gc.quick_stat forgets that, and the next domain in its slot
   goes on counting where it stopped. *)
let left = ref (0., 0.)

let ends n =
  let counted () =
    churn n;
    Gc.minor ();
    let minor, promoted, _ = Gc.counters () in
    (minor, promoted)
  in
  let counts = Domain.join (Domain.spawn counted) in
  if String.compare Sys.ocaml_version "5.4" >= 0 then left := counts

let say tids =
  (* Ended domains leave their samples to the next collection. *)
  Gc.full_major ();
  Gc.minor ();
  let s = Gc.quick_stat () in
  let out = open_out "saying" in
  Printf.fprintf out
    "{\"minor_words\": %.0f, \"promoted_words\": %.0f, \"minor_collections\": %d, \"major_cycles\": %d, \"heap_words\": %d, \
     \"minor_heap_size\": %d, \"tids\": [%s]}\n"
    (s.minor_words +. fst !left)
    (s.promoted_words +. snd !left)
    s.minor_collections s.major_collections s.heap_words (Gc.get ()).minor_heap_size
    (String.concat ", " (List.map string_of_int tids));
  close_out out;
  Sys.rename "saying" "said"

let () =
  let domains = int_of_string Sys.argv.(1) in
  let events = Array.length Sys.argv > 2 in
  if events then Runtime_events.start ();
  let tids = Array.make (domains + 1) (tid ()) and up = Atomic.make 0 and stop = Atomic.make false in
  let spawned =
    List.init domains (fun i ->
        Domain.spawn (fun () ->
            churn 200_000;
            tids.(i + 1) <- tid ();
            Atomic.incr up;
            (* Every other one keeps its lock while it waits; with events on, those that wait for it would write too many. *)
            while not (Atomic.get stop) do
              if events || i mod 2 = 0 then Unix.sleepf 0.05 else hold 5;
              ignore (Sys.opaque_identity (ref i))
            done))
  in
  churn 500_000;
  for _ = 1 to 100 do
    keep := Bytes.create 100_000 :: !keep
  done;
  while Atomic.get up < domains do
    Unix.sleepf 0.01
  done;
  ends 100_000;
  let tids = Array.to_list tids in
  say tids;
  ignore (read_line ());
  churn 100_000;
  say tids;
  ignore (read_line ());
  ends 300_000;
  say tids;
  ignore (read_line ());
  Atomic.set stop true;
  List.iter Domain.join spawned
