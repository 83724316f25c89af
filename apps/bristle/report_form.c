/* report_form.c: the form of the report page, web/dist/index.html as it is, within the command. */
#include "report.h"

__asm__(".section .rodata, \"a\"\n"
        ".global report_form\n"
        ".type report_form, %object\n"
        "report_form:\n"
        ".incbin \"" REPORT_FORM "\"\n"
        ".byte 0\n"
        ".size report_form, . - report_form\n"
        ".previous\n");
