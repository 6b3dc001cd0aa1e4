(* A service as there are many, for the pictures: it answers requests on some domains, keeps a cache, and once in a while writes a
   snapshot that is too large.

   service DOMAINS SECONDS *)
open Runtime_events

type User.tag += Request | Query | Depth | Evict | Line | Snapshot

let line_type =
  Type.register
    ~encode:(fun buf text ->
      let len = min (String.length text) (Bytes.length buf) in
      Bytes.blit_string text 0 buf 0 len;
      len)
    ~decode:(fun buf len -> Bytes.sub_string buf 0 len)

let request = User.register "http.request" Request Type.span
let query = User.register "db.query" Query Type.span
let snapshot = User.register "cache.snapshot" Snapshot Type.span
let depth = User.register "queue.depth" Depth Type.int
let evict = User.register "cache.evict" Evict Type.unit
let line = User.register "log.line" Line line_type

let within span work =
  User.write span Type.Begin;
  let result = work () in
  User.write span Type.End;
  result

(* Rows of a table, most of them soon forgotten. *)
let rows random n = List.init n (fun i -> (i, string_of_int (Random.State.bits random), [| i; i + 1 |]))

let answer random cache served =
  within request (fun () ->
      let n = if Random.State.int random 40 = 0 then 30_000 else 300 + Random.State.int random 1500 in
      let found = within query (fun () -> rows random n) in
      let key = Random.State.int random 60 in
      if Hashtbl.mem cache key && Random.State.int random 3 = 0 then begin
        Hashtbl.remove cache key;
        User.write evict ()
      end
      else Hashtbl.replace cache key found;
      if served mod 8 = 0 then User.write line (Printf.sprintf "GET /items/%d 200 %d rows" key n);
      ignore (Sys.opaque_identity (List.fold_left (fun sum (i, s, _) -> sum + i + String.length s) 0 found)))

let serve domain until =
  let random = Random.State.make [| domain |] and cache = Hashtbl.create 64 in
  let served = ref 0 in
  while Unix.gettimeofday () < until do
    incr served;
    User.write depth (Random.State.int random 8 + (Float.to_int (Unix.gettimeofday ()) mod 20));
    answer random cache !served;
    if domain = 1 && !served mod 400 = 0 then
      within snapshot (fun () -> ignore (Sys.opaque_identity (Marshal.to_string cache [])));
    Unix.sleepf (0.0005 +. Random.State.float random 0.004)
  done

let () =
  let domains = int_of_string Sys.argv.(1) in
  let until = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let others = List.init (domains - 1) (fun d -> Domain.spawn (fun () -> serve (d + 1) until)) in
  serve 0 until;
  List.iter Domain.join others
