(* Four suspended fibers with 100, 1000, 3000 and 5000 calls of deep.  Prints "ready", then waits in 400 calls, by turns of two
   functions. *)
open Effect
open Effect.Deep
type _ Effect.t += Park : unit Effect.t
let parked : (unit, unit) continuation list ref = ref []
let rec deep n = if n = 0 then (perform Park; 0) else 1 + deep (n - 1)
let spawn n =
  match_with (fun () -> ignore (Sys.opaque_identity (deep n))) ()
    { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Park -> Some (fun (k : (a, unit) continuation) -> parked := k :: !parked)
        | _ -> None }
let rec tick n = if n = 0 then (print_endline "ready"; Unix.sleep 1000; 0) else 1 + tock (n - 1)
and tock n = 1 + tick n
let () =
  List.iter spawn [100; 1000; 3000; 5000];
  Gc.full_major ();
  ignore (Sys.opaque_identity (tick 200));
  ignore (Sys.opaque_identity !parked)
