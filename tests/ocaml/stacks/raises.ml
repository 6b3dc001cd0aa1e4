(* raises HOW: exceptions that pass many frames, with backtraces on.  Most of the time C notes which frames they pass. *)
exception Found
let rec deep n = if n = 0 then raise Found else 1 + deep (n - 1)
let rec by_c n = if n = 0 then int_of_string "none" else 1 + by_c (n - 1)
let once f = try f 200 with Found | Failure _ -> 0
let again f = try once (fun n -> try f n with e -> raise e) with _ -> 0
let rec loop f = ignore (Sys.opaque_identity (f ())); loop f
let in_fiber f = Effect.Deep.match_with f () { retc = Fun.id; exnc = raise; effc = (fun _ -> None) }
let () =
  Printexc.record_backtrace true;
  print_endline "ready";
  match Sys.argv.(1) with
  | "raise" -> loop (fun () -> once deep)
  | "by_c" -> loop (fun () -> once by_c)
  | "again" -> loop (fun () -> again deep)
  | _ -> in_fiber (fun () -> loop (fun () -> once deep))
