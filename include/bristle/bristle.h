/* bristle/bristle.h: everything at once. */
#ifndef BRISTLE_BRISTLE_H
#define BRISTLE_BRISTLE_H

#include "bristle/base.h"
#include "bristle/bushing.h"
#include "bristle/compliance.h"
#include "bristle/contact.h"
#include "bristle/coupling.h"
#include "bristle/diagnose.h"
#include "bristle/experiment.h"
#include "bristle/law.h"
#include "bristle/map.h"
#include "bristle/mass.h"
#include "bristle/mechanics.h"
#include "bristle/model.h"
#include "bristle/problem.h"
#include "bristle/record.h"
#include "bristle/scene.h"
#include "bristle/sensor.h"
#include "bristle/shape.h"
#include "bristle/solutions.h"
#include "bristle/solver.h"
#include "bristle/state.h"
#include "bristle/step.h"

#endif
