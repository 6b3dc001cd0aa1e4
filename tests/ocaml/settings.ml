(* settings.ml [o=N s=N b=N]: say what Gc.get answers, after setting what was asked for, and fill minor heaps until killed, or
   make big arrays of so many numbers each, which request minor collections long before a heap is full. *)

let big = ref 0

let set word =
  match String.split_on_char '=' word with
  | [ "o"; n ] -> Gc.set { (Gc.get ()) with space_overhead = int_of_string n }
  | [ "s"; n ] -> Gc.set { (Gc.get ()) with minor_heap_size = int_of_string n }
  | [ "b"; n ] -> big := int_of_string n
  | _ -> failwith word

let () =
  Array.iteri (fun i word -> if i > 0 then set word) Sys.argv;
  let c = Gc.get () in
  let out = open_out "said" in
  Printf.fprintf out "%d %d\n" c.minor_heap_size c.space_overhead;
  close_out out;
  Runtime_events.start ();
  let keep = ref [] in
  while true do
    if !big > 0 then
      for _ = 1 to 1000 do
        ignore (Sys.opaque_identity (Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout !big));
        keep := List.init 50 Fun.id
      done
    else
      for i = 1 to 200_000 do
        keep := [ i ]
      done;
    ignore (Sys.opaque_identity !keep);
    Unix.sleepf 0.002
  done
