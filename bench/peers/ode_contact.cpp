// Measures ODE on the contact scenes (contact_scenes.h) and prints one JSON line per scene and setting.
//   g++ -std=c++17 -O2 ode_contact.cpp -o ode_contact $(pkg-config --cflags --libs ode)
//   ./ode_contact [scene]
// ERP and CFM stay at ODE's defaults (0.2 and, in double precision, 1e-10). Friction is ODE's: two directions, each
// bounded by mu times the normal force (dContactApprox1), so what slides along one is held along the other.
// "against_slip" does what ODE leaves to its user: while the point slides, the first direction is that of the slip and
// the second has no friction. QuickStep only: WorldStep bounds friction by what the normal force would be without it.
#include "contact_scenes.h"

#include <ode/ode.h>

namespace {

using contact::Scene, contact::Vec;

enum class Solver { world_step, quick_step };

Vec vec(const dReal *v) { return {v[0], v[1], v[2]}; }

class OdeContact {
  public:
    OdeContact(Scene scene, Solver solver, bool against_slip)
        : world_(dWorldCreate()), space_(dSimpleSpaceCreate(nullptr)), joints_(dJointGroupCreate(0)),
          body_(dBodyCreate(world_)), scene_(scene), solver_(solver), against_slip_(against_slip) {
        dRandSetSeed(1); // QuickStep shuffles its rows
        dWorldSetGravity(world_, 0, 0, -contact::gravity);
        dBodySetGyroscopicMode(body_, 1);
        if (scene == Scene::wheel) make_wheel();
        if (scene == Scene::slope) make_slope();
        if (scene == Scene::ball) make_ball();
    }
    ~OdeContact() {
        dJointGroupDestroy(joints_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
    }
    OdeContact(const OdeContact &) = delete;
    OdeContact &operator=(const OdeContact &) = delete;

    void step() {
        if (scene_ == Scene::wheel)
            touch_rim();
        else
            dSpaceCollide(space_, this, touch);
        if (solver_ == Solver::world_step)
            dWorldStep(world_, contact::dt);
        else
            dWorldQuickStep(world_, contact::dt);
        dJointGroupEmpty(joints_);
    }

    Vec position() const { return vec(dBodyGetPosition(body_)); }
    Vec velocity() const { return vec(dBodyGetLinearVel(body_)); }
    Vec spin() const { return vec(dBodyGetAngularVel(body_)); }
    Vec axle() const {
        const dReal *R = dBodyGetRotation(body_); // rows of four
        return {R[1], R[5], R[9]};
    }

  private:
    void place(const Vec &centre, double mass, double ixx, double iyy, double izz) {
        dMass properties;
        dMassSetParameters(&properties, mass, 0, 0, 0, ixx, iyy, izz, 0, 0, 0);
        dBodySetMass(body_, &properties);
        dBodySetPosition(body_, centre.x, centre.y, centre.z);
    }

    void turn(double x, double y, double angle) {
        dMatrix3 rotation;
        dRFromAxisAndAngle(rotation, x, y, 0, angle);
        dBodySetRotation(body_, rotation);
    }

    void make_wheel() {
        using namespace contact::wheel;
        mu_ = mu;
        place(start, mass, inertia, axial_inertia, inertia);
        turn(1, 0, lean);
        dBodySetLinearVel(body_, speed, 0, 0);
        dBodySetAngularVel(body_, 0, 0, contact::wheel::turn);
    }

    void make_slope() {
        using namespace contact::slope;
        const double inertia = mass * edge * edge / 6;
        mu_ = mu;
        place(start, mass, inertia, inertia, inertia);
        turn(0, 1, angle);
        dGeomSetBody(dCreateBox(space_, edge, edge, edge), body_);
        dCreatePlane(space_, normal.x, normal.y, normal.z, 0);
    }

    void make_ball() {
        using namespace contact::ball;
        mu_ = mu;
        place(start, mass, inertia, inertia, inertia);
        dBodySetLinearVel(body_, speed, 0, 0);
        dGeomSetBody(dCreateSphere(space_, radius), body_);
        dCreatePlane(space_, 0, 0, 1, 0);
    }

    void touch_rim() {
        const Vec low = contact::wheel::lowest_point(position(), axle());
        if (low.z > 0) return;
        dContact c{};
        c.geom.pos[0] = low.x, c.geom.pos[1] = low.y, c.geom.pos[2] = low.z;
        c.geom.normal[2] = 1;
        c.geom.depth = -low.z;
        add_contact(c, body_, nullptr);
    }

    static void touch(void *self, dGeomID a, dGeomID b) {
        dContact c[8];
        const int count = dCollide(a, b, 8, &c[0].geom, sizeof *c);
        for (int i = 0; i < count; i++)
            static_cast<OdeContact *>(self)->add_contact(c[i], dGeomGetBody(a), dGeomGetBody(b));
    }

    void add_contact(dContact &c, dBodyID a, dBodyID b) {
        c.surface.mode = dContactApprox1;
        c.surface.mu = mu_;
        if (against_slip_) point_against_slip(c);
        dJointAttach(dJointCreateContact(world_, joints_, &c), a, b);
    }

    void point_against_slip(dContact &c) const {
        dVector3 v;
        const dReal *at = c.geom.pos, *n = c.geom.normal;
        dBodyGetPointVel(body_, at[0], at[1], at[2], v);
        const double along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
        for (int i = 0; i < 3; i++) v[i] -= along * n[i];
        const double slip = std::hypot(v[0], v[1], v[2]);
        if (slip < 0.01) return; // m/s: about what friction can stop in a step
        c.surface.mode |= dContactFDir1 | dContactMu2;
        c.surface.mu2 = 0;
        for (int i = 0; i < 3; i++) c.fdir1[i] = v[i] / slip;
    }

    dWorldID world_;
    dSpaceID space_;
    dJointGroupID joints_;
    dBodyID body_;
    Scene scene_;
    Solver solver_;
    bool against_slip_;
    double mu_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : nullptr;
    dInitODE2(0);
    contact::report<OdeContact>("ode", "quickstep20", scene, Solver::quick_step, false);
    contact::report<OdeContact>("ode", "quickstep20_against_slip", scene, Solver::quick_step, true);
    contact::report<OdeContact>("ode", "worldstep", scene, Solver::world_step, false);
    dCloseODE();
}
