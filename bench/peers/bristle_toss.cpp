// bristle on the measured tosses: a box on a plane, eight corners, the published mass, inertia, mu and e.
#include "bristle_body.h"
#include "toss_scene.h"

namespace {

BrMat3 matrix(const std::array<double, 4> &q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

// From the largest of the four, so that no root is of a small number.
std::array<double, 4> quaternion(const BrMat3 &A) {
    const double trace = A.m[0][0] + A.m[1][1] + A.m[2][2];
    std::array<double, 4> squares{1 + trace, 1 - trace + 2 * A.m[0][0], 1 - trace + 2 * A.m[1][1],
                                  1 - trace + 2 * A.m[2][2]};
    const int k = static_cast<int>(std::max_element(squares.begin(), squares.end()) - squares.begin());
    const double largest = std::sqrt(squares[k]) / 2, f = 1 / (4 * largest);
    const double w[3] = {A.m[2][1] - A.m[1][2], A.m[0][2] - A.m[2][0], A.m[1][0] - A.m[0][1]};
    std::array<double, 4> q{};
    q[k] = largest;
    for (int i = 0; i < 3; i++)
        if (k == 0)
            q[i + 1] = f * w[i];
        else
            q[i + 1] = i + 1 == k ? largest : f * (A.m[k - 1][i] + A.m[i][k - 1]);
    if (k != 0) q[0] = f * w[k - 1];
    return q;
}

BrBodyDef describe_cube(const toss::Toss &toss) {
    BrBodyDef def = br_default_body_def();
    const auto &p = toss.start.position;
    const auto &v = toss.velocity;
    const BrMat3 A = matrix(toss.start.turn);
    const auto &w = toss.spin;
    def.mass = toss::mass;
    def.inertia = {{{toss::inertia, 0, 0}, {0, toss::inertia, 0}, {0, 0, toss::inertia}}};
    def.position = {p[0], p[1], p[2]};
    def.rotation = A;
    def.velocity = {v[0], v[1], v[2]};
    def.angular_velocity = {A.m[0][0] * w[0] + A.m[0][1] * w[1] + A.m[0][2] * w[2],
                            A.m[1][0] * w[0] + A.m[1][1] * w[1] + A.m[1][2] * w[2],
                            A.m[2][0] * w[0] + A.m[2][1] * w[1] + A.m[2][2] * w[2]};
    return def;
}

BrShapeDef describe_box() {
    BrShapeDef def = br_default_shape_def();
    def.kind = BR_SHAPE_BOX;
    def.size = {2 * toss::half_width, 2 * toss::half_width, 2 * toss::half_width};
    return def;
}

class BristleToss {
  public:
    BristleToss(const toss::Toss &toss, BrScheme scheme)
        : body_(describe_cube(toss), describe_box(), {0, 0, 1}, toss::mu, toss::restitution, scheme, toss::dt) {}
    void step() { body_.step(); }
    toss::Pose pose() const {
        const BrPose pose = body_.pose();
        return {{pose.position.x, pose.position.y, pose.position.z}, quaternion(pose.rotation)};
    }

  private:
    BristleBody body_;
};

} // namespace

int main() {
    const std::vector<toss::Toss> tosses = toss::read_all();
    if (tosses.empty()) return 0;
    toss::report<BristleToss>(tosses, "bristle", "hem2", BR_SCHEME_HEM2);
    toss::report<BristleToss>(tosses, "bristle", "moreau", BR_SCHEME_MOREAU);
}
