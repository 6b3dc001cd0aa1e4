(* eio_truth ROLE: real Eio programs that know what is true of them.

     counted   fails, times out and loses daemons a known number of times, computes long in one fiber, and ends
     quiet     17 fibers that wait for good, and the main one; says "ready"

   The first line is the backend, then what is true, as JSON. *)
open Eio.Std

exception Refused of int

let () = Printexc.register_printer (function Refused n -> Some (Printf.sprintf "Refused %d" n) | _ -> None)

let compute seconds =
  let until = Unix.gettimeofday () +. seconds in
  while Unix.gettimeofday () < until do
    ignore (Sys.opaque_identity (Array.make 100 0))
  done

let counted clock =
  let failed = ref 0 and timed_out = ref 0 and died = ref 0 in
  Switch.run ~name:"server" @@ fun sw ->
  for n = 1 to 40 do
    (try
       Switch.run ~name:"request" @@ fun sw ->
       Fiber.fork ~sw (fun () ->
           Fiber.yield ();
           if n mod 4 = 0 then raise (Refused n))
     with Refused _ -> incr failed);
    (* Of these the first comes to its end, and the other never does. *)
    Eio.Time.with_timeout_exn clock 1000. Fiber.yield;
    if n mod 8 = 0 then (
      try Eio.Time.with_timeout_exn clock 0.001 Fiber.await_cancel with Eio.Time.Timeout -> incr timed_out);
    if n mod 10 = 0 then
      try
        Switch.run ~name:"with-daemon" @@ fun sw ->
        Fiber.fork_daemon ~sw (fun () ->
            Fiber.yield ();
            failwith "daemon died");
        Fiber.await_cancel ()
      with Failure _ -> incr died
  done;
  Fiber.fork ~sw (fun () ->
      Switch.run ~name:"report" @@ fun _ ->
      for _ = 1 to 3 do
        Fiber.yield ();
        Eio.Private.Trace.with_span "yearly" (fun () -> compute 0.08)
      done);
  Printf.printf "{\"failed\": %d, \"timed_out\": %d, \"died\": %d}\n%!" !failed !timed_out !died

let quiet clock =
  Switch.run ~name:"api" @@ fun sw ->
  let wait name what =
    Fiber.fork_daemon ~sw (fun () ->
        Switch.run ~name @@ fun _ ->
        what ();
        `Stop_daemon)
  in
  let times n f = for _ = 1 to n do f () done in
  let loaded, _ = Promise.create ~label:"config-loaded" () in
  let job =
    Fiber.fork_promise ~sw (fun () -> Switch.run ~name:"slow job" @@ fun _ -> Eio.Time.sleep clock 10000.)
  in
  let condition = Eio.Condition.create () and pool = Eio.Pool.create 2 (fun () -> ()) in
  times 7 (fun () -> wait "handler" (fun () -> Promise.await loaded));
  times 3 (fun () -> wait "joiner" (fun () -> Promise.await_exn job));
  times 2 (fun () -> wait "listener" (fun () -> Eio.Condition.await_no_mutex condition));
  times 4 (fun () -> wait "user" (fun () -> Eio.Pool.use pool (fun () -> Eio.Time.sleep clock 10000.)));
  print_endline "ready";
  Eio.Time.sleep clock 10000.

let () =
  Eio_main.run @@ fun env ->
  Printf.printf "%s\n%!" (Eio.Stdenv.backend_id env);
  let clock = Eio.Stdenv.clock env in
  if Sys.argv.(1) = "quiet" then quiet clock else counted clock
