/* Fault: filling in struct proofd_error, unless it is NULL (private to clients/libproofd). */
#pragma once

#include "clients/libproofd/error.h"
#include "proto/base/error.h"
#include "proto/ref.h"

/* All functions return -1. This one sets an error that has a slug but no number of the protocol. */
int pc_fault(struct proofd_error *error, const char *slug, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* An error of the protocol. */
int pc_fault_code(struct proofd_error *error, enum pd_error code, const char *field, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int pc_fault_fail(struct proofd_error *error, const struct pd_fail *fail);
int pc_fault_memory(struct proofd_error *error);
int pc_fault_copy(struct proofd_error *error, const struct proofd_error *from);
/* An error reply. */
int pc_fault_reply(struct proofd_error *error, pr_ref reply);
#ifdef __clang_analyzer__ /* The analyzer sees one file at a time, so it needs the result here. */
#define pc_fault(error, ...)      (pc_fault((error), __VA_ARGS__), -1)
#define pc_fault_code(error, ...) (pc_fault_code((error), __VA_ARGS__), -1)
#define pc_fault_memory(error)    (pc_fault_memory(error), -1)
#endif
