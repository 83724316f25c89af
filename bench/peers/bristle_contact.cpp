// bristle on the scenes of contact_scenes.h, with the exact cone.
#include "bristle_body.h"
#include "contact_scenes.h"

namespace {

using contact::Scene;
using contact::Vec;

BrVec3 vec(const Vec &a) { return {a.x, a.y, a.z}; }
Vec vec(const BrVec3 &a) { return {a.x, a.y, a.z}; }
BrMat3 diagonal(double x, double y, double z) { return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}; }

BrBodyDef describe_body(Scene scene) {
    BrBodyDef def = br_default_body_def();
    if (scene == Scene::wheel) {
        using namespace contact::wheel;
        const double c = std::cos(lean), s = std::sin(lean);
        def.mass = mass;
        def.inertia = diagonal(inertia, axial_inertia, inertia);
        def.position = vec(start);
        def.rotation = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
        def.velocity = {speed, 0, 0};
        def.angular_velocity = {0, 0, turn};
    } else if (scene == Scene::slope) {
        using namespace contact::slope;
        const double c = std::cos(angle), s = std::sin(angle), inertia = mass * edge * edge / 6;
        def.mass = mass;
        def.inertia = diagonal(inertia, inertia, inertia);
        def.position = vec(start);
        def.rotation = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    } else {
        using namespace contact::ball;
        def.mass = mass;
        def.inertia = diagonal(inertia, inertia, inertia);
        def.position = vec(start);
        def.velocity = {speed, 0, 0};
    }
    return def;
}

BrShapeDef describe_shape(Scene scene) {
    BrShapeDef def = br_default_shape_def();
    if (scene == Scene::wheel) {
        def.kind = BR_SHAPE_DISC;
        def.radius = contact::wheel::radius;
        def.rotation_body = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}; // its axis is the body's y
    } else if (scene == Scene::slope) {
        def.kind = BR_SHAPE_BOX;
        def.size = {contact::slope::edge, contact::slope::edge, contact::slope::edge};
    } else {
        def.kind = BR_SHAPE_SPHERE;
        def.radius = contact::ball::radius;
    }
    return def;
}

double mu_of(Scene scene) {
    return scene == Scene::wheel ? contact::wheel::mu : scene == Scene::slope ? contact::slope::mu : contact::ball::mu;
}

class BristleContact {
  public:
    BristleContact(Scene scene, BrScheme scheme)
        : body_(describe_body(scene), describe_shape(scene),
                scene == Scene::slope ? vec(contact::slope::normal) : BrVec3{0, 0, 1}, mu_of(scene), 0, scheme,
                contact::dt) {}
    void step() { body_.step(); }
    Vec position() const { return vec(body_.pose().position); }
    Vec velocity() const { return vec(body_.twist().linear); }
    Vec spin() const { return vec(body_.twist().angular); }
    Vec axle() const {
        const BrMat3 A = body_.pose().rotation;
        return {A.m[0][1], A.m[1][1], A.m[2][1]};
    }

  private:
    BristleBody body_;
};

} // namespace

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : nullptr;
    contact::report<BristleContact>("bristle", "moreau", scene, BR_SCHEME_MOREAU);
    contact::report<BristleContact>("bristle", "hem2", scene, BR_SCHEME_HEM2);
}
