/* compliance.h: the friction laws' own functions, for compliance.c alone. */
#ifndef BRI_COMPLIANCE_H
#define BRI_COMPLIANCE_H

#include "laws/laws.h"

BriFrictionAnswer bri_dwell_answer(const BrLaw *law, double normal, BrVec3 slip, const BriContactMemory *memory);
BriFrictionAnswer bri_coulomb_compliant_answer(const BrLaw *law, double normal, BrVec3 slip,
                                               const BriContactMemory *memory);
BriFrictionAnswer bri_tanh_answer(const BrLaw *law, double normal, BrVec3 slip);

#endif
