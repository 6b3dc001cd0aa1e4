(* Holds memory of one kind, MB of it, or so many mappings, and says so.  memory small|large|huge|freed|domains|deep|mapped MB
   Or grows: reads MB by Marshal, a hundredth each 10 ms, for as long as it is let; with "none" it records no events. *)
let hold = ref [] and stop = Atomic.make false
let wait () = while not (Atomic.get stop) do Unix.sleepf 0.01 done

let ready () =
  let out = open_out "ready.new" in
  Gc.minor ();
  let s = Gc.quick_stat () in
  Printf.fprintf out "%d %d\n" (s.Gc.heap_words * 8) (s.Gc.live_words * 8);
  close_out out;
  Sys.rename "ready.new" "ready"

let small n = List.init n (fun i -> Array.make 7 i)
let keep x = hold := Obj.repr x :: !hold
let rec deep n = if n = 0 then (ready (); wait (); 0) else 1 + deep (n - 1)

let () =
  let mb = int_of_string Sys.argv.(2) in
  if Array.length Sys.argv < 4 || Sys.argv.(3) <> "none" then Runtime_events.start ();
  Sys.set_signal Sys.sigterm (Sys.Signal_handle (fun _ -> Atomic.set stop true));
  (match Sys.argv.(1) with
   | "small" -> keep (small (mb * 12000)); ready (); wait ()
   | "large" -> keep (List.init (mb * 100) (fun _ -> Bytes.make 10_000 'x')); ready (); wait ()
   | "huge" -> keep (Bytes.create (mb * 1_000_000)); ready (); wait ()
   | "freed" -> ignore (Sys.opaque_identity (small (mb * 12000))); Gc.full_major (); Gc.full_major (); ready (); wait ()
   | "grows" ->
     let some = Marshal.to_string (small (mb * 120)) [] in
     ready ();
     while not (Atomic.get stop) do
       ignore (Sys.opaque_identity (Marshal.from_string some 0 : int array list)); Unix.sleepf 0.01
     done
   | "mapped" ->
     let fd = Unix.openfile "page" [ Unix.O_RDWR; Unix.O_CREAT ] 0o600 in
     Unix.ftruncate fd 4096;
     keep (Array.init mb (fun _ -> Unix.map_file fd Bigarray.char Bigarray.c_layout true [| 4096 |]));
     ready (); wait ()
   | "domains" ->
     let held = Atomic.make 0 in
     let domain _ = Domain.spawn (fun () ->
       let some = small (mb * 4000) in
       Atomic.incr held; wait (); ignore (Sys.opaque_identity some)) in
     let domains = List.init 3 domain in
     while Atomic.get held < 3 do Unix.sleepf 0.01 done;
     ready (); wait (); List.iter Domain.join domains
   | _ -> ignore (Sys.opaque_identity (deep (mb * 40_000))));
  ignore (Sys.opaque_identity !hold)
