(* moments.exe HOW: work of two kinds in turns of about a millisecond.  Each function of the one has a name that ends in _a, of
   the other in _b, in OCaml and C, and none calls any of the other kind: a stack that has both is put together of two
   moments.  HOW: plain, threads (one for each kind), fibers (one for each kind, in turns), callbacks (by C). *)
external c_a : int -> unit = "moments_c_a"
external c_b : int -> unit = "moments_c_b" [@@noalloc]
external call_a : (int -> unit) -> int -> unit = "moments_call_a"
external call_b : (int -> unit) -> int -> unit = "moments_call_b"

let sink = ref 0
let[@inline always] loop n =
  let x = ref !sink in
  for i = 1 to n do x := ((!x * 48271) + i) land 0xffffff done;
  sink := !x

let[@inline never] loop_a n = loop n; incr sink
let[@inline never] loop_b n = loop n; incr sink
let[@inline never] rec down_a depth n =
  if depth > 0 then down_a (depth - 1) n else if n land 1 = 0 then c_a n else loop_a n;
  incr sink
let[@inline never] rec down_b depth n =
  if depth > 0 then down_b (depth - 1) n else if n land 1 = 0 then c_b n else loop_b n;
  incr sink
let n = 200_000

(* In C and in OCaml, on a stack that a sample has a copy of, and on one that it has not. *)
let[@inline never] work_a () = down_a 1 n; down_a 1 (n + 1); down_a 200 n; down_a 200 (n + 1); incr sink
let[@inline never] work_b () = down_b 1 n; down_b 1 (n + 1); down_b 200 n; down_b 200 (n + 1); incr sink
let[@inline never] back_a _ = work_a (); incr sink
let[@inline never] back_b _ = work_b (); incr sink

open Effect
type _ Effect.t += Turn : unit Effect.t

let[@inline never] fiber_a () = while true do work_a (); perform Turn done
let[@inline never] fiber_b () = while true do work_b (); perform Turn done

let turns () =
  let waiting : (unit, unit) Deep.continuation Queue.t = Queue.create () in
  let run f =
    Deep.match_with f ()
      {
        retc = ignore;
        exnc = raise;
        effc =
          (fun (type c) (e : c Effect.t) ->
            match e with Turn -> Some (fun (k : (c, unit) Deep.continuation) -> Queue.add k waiting) | _ -> None);
      }
  in
  run fiber_a;
  run fiber_b;
  while true do Deep.continue (Queue.take waiting) () done

let[@inline never] thread_a () = while true do work_a (); Thread.yield () done
let[@inline never] thread_b () = while true do work_b (); Thread.yield () done

let () =
  print_endline "ready";
  match Sys.argv.(1) with
  | "plain" -> while true do work_a (); work_b () done
  | "threads" ->
      let t = Thread.create thread_a () in
      thread_b ();
      Thread.join t
  | "fibers" -> turns ()
  | _ -> while true do call_a back_a n; call_b back_b n done
