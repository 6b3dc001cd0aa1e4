(* churn.ml N: make N short lists, of which the newest 20000 live. *)
let () =
  let live = Array.make 20000 [] in
  for i = 1 to int_of_string Sys.argv.(1) do
    live.(i mod 20000) <- [ i; i + 1; i + 2 ]
  done
