// What the peer drivers share: the chain scene (links in a horizontal V between two fixed points, released at rest, 5
// s), running and timing it, and the line they print.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace chain {
constexpr int sample_every = 50, repeats = 3;
constexpr double length = 0.1, mass = 0.1, radius = 0.02, gravity = 9.81, span_per_link = 0.06, duration = 5.0;
constexpr double axial_inertia = mass * radius * radius / 2;
constexpr double transverse_inertia = mass * (3 * radius * radius + length * length) / 12;
struct Link {
    double x, y, angle; // centre and direction in the plane z = 0
};
inline std::vector<Link> links(int count) {
    const double slope = std::acos(span_per_link / length); // atan2(depth, half span) of the V
    std::vector<Link> result;
    for (int i = 0; i < count; i++) {
        const double to_nearer_end = (std::min(i, count - 1 - i) + 0.5) * length;
        result.push_back({(i + 0.5) * span_per_link, to_nearer_end * std::sin(slope), i < count / 2 ? slope : -slope});
    }
    return result;
}
inline double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
struct Result {
    double us_per_step = 0, energy_rel = 0, energy_rel_max = 0, gap = 0;
};

// Metrics are taken between the timed blocks. A Chain has step(dt), energy() and gap().
template <class Chain> Result run(Chain &engine, int count, double dt) {
    const double start = engine.energy(), scale = count * chain::mass * chain::gravity * 2.0;
    const long steps = std::lround(chain::duration / dt);
    Result result;
    for (long done = 0; done < steps; done += sample_every) {
        const long block = std::min<long>(sample_every, steps - done);
        const double begin = chain::cpu_seconds();
        for (long i = 0; i < block; i++) engine.step(dt);
        result.us_per_step += 1e6 * (chain::cpu_seconds() - begin) / steps;
        result.energy_rel = (engine.energy() - start) / scale;
        result.energy_rel_max = std::max(std::fabs(result.energy_rel), result.energy_rel_max);
        result.gap = std::max(engine.gap(), result.gap);
    }
    return result;
}

inline std::string json(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return std::isfinite(value) ? text : "null";
}

// One JSON line: the best time of a few runs, and the errors, which are the same in each.
template <class Chain, class... Options>
void report(const char *engine_name, const char *setting, int count, double dt, Options... options) {
    Result best;
    for (int i = 0; i < repeats; i++) {
        Chain engine(count, options...);
        const Result result = run(engine, count, dt);
        if (i == 0 || result.us_per_step < best.us_per_step) best = result;
    }
    std::printf("{\"engine\":\"%s\",\"setting\":\"%s\",\"links\":%d,\"dt\":%g,\"us_per_step\":%.2f,"
                "\"energy_rel\":%s,\"energy_rel_max\":%s,\"gap_m\":%s}\n",
                engine_name, setting, count, dt, best.us_per_step, json(best.energy_rel).c_str(),
                json(best.energy_rel_max).c_str(), json(best.gap).c_str());
    std::fflush(stdout);
}

inline bool parse(int argc, char **argv, int &count, double &dt) {
    count = argc > 1 ? std::atoi(argv[1]) : 100;
    dt = (argc > 2 ? std::atof(argv[2]) : 1.0) / 1000;
    if (count >= 2 && count % 2 == 0 && dt > 0) return true;
    std::fprintf(stderr, "usage: %s [links, even] [step in ms]\n", argv[0]);
    return false;
}
} // namespace chain
