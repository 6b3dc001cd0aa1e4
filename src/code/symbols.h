/*
 * symbols.h - the program and the libraries of a process: which function an address is in, and which code is OCaml's.
 *
 * Files are foreign: their symbols only ever give names, and bounds that are checked against their segments.
 */
#pragma once

#include <sys/types.h>

#include "code/eh_frame.h"
#include "target/elf.h"
#include "target/proc.h"

/* A function, or another label in code. */
struct symbol {
	uint64_t address; /* in the process's memory */
	uint32_t size;	  /* 0: not known */
	uint32_t name;	  /* offset in the names of its object */
};

struct code_range {
	uint64_t start, end;
};

/* A mapped file that has code. */
struct object {
	uint64_t start, end; /* its mappings, from the first to the last */
	uint64_t device, inode, bias;
	char label[64];		/* "[libc.so.6]" */
	struct symbol *symbols; /* by address, one for each */
	size_t symbol_count, symbol_room;
	char *names; /* NUL-terminated, one after the other */
	size_t names_size, names_room;
	struct code_range *ocaml; /* code of OCaml, by address */
	size_t ocaml_count;
	struct code_range system; /* the runtime's own assembly; empty: none */
	struct eh_frame *unwind;  /* NULL: it has no .eh_frame */
	uint64_t memory;	  /* that the effort has for it */
	bool kept;		  /* still mapped */
};

/* Read the symbols and the unwinding tables of a file, out of the effort of its source, and symbols of `names` (NULL: none), a
 * file of debug information for it.  What can't be read is left out.  object_fini frees them. */
void object_load(struct object *object, struct elf *elf, struct elf *names);
void object_fini(struct object *object);

/* The symbol that an address is in; NULL: none. */
const struct symbol *object_symbol(const struct object *object, uint64_t address);

/* The name of it. */
const char *symbol_name(const struct object *object, const struct symbol *symbol);

/* ---- all files of a process ---- */

struct symbols {
	struct object **objects; /* by address */
	size_t count, room;
	struct code_range
	    *others; /* mappings without code of a file, by address: stacks, and code made at run time */
	size_t other_count, other_room;
};

/* Read the mappings again: new files are read as far as the effort goes, those no longer mapped forgotten.  0, or an errno
 * value; *changed: a file came or went. */
int symbols_refresh(struct symbols *symbols, const struct proc *proc, struct effort *effort, bool *changed);
void symbols_fini(struct symbols *symbols);

/* The file whose code an address is in; NULL: none. */
const struct object *symbols_object(const struct symbols *symbols, uint64_t address);

/* The other mapping that an address is in; NULL: none. */
const struct code_range *symbols_other(const struct symbols *symbols, uint64_t address);

/* Whether an address is in code that ocamlopt made, or in the runtime's assembly. */
bool symbols_is_ocaml(const struct symbols *symbols, uint64_t address);
bool symbols_is_system(const struct symbols *symbols, uint64_t address);

/* The address of a function of the latter; 0: none has this name. */
uint64_t symbols_system_function(const struct symbols *symbols, const char *name);

/* ---- names ---- */

#define CODE_NAME_SIZE 512

/* Write the name of a function in debug information, "Stdlib__List.map", as people write it: "List.map". */
void name_of_unit(const char *name, char out[CODE_NAME_SIZE]);

/* Whether such a name is of OCaml's standard library, or of its threads. */
bool name_is_library(const char *name);

/* Write that of a symbol, "camlStdlib__List.map_289", or "camlStdlib__List__map_289" of OCaml 5.0.  False if it is not
 * one of OCaml code; then the name is that of the symbol. */
bool name_of_symbol(const char *symbol, char out[CODE_NAME_SIZE]);

/* Write that of the symbol of what a unit does when it is initialised, "camlFoo.entry": the unit's name.  False: it is of
 * another function. */
bool name_of_entry(const char *symbol, char out[CODE_NAME_SIZE]);
