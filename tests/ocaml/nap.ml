(* nap.exe sick|healthy SECONDS: one domain allocates; another one sleeps for 0.4 s again and again, in C that keeps
   the runtime waiting (sick) or lets it go on (healthy). *)
external nap : bool -> unit = "nap"

let[@inline never] with_conn sick =
  nap sick;
  for i = 1 to 2_000_000 do
    ignore (Sys.opaque_identity (ref i))
  done

let () =
  let sick = Sys.argv.(1) = "sick" in
  let over = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let domain =
    Domain.spawn (fun () ->
        while Unix.gettimeofday () < over do
          with_conn sick
        done)
  in
  let keep = ref [] in
  while Unix.gettimeofday () < over do
    for i = 1 to 20000 do
      keep := [ i; i + 1 ] :: (if i mod 100 = 0 then [] else !keep)
    done
  done;
  Domain.join domain
