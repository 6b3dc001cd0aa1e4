# fish completion for rtevtop.
# Made by src/share/manual/make.py of the tables of the program: see src/README.md.

# The command of the line: top is the live view, run a program behind --.
function __rtevtop_command
    set -l words (commandline -opc)
    contains -- -- $words
    and echo run
    and return
    for word in $words[2..-1]
        if contains -- $word list log stats record memtrace demo metrics stacks diff help
            echo $word
            return
        end
    end
    echo top
end

function __rtevtop_is
    test (__rtevtop_command) = $argv[1]
end

# Whether the command is that, and has been given less than so many words.
function __rtevtop_takes
    __rtevtop_is $argv[1]
    or return
    set -l given 0
    set -l argument no
    test $argv[1] = top
    or set given -1
    for word in (commandline -opc)[2..-1]
        if test $argument = yes
            set argument no
        else if contains -- $word --duration --on-pause --top -o --output --format --memtrace --label -d --delay -n --iterations -s --sort -F --filter --theme --graph --history --dir --ocaml --max-events --domains --rate --seconds --seed
            set argument yes
        else if not string match -q -- '-*' $word
            set given (math $given + 1)
        end
    end
    test $given -lt $argv[2]
end

# Whether no word but options has come so far.
function __rtevtop_first
    test (count (commandline -opc)) = 1
end

# Processes that have a ring.
function __rtevtop_pids
    command rtevtop list 2>/dev/null | string match -rv ' inaccessible ' | string replace -rf '^ *([0-9]+) .* ([^ ]+)$' '$1\t$2'
end

# Files with this ending, and directories.
function __rtevtop_files
    __fish_complete_path (commandline -ct) | string match -r '^[^\t]*(?:\.'$argv[1]'|/)(?:\t.*)?$'
end

# What the program behind -- takes.
function __rtevtop_run
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-2]) $words[-1])
end

