(* shares.exe SECONDS: three functions that take about 5, 3 and 2 tenths of the processor time.  At its end it prints
   the shares that they took, measured by its own clock.  The argument `late` has a second domain spin in one of them. *)
let[@inline never] work n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum lxor (i * 7)
  done;
  Sys.opaque_identity !sum

(* Work for some milliseconds of processor time; returns how long that was. *)
let[@inline always] for_ms ms =
  let begun = Sys.time () in
  let rec go () =
    let took = Sys.time () -. begun in
    if took *. 1000. >= ms then took
    else begin
      ignore (work 20000);
      go ()
    end
  in
  go ()

let[@inline never] heavy () = for_ms 50. +. 0.
let[@inline never] medium () = for_ms 30. +. 0.
let[@inline never] light () = for_ms 20. +. 0.

let () =
  let seconds = float_of_string Sys.argv.(1) in
  Runtime_events.start ();
  let h = ref 0. and m = ref 0. and l = ref 0. in
  while !h +. !m +. !l < seconds do
    h := !h +. heavy ();
    m := !m +. medium ();
    l := !l +. light ()
  done;
  let all = Sys.time () in
  Printf.printf "shares heavy %.4f medium %.4f light %.4f\n" (!h /. all) (!m /. all) (!l /. all)
