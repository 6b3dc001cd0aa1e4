/*
 * symbols.h - the program and the libraries of a process: which function an address is in, and which code is
 * OCaml's.
 *
 * Files are untrusted: their symbols only provide names, and bounds that are checked against their segments.
 */
#pragma once

#include <sys/types.h>

#include "code/eh_frame.h"
#include "target/elf.h"
#include "target/proc.h"

/* A function, or another label in code. */
struct symbol {
	uint64_t address; /* address in the process's memory */
	uint32_t size;	  /* 0: not known */
	uint32_t name;	  /* offset in the names of its object */
};

struct code_range {
	uint64_t start, end;
};

/* A mapped file that contains code. */
struct object {
	uint64_t start, end; /* start of its first and end of its last mapping */
	uint64_t device, inode, bias;
	char label[64];		/* "[libc.so.6]" */
	struct symbol *symbols; /* sorted by address, one for each */
	size_t symbol_count, symbol_room;
	char *names; /* NUL-terminated, concatenated */
	size_t names_size, names_room;
	struct code_range *ocaml; /* sorted ranges of OCaml code */
	size_t ocaml_count;
	struct code_range system; /* the runtime's own assembly; empty: there is none */
	struct eh_frame *unwind;  /* NULL: it has no .eh_frame */
	uint64_t memory;	  /* memory that it has taken from the effort */
	bool kept;		  /* still mapped */
};

/* Read the symbols and unwinding tables of a file within the effort of its source, and the symbols of
 * `names` (NULL: none), a file of debug information for it.  What can't be read is left out.  object_fini
 * frees them. */
void object_load(struct object *object, struct elf *elf, struct elf *names);
void object_fini(struct object *object);

/* Return the symbol that contains an address; NULL: none. */
const struct symbol *object_symbol(const struct object *object, uint64_t address);

/* Return the name of a symbol. */
const char *symbol_name(const struct object *object, const struct symbol *symbol);

/* ---- all files of a process ---- */

struct symbols {
	struct object **objects; /* sorted by address */
	size_t count, room;
	struct code_range
	    *others; /* mappings without code of a file, sorted: stacks, code made at run time */
	size_t other_count, other_room;
};

/* Read the mappings again: new files are read within the effort, and unmapped ones forgotten.  Returns 0 or
 * an errno value; *changed: a file was added or removed. */
int symbols_refresh(struct symbols *symbols, const struct proc *proc, struct effort *effort, bool *changed);
void symbols_fini(struct symbols *symbols);

/* Return the file whose code contains an address; NULL: none. */
const struct object *symbols_object(const struct symbols *symbols, uint64_t address);

/* Return the other mapping that contains an address; NULL: none. */
const struct code_range *symbols_other(const struct symbols *symbols, uint64_t address);

/* Whether an address is in code compiled by ocamlopt, or in the runtime's assembly. */
bool symbols_is_ocaml(const struct symbols *symbols, uint64_t address);
bool symbols_is_system(const struct symbols *symbols, uint64_t address);

/* Return the address of a function in the runtime's assembly; 0: there is none of this name. */
uint64_t symbols_system_function(const struct symbols *symbols, const char *name);

/* ---- names ---- */

#define CODE_NAME_SIZE 512

/* Convert the name of a function in debug information, "Stdlib__List.map", to the usual notation:
 * "List.map". */
void name_of_unit(const char *name, char out[CODE_NAME_SIZE]);

/* Whether a converted name is of OCaml's standard library or its threads. */
bool name_is_library(const char *name);

/* Convert a symbol, "camlStdlib__List.map_289", or "camlStdlib__List__map_289" in OCaml 5.0, to the name of a
 * function.  Returns false, with the symbol as the name, if it is not one of OCaml code. */
bool name_of_symbol(const char *symbol, char out[CODE_NAME_SIZE]);

/* Convert the symbol of a unit's initialisation, "camlFoo.entry", to the unit's name.  Returns false for
 * other symbols. */
bool name_of_entry(const char *symbol, char out[CODE_NAME_SIZE]);
