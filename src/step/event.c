/* event.c */
#include "step/contact.h"
BrStatus bri_step_event(BriStep *step) { return bri_fail(step->error, BR_UNSUPPORTED, "not yet"); }
