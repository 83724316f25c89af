// What the contact drivers share: three scenes of one body on a plane, running and timing them, and the line they
// print.
//   wheel  a leaning disc slides and rolls on one point of its rim [Peiret 2016]; position after 1 s,
//          and how high it hopped meanwhile
//   slope  a cube rests on a slope below its angle of friction; how far it creeps in 10 s
//   ball   a ball thrown without spin slides until it rolls at 5/7 of its speed; speed, and when it begins to roll
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

namespace contact {
constexpr int repeats = 5;
constexpr double dt = 1e-3, gravity = 9.81, degree = 3.14159265358979323846 / 180;

struct Vec {
    double x, y, z;
};
inline Vec operator-(const Vec &a, const Vec &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double length(const Vec &a) { return std::hypot(a.x, a.y, a.z); }

namespace wheel {
constexpr double radius = 0.5, mass = 1, axial_inertia = 0.6, inertia = 0.3, mu = 0.3, seconds = 5, watched_at = 1;
constexpr double lean = 20 * degree, speed = 6, turn = -2; // about x; along x; about z. The axle is the body's y
const Vec start{0, 0, radius *std::cos(lean)};
// The rigid rim with Coulomb friction, sliding all the while; an accurate solution with the contact kept closed.
constexpr Vec watched{4.580594171, -0.047405372, 0.301373759};

// Where the rim is lowest; the axle is of unit length and not upright.
inline Vec lowest_point(const Vec &centre, const Vec &axle) {
    const double across = std::hypot(axle.x, axle.y), k = radius * axle.z / across;
    return {centre.x + k * axle.x, centre.y + k * axle.y, centre.z - radius * across};
}
} // namespace wheel

// The slope falls towards +x: the z axis turned about y by its angle is the normal.
namespace slope {
constexpr double edge = 0.2, mass = 1, mu = 0.5, angle = 20 * degree, seconds = 10;
const Vec normal{std::sin(angle), 0, std::cos(angle)}, start{edge / 2 * normal.x, 0, edge / 2 * normal.z};
} // namespace slope

namespace ball {
constexpr double radius = 0.1, mass = 2, mu = 0.4, speed = 1, seconds = 2, rolling_speed = speed * 5 / 7;
constexpr double inertia = 0.4 * mass * radius * radius, rolls_below = 1e-3; // m/s of slip
constexpr double rolling_time = (speed - rolls_below) / (3.5 * mu * gravity);
const Vec start{0, 0, radius};
} // namespace ball

enum class Scene { wheel, slope, ball };

inline double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

// CPU seconds of so many seconds of motion. An Engine is made for a scene and has step(), position(), velocity(),
// spin() (angular velocity) and axle() (the wheel's y), all in world axes.
template <class Engine> double advance(Engine &engine, double seconds) {
    const double begin = cpu_seconds();
    for (long i = std::lround(seconds / dt); i > 0; i--) engine.step();
    return cpu_seconds() - begin;
}

struct Result {
    double us_per_step, error;
};

template <class Engine> Result run_wheel(Engine &engine) {
    double used = advance(engine, wheel::watched_at);
    const double error = length(engine.position() - wheel::watched);
    used += advance(engine, wheel::seconds - wheel::watched_at);
    return {1e6 * used * dt / wheel::seconds, error};
}

template <class Engine> Result run_slope(Engine &engine) {
    const double used = advance(engine, slope::seconds);
    const Vec moved = engine.position() - slope::start;
    const double downhill = moved.x * std::cos(slope::angle) - moved.z * std::sin(slope::angle);
    return {1e6 * used * dt / slope::seconds, std::hypot(downhill, moved.y)};
}

template <class Engine> Result run_ball(Engine &engine) {
    const double used = advance(engine, ball::seconds);
    return {1e6 * used * dt / ball::seconds, engine.velocity().x / ball::rolling_speed - 1};
}

// The largest height of the rim above the plane in the first second, m.
template <class Engine> double find_hop(Engine &engine) {
    double hop = 0;
    for (long i = std::lround(wheel::watched_at / dt); i > 0; i--) {
        engine.step();
        hop = std::max(hop, wheel::lowest_point(engine.position(), engine.axle()).z);
    }
    return hop;
}

// How late the ball rolls, relative to the time it should take. Within the last step the slip goes on as in the one
// before: it may end anywhere in it.
template <class Engine> double find_lateness(Engine &engine) {
    double slip = ball::speed, loss = 0; // m/s, and what the last step took of it
    for (long i = 0; i * dt < ball::seconds; i++) {
        engine.step();
        const double next = engine.velocity().x - ball::radius * engine.spin().y;
        if (next < ball::rolls_below) {
            const double part = std::min((slip - ball::rolls_below) / loss, 1.0);
            return dt * (i + part) / ball::rolling_time - 1;
        }
        loss = slip - next;
        slip = next;
    }
    return NAN;
}

inline std::string json(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return std::isfinite(value) ? text : "null";
}

// One JSON line per scene: the best time of a few runs, and the error, which is the same in each. `error` is in m for
// the wheel and the slope, relative for the ball.
template <class Engine, class... Options>
void report(const char *engine_name, const char *setting, const char *only, Options... options) {
    static constexpr const char *names[] = {"wheel", "slope", "ball"};
    for (Scene scene : {Scene::wheel, Scene::slope, Scene::ball}) {
        const char *name = names[static_cast<int>(scene)];
        if (only && std::strcmp(only, name) != 0) continue;
        Result best{HUGE_VAL, 0};
        for (int i = 0; i < repeats; i++) {
            Engine engine(scene, options...);
            const Result result = scene == Scene::wheel   ? run_wheel(engine)
                                  : scene == Scene::slope ? run_slope(engine)
                                                          : run_ball(engine);
            if (result.us_per_step < best.us_per_step) best = result;
        }
        std::printf(
            "{\"engine\":\"%s\",\"scene\":\"%s\",\"setting\":\"%s\",\"dt\":%g,\"us_per_step\":%.3f,\"error\":%s",
            engine_name, name, setting, dt, best.us_per_step, json(best.error).c_str());
        Engine engine(scene, options...);
        if (scene == Scene::wheel) std::printf(",\"hop_m\":%s", json(find_hop(engine)).c_str());
        if (scene == Scene::ball) std::printf(",\"time_error\":%s", json(find_lateness(engine)).c_str());
        std::printf("}\n");
        std::fflush(stdout);
    }
}
} // namespace contact
