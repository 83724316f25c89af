// The chain scene of the peer drivers: links in a horizontal V between two fixed points, released at rest, 5 s.
#pragma once
#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace chain {
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
} // namespace chain
