(* eio_truth ROLE: real Eio programs that know what is true of them.

     counted   fails, times out and loses daemons a known number of times, computes long in one fiber, and ends
     quiet     17 fibers that wait for good, and the main one; says "ready"
     hog       a fiber that yields after each millisecond, and one that computes 100 ms at a time; says "ready" when both have
     tree      fibers that sleep in contexts of all forms, nested and oddly named; says "ready"

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

let hog clock =
  let hogs = ref 0 in
  Switch.run ~name:"server" @@ fun sw ->
  Fiber.fork ~sw (fun () ->
      Switch.run ~name:"yielder" @@ fun _ ->
      while true do
        compute 0.001;
        Fiber.yield ()
      done);
  Switch.run ~name:"report" @@ fun _ ->
  while true do
    Eio.Time.sleep clock 0.2;
    compute 0.1;
    incr hogs;
    if !hogs = 2 then print_endline "ready"
  done

let tree clock =
  let slept = ref [] in
  (* Sleep in a context of this name, of which the fiber that makes it has the path. *)
  let sleep path name () =
    let path = if name = "" then path else path ^ "/" ^ name in
    slept := path :: !slept;
    let rest () = Eio.Time.sleep clock 10000. in
    if name = "" then rest () else Switch.run ~name (fun _ -> rest ())
  in
  Switch.run ~name:"root" @@ fun sw ->
  let fork f = Fiber.fork ~sw f in
  fork (fun () -> ignore (Fiber.first (sleep "root" "left") (sleep "root" "right")));
  fork (fun () -> ignore (Fiber.pair (sleep "root" "one") (sleep "root" "other")));
  fork (fun () -> ignore (Fiber.any (List.init 3 (fun _ -> sleep "root" "any"))));
  fork (fun () ->
      let rec nest n path = if n = 0 then sleep path "" () else
        let name = "level" ^ string_of_int n in Switch.run ~name (fun _ -> nest (n - 1) (path ^ "/" ^ name)) in
      nest 12 "root");
  fork (sleep "root" "été 日本");
  fork (fun () -> Eio.Time.with_timeout_exn clock 10000. (sleep "root" "in-timeout"));
  fork (fun () -> Fiber.List.iter ~max_fibers:3 (fun _ -> sleep "root" "item" ()) (List.init 8 Fun.id));
  Fiber.yield ();
  Printf.printf "[%s]\nready\n%!" (String.concat ", " (List.map (Printf.sprintf "\"%s\"") !slept));
  Eio.Time.sleep clock 10000.

let () =
  Eio_main.run @@ fun env ->
  Printf.printf "%s\n%!" (Eio.Stdenv.backend_id env);
  let clock = Eio.Stdenv.clock env in
  List.assoc Sys.argv.(1) [ ("counted", counted); ("quiet", quiet); ("hog", hog); ("tree", tree) ] clock
