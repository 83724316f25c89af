// Measures ODE on the chain scene (chain_scene.h) and prints one JSON line per solver.
//   g++ -std=c++17 -O2 ode_chain.cpp -o ode_chain $(pkg-config --cflags --libs ode)
//   ./ode_chain [links = 100, even] [step in ms = 1]
#include "chain_scene.h"

#include <ode/ode.h>

namespace {

enum class Solver { world_step, quick_step };

// ERP and CFM stay at ODE's defaults (0.2 and, in double precision, 1e-10).
class OdeChain {
  public:
    OdeChain(int count, Solver solver) : world_(dWorldCreate()), solver_(solver) {
        dRandSetSeed(1); // QuickStep shuffles its rows
        dWorldSetGravity(world_, 0, 0, -chain::gravity);
        dWorldSetQuickStepNumIterations(world_, 20);
        for (const chain::Link &link : chain::links(count)) add_body(link);
        add_joints();
    }
    ~OdeChain() { dWorldDestroy(world_); } // with its bodies and joints
    OdeChain(const OdeChain &) = delete;
    OdeChain &operator=(const OdeChain &) = delete;

    void step(double dt) {
        if (solver_ == Solver::world_step)
            dWorldStep(world_, dt);
        else
            dWorldQuickStep(world_, dt);
    }

    double energy() const {
        double sum = 0;
        for (dBodyID body : bodies_) sum += body_energy(body);
        return sum;
    }

    double gap() const {
        double largest = 0;
        for (dJointID joint : joints_) largest = std::max(joint_gap(joint), largest);
        return largest;
    }

  private:
    void add_body(const chain::Link &link) {
        dMass mass;
        dMassSetParameters(&mass, chain::mass, 0, 0, 0, chain::axial_inertia, chain::transverse_inertia,
                           chain::transverse_inertia, 0, 0, 0);
        dMatrix3 rotation;
        dRFromAxisAndAngle(rotation, 0, 0, 1, link.angle);
        const dBodyID body = dBodyCreate(world_);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, link.x, link.y, 0);
        dBodySetRotation(body, rotation);
        dBodySetGyroscopicMode(body, 1);
        bodies_.push_back(body);
    }

    // One joint at the start of every link, the first to the world, and one from the last link's end to the world.
    void add_joints() {
        dBodyID previous = nullptr;
        for (dBodyID body : bodies_) {
            add_joint(body, previous, body, -chain::length / 2);
            previous = body;
        }
        add_joint(previous, nullptr, previous, chain::length / 2);
    }

    void add_joint(dBodyID first, dBodyID second, dBodyID anchor_body, double anchor_x) {
        dVector3 anchor;
        dBodyGetRelPointPos(anchor_body, anchor_x, 0, 0, anchor);
        const dJointID joint = dJointCreateBall(world_, nullptr);
        dJointAttach(joint, first, second);
        dJointSetBallAnchor(joint, anchor[0], anchor[1], anchor[2]);
        joints_.push_back(joint);
    }

    static double body_energy(dBodyID body) {
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        dVector3 spin; // angular velocity in the body frame
        dBodyVectorFromWorld(body, w[0], w[1], w[2], spin);
        const double linear = chain::mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double angular = chain::axial_inertia * spin[0] * spin[0] +
                               chain::transverse_inertia * (spin[1] * spin[1] + spin[2] * spin[2]);
        return (linear + angular) / 2 + chain::mass * chain::gravity * dBodyGetPosition(body)[2];
    }

    static double joint_gap(dJointID joint) {
        dVector3 a, b; // the anchor as seen from either side
        dJointGetBallAnchor(joint, a);
        dJointGetBallAnchor2(joint, b);
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }

    dWorldID world_;
    Solver solver_;
    std::vector<dBodyID> bodies_;
    std::vector<dJointID> joints_;
};

} // namespace

int main(int argc, char **argv) {
    int count;
    double dt;
    if (!chain::parse(argc, argv, count, dt)) return 2;
    dInitODE2(0);
    chain::report<OdeChain>("ode", "worldstep", count, dt, Solver::world_step);
    chain::report<OdeChain>("ode", "quickstep20", count, dt, Solver::quick_step);
    dCloseODE();
}
