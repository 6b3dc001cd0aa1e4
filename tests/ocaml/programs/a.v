Require Import Arith Lia.
Fixpoint fib n := match n with 0 => 1 | S m => match m with 0 => 1 | S k => fib m + fib k end end.
Lemma between : forall a b c : nat, a < b -> b < c -> a + 1 < c + 1. Proof. intros; lia. Qed.
Goal fib 20 = fib 20. Proof. vm_compute. reflexivity. Qed.