complete -c rtevtop -f
complete -c rtevtop -n '__rtevtop_is run' -a '(__rtevtop_run)'
complete -c rtevtop -n '__rtevtop_first' -a list -d 'processes that run OCaml 5, with events or without'
complete -c rtevtop -n '__rtevtop_first' -a log -d 'every event, one per line'
complete -c rtevtop -n '__rtevtop_first' -a stats -d 'a report: totals, percentiles, worst pauses, findings'
complete -c rtevtop -n '__rtevtop_first' -a record -d 'a trace file for Perfetto, or one for each long pause'
complete -c rtevtop -n '__rtevtop_first' -a memtrace -d 'allocation sites of a memtrace file: live view, or a report'
complete -c rtevtop -n '__rtevtop_first' -a demo -d 'a program that records events like a busy service, without OCaml'
complete -c rtevtop -n '__rtevtop_first' -a metrics -d 'a file for Prometheus\' textfile collector'
complete -c rtevtop -n '__rtevtop_first' -a stacks -d 'what each thread of a process executes now, innermost first'
complete -c rtevtop -n '__rtevtop_first' -a diff -d 'two reports or recordings side by side, or two commands compared'
complete -c rtevtop -n '__rtevtop_first' -a help -d 'the options of a command, with an example'
complete -c rtevtop -n '__rtevtop_takes top 4096' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_takes top 4096' -a '(__rtevtop_files events)'
complete -c rtevtop -n '__rtevtop_takes top 4096' -a '(__rtevtop_files fxt)'
complete -c rtevtop -n '__rtevtop_is top' -l on-pause -x -d 'write a file for each pause longer than MS milliseconds'
complete -c rtevtop -n '__rtevtop_is top' -l code -d 'sample the program\'s code: HZ times in a second of a thread\'s processor time (99)'
complete -c rtevtop -n '__rtevtop_is top' -s o -l output -r -F -d 'directory or file name for the key r and --on-pause'
complete -c rtevtop -n '__rtevtop_is top' -l memtrace -x -a '(__rtevtop_files ctf)' -d 'show this memtrace file beside the rings'
complete -c rtevtop -n '__rtevtop_is top' -s b -l batch -d 'print plain text reports instead of the screen; without TARGET, of all processes'
complete -c rtevtop -n '__rtevtop_is top' -l by-domain -d 'with -b: print a line for each domain'
complete -c rtevtop -n '__rtevtop_is top' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is top' -s d -l delay -x -d 'seconds between redraws (0.5) or reports (1); 250ms is accepted'
complete -c rtevtop -n '__rtevtop_is top' -s n -l iterations -x -d 'stop after N redraws or reports'
complete -c rtevtop -n '__rtevtop_is top' -s s -l sort -x -a 'domain doing cpu queue GC work wait minor young heap pauses p50 p99 max events alloc promoted late lag lost thread pid program OCaml state dom CPU finding major growth resident fibers loop user' -d 'initial sort column of the overview or of the table of domains'
complete -c rtevtop -n '__rtevtop_is top' -s F -l filter -x -d 'initial filter: show only lines that contain it'
complete -c rtevtop -n '__rtevtop_is top' -l theme -x -a 'dark light mono' -d 'colours for a dark or light background, or mono (as the terminal reports)'
complete -c rtevtop -n '__rtevtop_is top' -l graph -x -a 'braille blocks ascii' -d 'draw graphs with braille, blocks or ascii (braille if the screen can show it)'
complete -c rtevtop -n '__rtevtop_is top' -s C -l no-color -d 'no colours, attributes only'
complete -c rtevtop -n '__rtevtop_is top' -s U -l ascii -d 'ASCII only'
complete -c rtevtop -n '__rtevtop_is top' -l no-mouse -d 'leave the mouse to the terminal'
complete -c rtevtop -n '__rtevtop_is top' -l no-sync -d 'do not use synchronised output (terminal mode 2026)'
complete -c rtevtop -n '__rtevtop_is top' -l history -x -d 'memory of the live view, in MiB; more reaches further back (32)'
complete -c rtevtop -n '__rtevtop_is top' -l wait -d 'wait for the ring to appear'
complete -c rtevtop -n '__rtevtop_is top' -l dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'directory of PID.events, if /proc does not show it'
complete -c rtevtop -n '__rtevtop_is top' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is top' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is top' -l demo -d 'live view of a made-up busy service'
complete -c rtevtop -n '__rtevtop_is top' -l domains -x -d 'number of domains (4)'
complete -c rtevtop -n '__rtevtop_is top' -l rate -x -d 'events a second of all domains together (20000)'
complete -c rtevtop -n '__rtevtop_is top' -l seed -x -d 'seed of the workload (1)'
complete -c rtevtop -n '__rtevtop_is top' -l pause -d 'pause and resume recording now and then'
complete -c rtevtop -n '__rtevtop_is top' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is top' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_is list' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is list' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is list' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes log 1' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_takes log 1' -a '(__rtevtop_files events)'
complete -c rtevtop -n '__rtevtop_is log' -s f -l follow -d 'go on until the target ends'
complete -c rtevtop -n '__rtevtop_is log' -l merge -d 'sort events by time across domains'
complete -c rtevtop -n '__rtevtop_is log' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is log' -l wait -d 'wait for the ring to appear'
complete -c rtevtop -n '__rtevtop_is log' -l dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'directory of PID.events, if /proc does not show it'
complete -c rtevtop -n '__rtevtop_is log' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is log' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is log' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is log' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes stats 1' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_takes stats 1' -a '(__rtevtop_files events)'
complete -c rtevtop -n '__rtevtop_takes stats 1' -a '(__rtevtop_files fxt)'
complete -c rtevtop -n '__rtevtop_is stats' -l duration -x -d 'stop after this time (when the target ends)'
complete -c rtevtop -n '__rtevtop_is stats' -l code -d 'sample the program\'s code: HZ times in a second of a thread\'s processor time (99)'
complete -c rtevtop -n '__rtevtop_is stats' -l folded -d 'print call paths, for flame graph tools'
complete -c rtevtop -n '__rtevtop_is stats' -l speedscope -d 'print call paths as JSON for www.speedscope.app'
complete -c rtevtop -n '__rtevtop_is stats' -l pprof -d 'write the profile to the file of -o, in the format of pprof'
complete -c rtevtop -n '__rtevtop_is stats' -s o -l output -r -F -d 'file of --pprof; - is standard output'
complete -c rtevtop -n '__rtevtop_is stats' -l full -d 'print every phase and counter'
complete -c rtevtop -n '__rtevtop_is stats' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is stats' -l wait -d 'wait for the ring to appear'
complete -c rtevtop -n '__rtevtop_is stats' -l dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'directory of PID.events, if /proc does not show it'
complete -c rtevtop -n '__rtevtop_is stats' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is stats' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is stats' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is stats' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes record 1' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_takes record 1' -a '(__rtevtop_files events)'
complete -c rtevtop -n '__rtevtop_is record' -l duration -x -d 'stop after this time (when the target ends)'
complete -c rtevtop -n '__rtevtop_is record' -l on-pause -x -d 'write a file for each pause longer than MS milliseconds'
complete -c rtevtop -n '__rtevtop_is record' -l code -d 'sample the program\'s code: HZ times in a second of a thread\'s processor time (99)'
complete -c rtevtop -n '__rtevtop_is record' -s o -l output -r -F -d 'file to write, in place of an older recording; - is standard output'
complete -c rtevtop -n '__rtevtop_is record' -l format -x -a 'fxt json' -d 'write fxt (Fuchsia trace) or json (Chrome\'s); by default json if FILE ends in .json, else fxt'
complete -c rtevtop -n '__rtevtop_is record' -l force -d 'overwrite a file that is not a recording'
complete -c rtevtop -n '__rtevtop_is record' -l wait -d 'wait for the ring to appear'
complete -c rtevtop -n '__rtevtop_is record' -l dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'directory of PID.events, if /proc does not show it'
complete -c rtevtop -n '__rtevtop_is record' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is record' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is record' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is record' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes memtrace 1' -a '(__rtevtop_files ctf)'
complete -c rtevtop -n '__rtevtop_is memtrace' -l top -x -d 'print the N sites that allocate most'
complete -c rtevtop -n '__rtevtop_is memtrace' -l folded -d 'print call paths, for flame graph tools'
complete -c rtevtop -n '__rtevtop_is memtrace' -l dump -d 'print every event, one per line'
complete -c rtevtop -n '__rtevtop_is memtrace' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is memtrace' -s d -l delay -x -d 'seconds between redraws (0.5); 250ms is accepted'
complete -c rtevtop -n '__rtevtop_is memtrace' -s n -l iterations -x -d 'stop after N redraws'
complete -c rtevtop -n '__rtevtop_is memtrace' -s s -l sort -x -a 'function file live share allocated promoted lifetime growth samples' -d 'initial sort column of the table of sites'
complete -c rtevtop -n '__rtevtop_is memtrace' -s F -l filter -x -d 'initial filter: show only lines that contain it'
complete -c rtevtop -n '__rtevtop_is memtrace' -l theme -x -a 'dark light mono' -d 'colours for a dark or light background, or mono (as the terminal reports)'
complete -c rtevtop -n '__rtevtop_is memtrace' -s C -l no-color -d 'no colours, attributes only'
complete -c rtevtop -n '__rtevtop_is memtrace' -s U -l ascii -d 'ASCII only'
complete -c rtevtop -n '__rtevtop_is memtrace' -l no-mouse -d 'leave the mouse to the terminal'
complete -c rtevtop -n '__rtevtop_is memtrace' -l no-sync -d 'do not use synchronised output (terminal mode 2026)'
complete -c rtevtop -n '__rtevtop_is memtrace' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is memtrace' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_is demo' -l domains -x -d 'number of domains (4)'
complete -c rtevtop -n '__rtevtop_is demo' -l rate -x -d 'events a second of all domains together (20000)'
complete -c rtevtop -n '__rtevtop_is demo' -l seconds -x -d 'stop after this time (at SIGTERM, SIGINT or SIGHUP)'
complete -c rtevtop -n '__rtevtop_is demo' -l seed -x -d 'seed of the workload (1)'
complete -c rtevtop -n '__rtevtop_is demo' -l pause -d 'pause and resume recording now and then'
complete -c rtevtop -n '__rtevtop_is demo' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is demo' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes metrics 4096' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_is metrics' -s o -l output -r -F -d 'file to write, in place of an older one of rtevtop; - is standard output'
complete -c rtevtop -n '__rtevtop_is metrics' -l by-domain -d 'a label for each domain'
complete -c rtevtop -n '__rtevtop_is metrics' -l user-events -d 'include the program\'s own events'
complete -c rtevtop -n '__rtevtop_is metrics' -l label -x -d 'add a label to every sample of a process'
complete -c rtevtop -n '__rtevtop_is metrics' -s d -l delay -x -d 'seconds between files (10); 250ms is accepted'
complete -c rtevtop -n '__rtevtop_is metrics' -s n -l iterations -x -d 'stop after N files'
complete -c rtevtop -n '__rtevtop_is metrics' -l wait -d 'wait for the ring to appear'
complete -c rtevtop -n '__rtevtop_is metrics' -l dir -x -a '(__fish_complete_directories (commandline -ct))' -d 'directory of PID.events, if /proc does not show it'
complete -c rtevtop -n '__rtevtop_is metrics' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is metrics' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is metrics' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is metrics' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes stacks 1' -a '(__rtevtop_pids)'
complete -c rtevtop -n '__rtevtop_is stacks' -l fibers -d 'print suspended fibers, grouped by their stacks, in place of threads'
complete -c rtevtop -n '__rtevtop_is stacks' -l json -d 'print JSON, one object per line'
complete -c rtevtop -n '__rtevtop_is stacks' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is stacks' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is stacks' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes diff 2' -a '(__rtevtop_files json)'
complete -c rtevtop -n '__rtevtop_takes diff 2' -a '(__rtevtop_files events)'
complete -c rtevtop -n '__rtevtop_takes diff 2' -a '(__rtevtop_files fxt)'
complete -c rtevtop -n '__rtevtop_is diff' -l json -d 'print one JSON object'
complete -c rtevtop -n '__rtevtop_is diff' -s n -l iterations -x -d 'number of runs of each command (5)'
complete -c rtevtop -n '__rtevtop_is diff' -l ocaml -x -a '5.0 5.1 5.2 5.3 5.4 5.5' -d 'the OCaml release that wrote the ring'
complete -c rtevtop -n '__rtevtop_is diff' -l max-events -x -d 'most events that one poll may deliver (65536)'
complete -c rtevtop -n '__rtevtop_is diff' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is diff' -s V -l version -d 'the version'
complete -c rtevtop -n '__rtevtop_takes help 1' -a 'top list log stats record memtrace demo metrics stacks diff help'
complete -c rtevtop -n '__rtevtop_is help' -s h -l help -d 'this text'
complete -c rtevtop -n '__rtevtop_is help' -s V -l version -d 'the version'
