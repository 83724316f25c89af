// Measures MuJoCo on the contact scenes (contact_scenes.h) and prints one JSON line per scene and setting.
//   g++ -std=c++17 -O2 mujoco_contact.cpp -o mujoco_contact -lmujoco
//   ./mujoco_contact [scene]
// "default" is MuJoCo as it comes: Newton, pyramidal cone, contacts that yield with a time constant of 20 ms.
// "elliptic" has the elliptic cone and friction 10 times as stiff as the normal direction. "stiff" goes on to 100 times
// and to the shortest time constant that MuJoCo advises, two steps.
// MuJoCo's convex contact lifts what slides, in proportion to its speed: the wheel hops at all settings, touching in a
// tenth of the steps or fewer, and its error owes as much to chance.
#include "contact_scenes.h"
#include "mujoco_model.h"

namespace {

using contact::Scene, contact::Vec;

struct Setting {
    const char *option, *geom; // attributes of <option> and of every <geom>
};
constexpr Setting standard{"", ""};
constexpr Setting elliptic{"cone='elliptic' impratio='10' tolerance='1e-12'", ""};
constexpr Setting stiff{"cone='elliptic' impratio='100' tolerance='1e-12'",
                        "solref='0.002 1' solimp='0.99 0.99 0.001'"};

// The wheel is a thin cylinder to MuJoCo; instead of its edges, the lowest point of the rim touches the plane.
int touch_rim(const mjModel *, const mjData *data, mjContact *touch, int plane, int wheel, mjtNum margin) {
    (void)plane;
    const mjtNum *c = data->geom_xpos + 3 * wheel, *R = data->geom_xmat + 9 * wheel; // the axle is the geom's z
    const Vec low = contact::wheel::lowest_point({c[0], c[1], c[2]}, {R[2], R[5], R[8]});
    if (low.z > margin) return 0;
    const mjtNum frame[9] = {0, 0, 1, 0, 0, 0, 0, 0, 0}; // the normal; MuJoCo makes the tangents
    touch->dist = low.z;
    mju_copy(touch->frame, frame, 9);
    touch->pos[0] = low.x, touch->pos[1] = low.y, touch->pos[2] = low.z / 2; // halfway, as MuJoCo has it
    return 1;
}

std::string describe(Scene scene, const Setting &setting) {
    using namespace contact;
    std::string body, plane = "euler='0 0 0'";
    double friction = 0;
    if (scene == Scene::wheel) {
        friction = wheel::mu;
        body = mujoco::format("<body pos='%.17g %.17g %.17g' euler='%.17g 0 0'><freejoint/>"
                              "<inertial pos='0 0 0' mass='%g' diaginertia='%g %g %g'/>"
                              "<geom type='cylinder' size='%g 0.001' zaxis='0 1 0'/></body>",
                              wheel::start.x, wheel::start.y, wheel::start.z, wheel::lean, wheel::mass, wheel::inertia,
                              wheel::axial_inertia, wheel::inertia, wheel::radius);
    } else if (scene == Scene::slope) {
        friction = slope::mu;
        plane = mujoco::format("euler='0 %.17g 0'", slope::angle);
        body = mujoco::format("<body pos='%.17g %.17g %.17g' %s><freejoint/>"
                              "<geom type='box' size='%g %g %g' mass='%g'/></body>",
                              slope::start.x, slope::start.y, slope::start.z, plane.c_str(), slope::edge / 2,
                              slope::edge / 2, slope::edge / 2, slope::mass);
    } else {
        friction = ball::mu;
        body = mujoco::format("<body pos='0 0 %g'><freejoint/><geom type='sphere' size='%g' mass='%g'/></body>",
                              ball::start.z, ball::radius, ball::mass);
    }
    return mujoco::format("<mujoco><compiler angle='radian'/><option timestep='%g' gravity='0 0 %g' %s/>"
                          "<default><geom condim='3' friction='%g 0 0' %s/></default>"
                          "<worldbody><geom type='plane' size='50 50 1' %s/>",
                          contact::dt, -gravity, setting.option, friction, setting.geom, plane.c_str()) +
           body + "</worldbody></mujoco>";
}

class MujocoContact {
  public:
    MujocoContact(Scene scene, Setting setting) : engine_(describe(scene, setting)) {
        mjtNum *v = engine_.data->qvel;
        if (scene == Scene::ball) v[0] = contact::ball::speed;
        if (scene == Scene::wheel) {
            v[0] = contact::wheel::speed;
            v[4] = contact::wheel::turn * std::sin(contact::wheel::lean); // body axes
            v[5] = contact::wheel::turn * std::cos(contact::wheel::lean);
        }
    }

    void step() { engine_.step(); }
    Vec position() const { return {engine_.data->qpos[0], engine_.data->qpos[1], engine_.data->qpos[2]}; }
    Vec velocity() const { return {engine_.data->qvel[0], engine_.data->qvel[1], engine_.data->qvel[2]}; }
    Vec spin() const {
        mjtNum w[3];
        mju_rotVecQuat(w, engine_.data->qvel + 3, engine_.data->qpos + 3);
        return {w[0], w[1], w[2]};
    }
    Vec axle() const {
        const mjtNum y[3] = {0, 1, 0};
        mjtNum axle[3];
        mju_rotVecQuat(axle, y, engine_.data->qpos + 3);
        return {axle[0], axle[1], axle[2]};
    }

  private:
    mujoco::Engine engine_;
};

} // namespace

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : nullptr;
    mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_CYLINDER] = touch_rim;
    contact::report<MujocoContact>("mujoco", "default", scene, standard);
    contact::report<MujocoContact>("mujoco", "elliptic", scene, elliptic);
    contact::report<MujocoContact>("mujoco", "stiff", scene, stiff);
}
