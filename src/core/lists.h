/*
 * lists.h - what is made of lists X(NAME, TEXT, ...): the members of an enum, and tables of what their rows have.
 */
#pragma once

#define LIST_NAME(name, ...) name,
#define LIST_TEXT(name, text, ...) [name] = text,
#define LIST_UNIT(name, text, unit, ...) [name] = unit,
#define LIST_ROW(name, ...) [name] = {__VA_ARGS__},
