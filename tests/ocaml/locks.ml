(* Programs whose threads wait for locks, each in a way of its own: locks HOW.  Prints "ready" once it is so; goes on until it is
   killed. *)
let a = Mutex.create ()
let b = Mutex.create ()
let both = Atomic.make 0
let ready () = print_endline "ready"
let rec for_ever f = f (); for_ever f

(* Each takes one lock, and the other one when both have theirs. *)
let take_both x y () =
  Mutex.lock x;
  Atomic.incr both;
  while Atomic.get both < 2 do Domain.cpu_relax () done;
  Mutex.lock y

let [@inline never] stand_beside () = while Atomic.get both = 0 do Thread.delay 0.01 done; Mutex.lock a

let sleep_with_lock () = Mutex.protect a (fun () -> Unix.sleepf 0.1); Atomic.incr both

let [@inline never] inside () = let r = ref 0 in for i = 1 to 2_000_000 do r := Sys.opaque_identity (!r + i) done; !r
let [@inline never] outside () = let r = ref 0 in for i = 1 to 4_000_000 do r := Sys.opaque_identity (!r + i) done; !r
let [@inline never] in_turns () = Mutex.lock a; ignore (inside ()); Mutex.unlock a; ignore (outside ())

let () =
  match Sys.argv.(1) with
  | "busy" ->
    let d = List.init 3 (fun _ -> Domain.spawn (fun () -> for_ever in_turns)) in
    ready ();
    List.iter Domain.join d
  | "circle" ->
    let d = Domain.spawn (take_both a b) in
    let t = Thread.create (take_both b a) () in
    while Atomic.get both < 2 do Thread.delay 0.01 done;
    ready ();
    Domain.join d;
    Thread.join t
  | "join_thread" ->
    (* The first of those that wait for the lock is no part of the circle. *)
    Mutex.protect a (fun () ->
      ignore (Thread.create stand_beside ());
      let t = Thread.create (take_both b a) () in
      ready ();
      Atomic.incr both;
      Thread.join t)
  | "join_domain" ->
    (* The joined one is the first thread of a domain that has others. *)
    let begin_another () = let t = Thread.create for_ever (fun () -> Thread.delay 0.1) in take_both b a (); Thread.join t in
    let d = Domain.spawn begin_another in
    Mutex.protect a (fun () -> ready (); Atomic.incr both; Domain.join d)
  | "gone" ->
    Thread.join (Thread.create Mutex.lock a);
    let t = Thread.create Mutex.lock a in
    ready ();
    Thread.join t
  | "held" ->
    let d = List.init 3 (fun _ -> Domain.spawn (fun () -> for_ever sleep_with_lock)) in
    ready ();
    List.iter Domain.join d
  | "master" ->
    (* Two threads compute, a third one of their domain would wake up every 5 ms. *)
    let compute () = for_ever (fun () -> ignore (Sys.opaque_identity (List.init 1000 string_of_int))) in
    let t = List.init 2 (fun _ -> Thread.create compute ()) in
    let s = Thread.create for_ever (fun () -> Unix.sleepf 0.005) in
    ready ();
    List.iter Thread.join (s :: t)
  | "channel" ->
    let _, out = Unix.pipe () in
    let oc = Unix.out_channel_of_descr out in
    let say () = for_ever (fun () -> output_string oc (String.make 5000 'x')) in
    let d = List.init 2 (fun _ -> Domain.spawn say) in
    ready ();
    List.iter Domain.join d
  | "calm" ->
    (* A pool that sleeps in a condition, a thread that sleeps, a domain that is joined, and a lock that is held 1 % of the time. *)
    let c = Condition.create () in
    let idle () = Mutex.lock b; Condition.wait c b; Mutex.unlock b in
    let w = List.init 3 (fun _ -> Thread.create idle ()) in
    let work () = for_ever (fun () -> Mutex.protect a (fun () -> Unix.sleepf 0.0002); Unix.sleepf 0.02) in
    let d = List.init 2 (fun _ -> Domain.spawn work) in
    let j = Thread.create (fun () -> List.iter Domain.join d) () in
    ready ();
    List.iter Thread.join (j :: w)
  | _ -> exit 2
