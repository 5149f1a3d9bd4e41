/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only header through which core/ reaches its surroundings: fixed-width
 * integers, little-endian types, a few string functions and 64-bit division.
 * Everything in core/ compiles into the kernel module and into userspace.
 */
#ifndef MB_PORT_H
#define MB_PORT_H

#ifdef __KERNEL__

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <endian.h>
#include <linux/types.h>	/* __le16 and so on, as libc's own headers have them */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define cpu_to_le16(x) htole16(x)
#define cpu_to_le32(x) htole32(x)
#define cpu_to_le64(x) htole64(x)
#define le16_to_cpu(x) le16toh(x)
#define le32_to_cpu(x) le32toh(x)
#define le64_to_cpu(x) le64toh(x)

#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#ifndef noinline
#define noinline __attribute__((noinline))
#endif
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#ifndef fallthrough
#define fallthrough __attribute__((__fallthrough__))
#endif

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif /* __KERNEL__ */

#endif /* MB_PORT_H */
