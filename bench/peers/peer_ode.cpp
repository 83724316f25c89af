// ODE on the benchmark worlds. "quick" is dWorldQuickStep as it comes, 20 iterations; "quick 200" takes ten times as
// many; "direct" is dWorldStep, a dense factorization, for worlds of few bodies.
#include "peer.h"

#include <cmath>
#include <ode/ode.h>
#include <vector>

namespace {

struct Setting {
    const char *name;
    int iterations; // 0: direct
    bool fits(const World &world) const {
        return iterations == 0 ? world.bodies <= 30 : iterations <= 20 || world.bodies < 2000;
    }
};
constexpr Setting settings[] = {{"quick", 20}, {"quick 200", 200}, {"direct", 0}};

enum { MOST_PER_PAIR = 8 };

void to_ode(const WorldFrame &f, dMatrix3 R) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) R[4 * i + k] = k < 3 ? f.turn[i][k] : 0;
}

class Ode {
  public:
    Ode(const World &world, const Setting &setting) : world_(world), setting_(setting) {
        dRandSetSeed(1); // QuickStep shuffles its rows
        engine_ = dWorldCreate();
        space_ = world.bodies > 30 ? dHashSpaceCreate(nullptr) : dSimpleSpaceCreate(nullptr);
        touching_ = dJointGroupCreate(0);
        if (world.bodies > 30) dHashSpaceSetLevels(space_, -5, 1);
        dWorldSetGravity(engine_, 0, 0, -WORLD_GRAVITY);
        if (setting.iterations) dWorldSetQuickStepNumIterations(engine_, setting.iterations);
        for (int i = 0; i < world.bodies; i++) add_body(world.body[i]);
        for (int i = 0; i < world.shapes; i++) add_shape(world.shape[i]);
        for (int i = 0; i < world.joints; i++) add_joint(world.joint[i]);
    }
    ~Ode() {
        dJointGroupDestroy(touching_);
        dSpaceDestroy(space_);
        dWorldDestroy(engine_);
    }
    Ode(const Ode &) = delete;
    Ode &operator=(const Ode &) = delete;

    bool step(double time) {
        for (int i = 0; i < world_.motors; i++) drive(world_.motor[i], time);
        contacts_ = 0;
        dSpaceCollide(space_, this, touch);
        if (disc_) touch_rim();
        if (setting_.iterations)
            dWorldQuickStep(engine_, world_.info->dt);
        else
            dWorldStep(engine_, world_.info->dt);
        dJointGroupEmpty(touching_);
        return true;
    }

    void poses(WorldFrame *frames) const {
        for (dBodyID body : bodies_) *frames++ = read_frame(body);
    }

    int contacts() const { return contacts_; }

