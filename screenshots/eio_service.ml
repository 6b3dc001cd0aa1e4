(* A server by Eio as there are many, for the pictures: clients ask it over TCP, workers take jobs from a stream, and every other
   second one fiber makes a report, which keeps its event loop for 150 ms.

   eio_service SECONDS *)
open Eio.Std

let compute seconds =
  let until = Unix.gettimeofday () +. seconds in
  while Unix.gettimeofday () < until do
    ignore (Sys.opaque_identity (List.init 200 (fun i -> (i, string_of_int i))))
  done

let serve jobs flow _ =
  let lines = Eio.Buf_read.of_flow flow ~max_size:4096 in
  Eio.Buf_write.with_flow flow @@ fun out ->
  Seq.iter (fun line ->
      Eio.Private.Trace.with_span "answer" (fun () -> compute 0.0005);
      Eio.Stream.add jobs line;
      Eio.Buf_write.string out (line ^ "\n"))
    (Eio.Buf_read.seq Eio.Buf_read.line lines)

let client net clock address number =
  Switch.run ~name:"client" @@ fun sw ->
  let flow = Eio.Net.connect ~sw net address in
  let answers = Eio.Buf_read.of_flow flow ~max_size:4096 in
  while true do
    Eio.Time.sleep clock (0.02 +. Random.float 0.05);
    Eio.Flow.copy_string (Printf.sprintf "item %d\n" number) flow;
    ignore (Eio.Buf_read.line answers)
  done

let () =
  Eio_main.run @@ fun env ->
  let net = Eio.Stdenv.net env and clock = Eio.Stdenv.clock env in
  let jobs = Eio.Stream.create 10 in
  Switch.run ~name:"service" @@ fun sw ->
  let socket = Eio.Net.listen ~sw ~reuse_addr:true ~backlog:32 net (`Tcp (Eio.Net.Ipaddr.V4.loopback, 0)) in
  let fork name f =
    Fiber.fork_daemon ~sw (fun () ->
        Switch.run ~name @@ fun _ ->
        while true do f () done;
        `Stop_daemon)
  in
  Fiber.fork_daemon ~sw (fun () ->
      Switch.run ~name:"api" @@ fun _ -> Eio.Net.run_server socket (serve jobs) ~on_error:(fun _ -> ()));
  for _ = 1 to 4 do
    fork "worker" (fun () ->
        ignore (Eio.Stream.take jobs);
        compute 0.001)
  done;
  fork "report" (fun () ->
      Eio.Time.sleep clock 1.85;
      Eio.Private.Trace.with_span "monthly" (fun () -> compute 0.15));
  for n = 1 to 12 do
    Fiber.fork_daemon ~sw (fun () -> client net clock (Eio.Net.listening_addr socket) n)
  done;
  Eio.Time.sleep clock (float_of_string Sys.argv.(1))
