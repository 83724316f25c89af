// What the toss drivers share: measured throws of a cube onto a board (BRISTLE_DATA/tosses, see the README there), and
// how far from the measured end a simulation from the first sample stops. As published: no rescaling of lengths, board
// level.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace toss {
constexpr double half_width = 0.0524, mass = 0.37, inertia = 8.1e-4, mu = 0.18, restitution = 0.125, gravity = 9.81;
constexpr int steps_per_sample = 10, samples_fitted = 6; // at least so many fly freely in every toss
constexpr double sample_time = 1.0 / 148, dt = sample_time / steps_per_sample;

struct Pose {
    std::array<double, 3> position; // m, centre
    std::array<double, 4> turn;     // unit quaternion, scalar first, body to board
};
struct Toss {
    Pose start, end;
    std::array<double, 3> velocity, spin; // m/s in board axes, rad/s in body axes
    int samples;                          // from start to end
};

// The slope of a straight line through the first samples, once the fall is taken out.
inline std::array<double, 3> fit_velocity(const std::vector<Pose> &poses) {
    std::array<double, 3> velocity{};
    const double middle = (samples_fitted - 1) / 2.0;
    double sum = 0;
    for (int k = 0; k < samples_fitted; k++) {
        const double t = k * sample_time, weight = (k - middle) * sample_time;
        sum += weight * t;
        for (int i = 0; i < 3; i++) velocity[i] += weight * (poses[k].position[i] + (i == 2 ? gravity * t * t / 2 : 0));
    }
    for (double &v : velocity) v /= sum;
    return velocity;
}

// false: there is no such file.
inline bool read(const std::string &path, Toss &toss) {
    FILE *file = std::fopen(path.c_str(), "r");
    if (!file) return false;
    std::vector<Pose> poses;
    char line[512];
    while (std::fgets(line, sizeof line, file)) {
        Pose p;
        auto &[x, y, z] = p.position;
        auto &[a, b, c, d] = p.turn;
        std::array<double, 3> w;
        if (std::sscanf(line, "%*f,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%*f,%*f,%*f,%lf,%lf,%lf", &x, &y, &z, &a, &b, &c, &d,
                        &w[0], &w[1], &w[2]) != 10)
            continue; // the header
        if (poses.empty()) toss.spin = w;
        poses.push_back(p);
    }
    std::fclose(file);
    if (poses.size() < samples_fitted) return false;
    toss.start = poses.front();
    toss.end = poses.back();
    toss.velocity = fit_velocity(poses);
    toss.samples = static_cast<int>(poses.size()) - 1;
    return true;
}

inline std::vector<Toss> read_all() {
    const char *data = std::getenv("BRISTLE_DATA");
    std::vector<Toss> tosses;
    for (int i = 0; i < 1000; i++) { // as many as are there
        char name[32];
        std::snprintf(name, sizeof name, "/tosses/toss_%03d.csv", i);
        Toss toss;
        if (read((data ? data : "../shared/data") + std::string(name), toss)) tosses.push_back(toss);
    }
    if (tosses.empty()) std::fprintf(stderr, "no tosses found: BRISTLE_DATA names the folder of the data\n");
    return tosses;
}

// In % of the cube's edge.
inline double position_error(const Pose &a, const Pose &b) {
    const auto &p = a.position, &q = b.position;
    return 100 * std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / (2 * half_width);
}

// In degrees.
inline double turn_error(const Pose &a, const Pose &b) {
    double dot = 0;
    for (int i = 0; i < 4; i++) dot += a.turn[i] * b.turn[i];
    return 2 * std::acos(std::min(std::fabs(dot), 1.0)) * 180 / 3.14159265358979323846;
}

// The value that a share of all does not exceed, between neighbours by a straight line.
inline double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double at = share * (values.size() - 1);
    const size_t below = static_cast<size_t>(at), above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - below) * (values[above] - values[below]);
}

// Median, quartiles, 90th percentile, and the interval that has the median of all such tosses with a chance of 95 %:
// from order statistics, ranks n/2 -+ 0.98 sqrt(n), whatever the distribution.
inline void print_spread(const char *name, const std::vector<double> &values) {
    const double half = 0.98 / std::sqrt(static_cast<double>(values.size()));
    std::printf(",\"%s\":{\"median\":%.1f,\"low\":%.1f,\"high\":%.1f,\"q1\":%.1f,\"q3\":%.1f,\"p90\":%.1f}", name,
                quantile(values, 0.5), quantile(values, std::max(0.0, 0.5 - half)),
                quantile(values, std::min(1.0, 0.5 + half)), quantile(values, 0.25), quantile(values, 0.75),
                quantile(values, 0.9));
}

// One JSON line over all tosses. An Engine is made for a toss and has step() and pose().
template <class Engine, class... Options>
void report(const std::vector<Toss> &tosses, const char *engine_name, const char *setting, Options... options) {
    std::vector<double> position, turn;
    for (const Toss &toss : tosses) {
        Engine engine(toss, options...);
        for (int i = 0; i < toss.samples * steps_per_sample; i++) engine.step();
        position.push_back(position_error(engine.pose(), toss.end));
        turn.push_back(turn_error(engine.pose(), toss.end));
    }
    std::printf("{\"engine\":\"%s\",\"scene\":\"toss\",\"setting\":\"%s\",\"dt\":%.4g,\"tosses\":%zu", engine_name,
                setting, dt, tosses.size());
    print_spread("position_pct", position);
    print_spread("turn_deg", turn);
    std::printf("}\n");
    std::fflush(stdout);
}
} // namespace toss
