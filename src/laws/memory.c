/* memory.c: what laws remember, by their tables. */
#include "laws/laws.h"

#include <string.h>

static void plan(const BrLaw *law, int from, BriMemoryPlan *plan) {
    for (int i = 0; law->info && i < law->info->memories; i++) {
        const BrLawMemory *memory = &law->info->memory[i];
        if (memory->tangent) plan->vector[plan->vectors++] = (unsigned char)from;
        for (int k = 0; k < bri_memory_width(memory); k++, from++)
            if (!memory->latch) plan->rate[plan->rates++] = (unsigned char)from;
    }
}

BriMemoryPlan bri_plan_memory(const BrLaw *friction, const BrLaw *normal) {
    BriMemoryPlan both = {0};
    plan(friction, 0, &both);
    plan(normal, BRI_FRICTION_MEMORY, &both);
    return both;
}

const BrLawMemory *bri_law_find_memory(const BrLaw *law, const char *name, int *at) {
    *at = 0;
    for (int i = 0; law->info && i < law->info->memories; i++) {
        const BrLawMemory *memory = &law->info->memory[i];
        if (strcmp(memory->name, name) == 0) return memory;
        *at += bri_memory_width(memory);
    }
    return NULL;
}

const BrLawMemory *bri_find_memory(const BriLaws *own, const char *word) {
    for (int i = 0; i < bri_law_count(own); i++)
        for (int k = 0; k < bri_law_info(own, i)->memories; k++) {
            const BrLawMemory *memory = &bri_law_info(own, i)->memory[k];
            if (strcmp(memory->name, word) == 0 || strcmp(memory->symbol, word) == 0) return memory;
        }
    return NULL;
}

void bri_law_touch(const BrLaw *law, double speed, double *memory) {
    double *number = memory;
    for (int i = 0; i < law->info->memories; i++)
        for (int k = 0; k < bri_memory_width(&law->info->memory[i]); k++) *number++ = law->info->memory[i].initial;
    if (bri_law_record(law)->touch) bri_law_record(law)->touch(law, speed, memory);
}
