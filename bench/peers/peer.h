// What the drivers of other engines share: a world's name in, a line of JSON per setting out (docs/measurements.md tells
// the protocol). The world, the clock and the error are those of bench/worlds, the same for every engine.
#pragma once
#include "worlds/measure.h"
#include "worlds/worlds.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace peer {

// An Engine is made of a world and a setting; it has step(time), which is false if it failed, poses(frames) and
// contacts().
template <class Engine> WorldEngine wrap(Engine &engine) {
    WorldEngine result{};
    result.self = &engine;
    result.step = [](void *self, double time) { return static_cast<Engine *>(self)->step(time); };
    result.poses = [](void *self, WorldFrame *frames) { static_cast<Engine *>(self)->poses(frames); };
    result.contacts = [](void *self) { return static_cast<Engine *>(self)->contacts(); };
    return result;
}

template <class Engine, class Setting>
bool measure(const char *name, const World &world, const Setting &setting, const WorldPlan &plan) {
    Engine engine(world, setting);
    WorldResult result{};
    result.engine = name;
    result.setting = setting.name;
    const WorldEngine wrapped = wrap(engine);
    if (!world_measure(&world, &wrapped, &plan, &result)) return false;
    world_print(stdout, &result);
    return true;
}

// The whole program. A setting says by fits(world) whether it is of use there.
template <class Engine, class Settings> int run(int argc, char **argv, const char *name, const Settings &settings) {
    const bool quick = argc > 2 && std::strcmp(argv[2], "--quick") == 0;
    const char *const word = argc > 2 + quick ? argv[2 + quick] : "--steps=0";
    const int steps = std::strncmp(word, "--steps=", 8) == 0 ? std::atoi(word + 8) : -1;
    const WorldInfo *info = argc > 1 ? world_find(argv[1]) : nullptr;
    if (!info || argc > 3 + quick || steps < 0) {
        std::fprintf(stderr, "usage: %s SCENE [--quick] [--steps=N]\n", argv[0]);
        return 2;
    }
    WorldPlan plan = world_plan(info, quick, steps);
    plan.kept = std::getenv("BRISTLE_TIMES"); // of the runs before this one
    World *world = world_make(info);
    bool fine = world != nullptr;
    for (const auto &setting : settings)
        if (fine && setting.fits(*world)) fine = measure<Engine>(name, *world, setting, plan);
    world_destroy(world);
    return fine ? 0 : 1;
}

} // namespace peer