  private:
    static WorldFrame read_frame(dBodyID body) {
        const dReal *p = dBodyGetPosition(body), *R = dBodyGetRotation(body);
        WorldFrame f;
        f.at = {p[0], p[1], p[2]};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) f.turn[i][k] = R[4 * i + k];
        return f;
    }

    void add_body(const WorldBody &b) {
        dBodyID body = dBodyCreate(engine_);
        dMass mass;
        dMatrix3 R;
        dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
        dBodySetMass(body, &mass);
        to_ode(b.start, R);
        dBodySetPosition(body, b.start.at.x, b.start.at.y, b.start.at.z);
        dBodySetRotation(body, R);
        dBodySetLinearVel(body, b.velocity.x, b.velocity.y, b.velocity.z);
        dBodySetAngularVel(body, b.spin.x, b.spin.y, b.spin.z);
        bodies_.push_back(body);
    }

    dBodyID find_body(int number) const {
        return number == WORLD_GROUND ? nullptr : bodies_[static_cast<size_t>(number)];
    }

    void add_shape(const WorldShape &s) {
        dGeomID geom = nullptr;
        const auto &n = s.place.turn;
        if (s.kind == WORLD_DISC) disc_ = &s; // ODE has none; its contact is written by hand
        if (s.kind == WORLD_PLANE) {
            const double offset = n[0][2] * s.place.at.x + n[1][2] * s.place.at.y + n[2][2] * s.place.at.z;
            dCreatePlane(space_, n[0][2], n[1][2], n[2][2], offset);
        }
        if (s.kind == WORLD_BOX) geom = dCreateBox(space_, s.size.x, s.size.y, s.size.z);
        if (s.kind == WORLD_SPHERE) geom = dCreateSphere(space_, s.radius);
        if (s.kind == WORLD_CAPSULE) geom = dCreateCapsule(space_, s.radius, s.length);
        if (!geom) return;
        dMatrix3 R;
        to_ode(s.place, R);
        dGeomSetBody(geom, find_body(s.body));
        dGeomSetOffsetPosition(geom, s.place.at.x, s.place.at.y, s.place.at.z);
        dGeomSetOffsetRotation(geom, R);
        const int group = world_.body[s.body].group;
        if (!group) return;
        dGeomSetCategoryBits(geom, 1ul << group);
        dGeomSetCollideBits(geom, ~(1ul << group));
    }

    // ODE measures its first body against its second.
    void add_joint(const WorldJoint &j) {
        dJointID joint = j.kind == WORLD_REVOLUTE    ? dJointCreateHinge(engine_, nullptr)
                         : j.kind == WORLD_PRISMATIC ? dJointCreateSlider(engine_, nullptr)
                         : j.kind == WORLD_SPHERICAL ? dJointCreateBall(engine_, nullptr)
                                                     : dJointCreateFixed(engine_, nullptr);
        dJointAttach(joint, find_body(j.b), find_body(j.a));
        if (j.kind == WORLD_REVOLUTE) {
            dJointSetHingeAnchor(joint, j.at.x, j.at.y, j.at.z);
            dJointSetHingeAxis(joint, j.axis.x, j.axis.y, j.axis.z);
            if (std::isfinite(j.lower)) dJointSetHingeParam(joint, dParamLoStop, j.lower);
            if (std::isfinite(j.upper)) dJointSetHingeParam(joint, dParamHiStop, j.upper);
        }
        if (j.kind == WORLD_PRISMATIC) {
            dJointSetSliderAxis(joint, j.axis.x, j.axis.y, j.axis.z);
            if (std::isfinite(j.lower)) dJointSetSliderParam(joint, dParamLoStop, j.lower);
            if (std::isfinite(j.upper)) dJointSetSliderParam(joint, dParamHiStop, j.upper);
        }
        if (j.kind == WORLD_SPHERICAL) dJointSetBallAnchor(joint, j.at.x, j.at.y, j.at.z);
        if (j.kind == WORLD_FIXED) dJointSetFixed(joint);
        joints_.push_back(joint);
    }

    void drive(const WorldMotor &m, double time) {
        dJointID joint = joints_[static_cast<size_t>(m.joint)];
        const bool turns = world_.joint[m.joint].kind == WORLD_REVOLUTE;
        const auto set = turns ? dJointSetHingeParam : dJointSetSliderParam;
        set(joint, dParamVel, world_motor_speed(&m, time));
        set(joint, dParamFMax, m.effort);
    }

    void add_contact(dContact &contact, dBodyID a, dBodyID b) {
        contact.surface.mode = dContactApprox1; // friction in proportion to the normal force
        contact.surface.mu = world_.mu;
        dJointAttach(dJointCreateContact(engine_, touching_, &contact), a, b);
        contacts_++;
    }

    static void touch(void *self, dGeomID a, dGeomID b) {
        Ode *ode = static_cast<Ode *>(self);
        dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        if (body_a == body_b) return;
        if (body_a && body_b ? dAreConnectedExcluding(body_a, body_b, dJointTypeContact)
                             : ode->is_joined_to_ground(body_a ? body_a : body_b))
            return;
        dContact contact[MOST_PER_PAIR];
        const int count = dCollide(a, b, MOST_PER_PAIR, &contact[0].geom, sizeof contact[0]);
        for (int i = 0; i < count; i++) ode->add_contact(contact[i], body_a, body_b);
    }

    bool is_joined_to_ground(dBodyID body) const {
        for (int i = 0; i < world_.joints; i++)
            if (world_.joint[i].a == WORLD_GROUND && find_body(world_.joint[i].b) == body) return true;
        return false;
    }

    void touch_rim() {
        dBodyID body = find_body(disc_->body);
        WorldFrame frame = read_frame(body), disc = frame;
        for (int i = 0; i < 3; i++) { // the axle; the disc is centred on its body
            disc.turn[i][2] = 0;
            for (int k = 0; k < 3; k++) disc.turn[i][2] += frame.turn[i][k] * disc_->place.turn[k][2];
        }
        const WorldVec low = world_lowest_rim(&disc, disc_->radius);
        if (low.z > 0) return;
        dContact contact{};
        contact.geom.pos[0] = low.x, contact.geom.pos[1] = low.y, contact.geom.pos[2] = low.z;
        contact.geom.normal[2] = 1;
        contact.geom.depth = -low.z;
        add_contact(contact, body, nullptr);
    }

    const World &world_;
    const Setting &setting_;
    dWorldID engine_;
    dSpaceID space_;
    dJointGroupID touching_;
    std::vector<dBodyID> bodies_;
    std::vector<dJointID> joints_;
    const WorldShape *disc_ = nullptr;
    int contacts_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    const int code = peer::run<Ode>(argc, argv, "ODE " PEER_VERSION, settings);
    dCloseODE();
    return code;
}
