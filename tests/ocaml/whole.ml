(* A program that ends after some milliseconds: whole END.  Two domains collect and write events of their own, a child of a
   fork has a ring of its own.  END: return, raise, kill, or exit by the other domain. *)
open Runtime_events

type User.tag += Step

let step = User.register "whole.step" Step Type.int
let part = User.register "whole.part" Step Type.span

let work rounds =
  for i = 1 to rounds do
    User.write part Type.Begin;
    ignore (Sys.opaque_identity (List.init 1000 string_of_int));
    Gc.minor ();
    User.write step i;
    User.write part Type.End
  done

let () =
  let ending = Sys.argv.(1) in
  let child = Unix.fork () in
  if child = 0 then (work 5; Unix._exit 0);
  work 10;
  Domain.join (Domain.spawn (fun () -> work 10));
  ignore (Unix.waitpid [] child);
  work 10;
  match ending with
  | "raise" -> failwith "as it should"
  | "kill" -> Unix.kill (Unix.getpid ()) Sys.sigkill
  | "exit" -> Domain.join (Domain.spawn (fun () -> work 10; exit 0))
  | _ -> ()
