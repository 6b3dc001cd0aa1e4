/* lists.h - helpers that turn lists X(NAME, TEXT, ...) into enum members and tables. */
#pragma once

#define LIST_NAME(name, ...) name,
#define LIST_TEXT(name, text, ...) [name] = text,
#define LIST_UNIT(name, text, unit, ...) [name] = unit,
#define LIST_ROW(name, ...) [name] = {__VA_ARGS__},
