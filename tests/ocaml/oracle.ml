(* oracle - print the events of a ring as OCaml's own consumer reads them, in the format of ring_tool.

     oracle DIR PID [live READY] CUSTOM_EVENT...

   Without "live": everything the ring holds.  With it: until the ring's ring_stop; READY is a file that is made as soon
   as the ring is open.  The custom events named are read as bytes.  A line is "DOMAIN STAMP what ...". *)
open Runtime_events

type User.tag += Bytes_read

let stopped = ref false
let out fmt = Printf.printf fmt

(* The stamp of a spawn is the clock's, which nobody but the ring knows. *)
let line domain ts rest = out "%d %s %s\n" domain ts rest
let stamp ts = Int64.to_string (Timestamp.to_int64 ts)

let hex s =
  String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))

let lifecycle domain ts event data =
  let number = match data with None -> "0" | Some n -> string_of_int n in
  match event with
  | EV_RING_STOP ->
      (* Has no data; consumers before 5.3 show what lies beyond it. *)
      stopped := true;
      line domain (stamp ts) "lifecycle ring_stop"
  | EV_DOMAIN_SPAWN -> line domain "-" ("lifecycle domain_spawn " ^ number)
  | other ->
      let name =
        match other with
        | EV_RING_START -> "ring_start"
        | EV_RING_STOP -> "ring_stop"
        | EV_RING_PAUSE -> "ring_pause"
        | EV_RING_RESUME -> "ring_resume"
        | EV_FORK_PARENT -> "fork_parent"
        | EV_FORK_CHILD -> "fork_child"
        | EV_DOMAIN_SPAWN -> "domain_spawn"
        | EV_DOMAIN_TERMINATE -> "domain_terminate"
      in
      line domain (stamp ts) (Printf.sprintf "lifecycle %s %s" name number)

let bytes_type = Type.register ~encode:(fun _ _ -> 0) ~decode:(fun buf len -> Bytes.sub_string buf 0 len)

let callbacks =
  let user kind show domain ts event value =
    line domain (stamp ts) (Printf.sprintf "%s %s%s" (kind value) (User.name event) (show value))
  in
  let nothing _ = "" in
  Callbacks.create
    ~runtime_begin:(fun d ts phase -> line d (stamp ts) ("begin " ^ runtime_phase_name phase))
    ~runtime_end:(fun d ts phase -> line d (stamp ts) ("end " ^ runtime_phase_name phase))
    ~runtime_counter:(fun d ts counter value ->
      line d (stamp ts) (Printf.sprintf "counter %s %d" (runtime_counter_name counter) value))
    ~alloc:(fun d ts buckets ->
      line d (stamp ts) ("alloc " ^ String.concat "," (List.map string_of_int (Array.to_list buckets))))
    ~lifecycle
    ~lost_events:(fun d words -> out "%d - lost %d\n" d words)
    ()
  |> Callbacks.add_user_event Type.unit (user (fun () -> "unit") nothing)
  |> Callbacks.add_user_event Type.int (user (fun _ -> "int") (fun n -> " " ^ string_of_int n))
  |> Callbacks.add_user_event Type.span
       (user (function Type.Begin -> "span_begin" | Type.End -> "span_end") nothing)
  |> Callbacks.add_user_event bytes_type (user (fun _ -> "custom") (fun s -> " " ^ hex s))

let () =
  let args = List.tl (Array.to_list Sys.argv) in
  let dir, pid, ready, customs =
    match args with
    | dir :: pid :: "live" :: ready :: customs -> (dir, int_of_string pid, Some ready, customs)
    | dir :: pid :: customs -> (dir, int_of_string pid, None, customs)
    | _ -> failwith "usage: oracle DIR PID [live READY] CUSTOM_EVENT..."
  in
  List.iter (fun name -> ignore (User.register name Bytes_read bytes_type)) customs;
  let cursor = create_cursor (Some (dir, pid)) in
  match ready with
  | None -> ignore (read_poll cursor callbacks None)
  | Some file ->
      close_out (open_out file);
      while not !stopped do
        if read_poll cursor callbacks None = 0 then Unix.sleepf 0.0005
      done;
      (* Rings read before the one that stopped may have had more. *)
      ignore (read_poll cursor callbacks None)
