/* pages.h: how the system keeps large blocks of memory. Changes speed, never bits. */
#ifndef BRI_PAGES_H
#define BRI_PAGES_H

#include <stddef.h>

/* Asks for large pages where a block is many of them: loops over all contacts of a large scene touch each page of it
 * once, and to find a page takes about as long as to fetch what is needed of it. Where the system has none: nothing. */
void bri_ask_for_large_pages(void *memory, size_t size);

#endif
