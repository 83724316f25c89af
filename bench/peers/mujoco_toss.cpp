// Measures MuJoCo on the tosses of a cube (toss_scene.h) and prints one JSON line per setting.
//   g++ -std=c++17 -O2 mujoco_toss.cpp -o mujoco_toss -lmujoco
//   BRISTLE_DATA=... ./mujoco_toss
// "default" is MuJoCo as it comes; "stiff" has the elliptic cone, friction 10 times as stiff as the normal direction
// and a time constant of three steps. MuJoCo has no restitution: "bounce" is "stiff" with the damping ratio at which a
// mass on a spring leaves with `restitution` times its speed, zeta = 0.552 from ln e = -pi zeta / sqrt(1 - zeta^2).
#include "mujoco_model.h"
#include "toss_scene.h"

namespace {

struct Setting {
    const char *option, *geom; // attributes of <option> and of every <geom>
};
constexpr Setting standard{"", ""};
constexpr Setting stiff{"cone='elliptic' impratio='10' tolerance='1e-10'", "solref='0.002 1'"};
constexpr Setting bounce{"cone='elliptic' impratio='10' tolerance='1e-10'", "solref='0.002 0.552'"};

std::string describe(const Setting &setting) {
    return mujoco::format("<mujoco><option timestep='%.17g' gravity='0 0 %g' %s/>"
                          "<default><geom condim='3' friction='%g 0 0' %s/></default>"
                          "<worldbody><geom type='plane' size='50 50 1'/><body><freejoint/>"
                          "<inertial pos='0 0 0' mass='%g' diaginertia='%g %g %g'/>"
                          "<geom type='box' size='%g %g %g'/></body></worldbody></mujoco>",
                          toss::dt, -toss::gravity, setting.option, toss::mu, setting.geom, toss::mass, toss::inertia,
                          toss::inertia, toss::inertia, toss::half_width, toss::half_width, toss::half_width);
}

class MujocoToss {
  public:
    MujocoToss(const toss::Toss &toss, Setting setting) : engine_(describe(setting)) {
        mju_copy(engine_.data->qpos, toss.start.position.data(), 3);
        mju_copy(engine_.data->qpos + 3, toss.start.turn.data(), 4);
        mju_copy(engine_.data->qvel, toss.velocity.data(), 3);
        mju_copy(engine_.data->qvel + 3, toss.spin.data(), 3); // body axes, as MuJoCo has them
    }

    void step() { engine_.step(); }

    toss::Pose pose() const {
        const mjtNum *q = engine_.data->qpos;
        return {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    }

  private:
    mujoco::Engine engine_;
};

} // namespace

int main() {
    const std::vector<toss::Toss> tosses = toss::read_all();
    if (tosses.empty()) return 0;
    toss::report<MujocoToss>(tosses, "mujoco", "default", standard);
    toss::report<MujocoToss>(tosses, "mujoco", "stiff", stiff);
    toss::report<MujocoToss>(tosses, "mujoco", "bounce", bounce);
}
