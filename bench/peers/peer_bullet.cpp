// Bullet (double precision) on the benchmark worlds. "default" is the sequential impulse solver as it comes: 10
// iterations, one friction direction, along the slip. "200 iterations" has both directions. "small margins" is for
// heaps: the margins of the broad phase and of kept contacts, made for metres, are cut to 2 mm, and walls are boxes,
// because an infinite plane is near everything.
#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

#ifndef BT_USE_DOUBLE_PRECISION
#error "build with pkg-config bullet-float64"
#endif

namespace {

struct Setting {
    const char *name;
    int iterations;
    bool two_directions, small_margins;
    bool fits(const World &world) const {
        if (small_margins) return world.bodies >= 500;
        return iterations < 100 || world.bodies < 2000;
    }
};
constexpr Setting settings[] = {
    {"default", 10, false, false}, {"200 iterations", 200, true, false}, {"small margins", 10, false, true}};

btVector3 to_bullet(const WorldVec &v) { return btVector3(v.x, v.y, v.z); }

btTransform to_bullet(const WorldFrame &f) {
    const auto &A = f.turn;
    return btTransform(btMatrix3x3(A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1], A[2][2]),
                       to_bullet(f.at));
}

WorldFrame from_bullet(const btTransform &t) {
    WorldFrame f;
    f.at = {t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z()};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) f.turn[i][k] = t.getBasis()[i][k];
    return f;
}

// z along the axis.
btTransform make_frame(const WorldVec &at, const WorldVec &axis) {
    const btVector3 z = to_bullet(axis);
    btVector3 x, y;
    btPlaneSpace1(z, x, y);
    return btTransform(btMatrix3x3(x.x(), y.x(), z.x(), x.y(), y.y(), z.y(), x.z(), y.z(), z.z()), to_bullet(at));
}

class Bullet {
  public:
    Bullet(const World &world, const Setting &setting) : world_(world), setting_(setting) {
        gDbvtMargin = setting.small_margins ? 0.002 : 0.05;
        gContactBreakingThreshold = setting.small_margins ? 0.002 : 0.02;
        engine_.setGravity(btVector3(0, 0, -WORLD_GRAVITY));
        engine_.getSolverInfo().m_numIterations = setting.iterations;
        if (setting.two_directions) engine_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
        add_ground();
        for (int i = 0; i < world.bodies; i++) add_body(i);
        for (int i = 0; i < world.joints; i++) add_joint(world.joint[i]);
    }
    ~Bullet() {
        if (rim_) dispatcher_.releaseManifold(rim_);
        for (auto &joint : joints_) engine_.removeConstraint(joint.get());
        for (auto &body : bodies_) engine_.removeRigidBody(body.get());
        for (auto &body : ground_) engine_.removeRigidBody(body.get());
    }

    bool step(double time) {
        for (int i = 0; i < world_.motors; i++) drive(world_.motor[i], time);
        if (rim_) touch_rim();
        engine_.stepSimulation(world_.info->dt, 0, world_.info->dt);
        return true;
    }

    void poses(WorldFrame *frames) const {
        for (const auto &body : bodies_) *frames++ = from_bullet(body->getWorldTransform());
    }

    int contacts() {
        int count = 0;
        for (int i = 0; i < dispatcher_.getNumManifolds(); i++)
            count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
        return count;
    }

  private:
    btCollisionShape *keep(btCollisionShape *shape) {
        shapes_.emplace_back(shape);
        return shape;
    }

    // Bullet multiplies the coefficients of the two bodies.
    double share_of_friction() const { return btSqrt(world_.mu); }

    btCollisionShape *make_shape(const WorldShape &s) {
        switch (s.kind) {
        case WORLD_BOX: return keep(new btBoxShape(to_bullet(s.size) / 2));
        case WORLD_CAPSULE: return keep(new btCapsuleShapeZ(s.radius, s.length));
        case WORLD_PLANE: return keep(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
        case WORLD_SPHERE:
        case WORLD_DISC: break;
        }
        return keep(new btSphereShape(s.radius));
    }

    // The first is what joints to the ground are fixed to; then a body for each of its shapes.
    void add_ground() {
        ground_.push_back(std::make_unique<btRigidBody>(0, nullptr, keep(new btEmptyShape)));
        engine_.addRigidBody(ground_[0].get(), 0, 0);
        for (int i = 0; i < world_.shapes; i++) {
            const WorldShape &s = world_.shape[i];
            if (s.body != WORLD_GROUND) continue;
            btTransform place = to_bullet(s.place);
            btCollisionShape *shape;
            if (setting_.small_margins) {
                shape = keep(new btBoxShape(btVector3(10, 10, 1)));
                place.setOrigin(place.getOrigin() - place.getBasis().getColumn(2));
            } else
                shape = make_shape(s);
            btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape);
            info.m_startWorldTransform = place;
            info.m_friction = share_of_friction();
            ground_.push_back(std::make_unique<btRigidBody>(info));
            engine_.addRigidBody(ground_.back().get());
        }
    }

    // Bodies of one kind share a shape; one with several, or with one that is off its centre, has a compound.
    btCollisionShape *find_shape(int body) {
        const WorldShape *last = nullptr;
        btCompoundShape *all = nullptr;
        int count = 0;
        for (; next_shape_ < world_.shapes && world_.shape[next_shape_].body <= body; next_shape_++) {
            const WorldShape &s = world_.shape[next_shape_];
            if (s.body != body) continue;
            if (!all && (count || !is_centred(s))) keep(all = new btCompoundShape);
            if (all && count == 1) all->addChildShape(to_bullet(last->place), make_shape(*last));
            if (all) all->addChildShape(to_bullet(s.place), make_shape(s));
            last = &s;
            count++;
        }
        if (all) return all;
        if (!last) return nullptr;
        if (!common_ || std::memcmp(&common_->size, &last->size, sizeof last->size) != 0 ||
            common_->kind != last->kind || common_->radius != last->radius || common_->length != last->length)
            common_shape_ = make_shape(*last);
        common_ = last;
        return common_shape_;
    }

    static bool is_centred(const WorldShape &s) {
        const btTransform place = to_bullet(s.place);
        return s.kind == WORLD_DISC || (place.getOrigin().isZero() && place.getBasis() == btMatrix3x3::getIdentity());
    }

    void add_body(int number) {
        const WorldBody &b = world_.body[number];
        btCollisionShape *shape = find_shape(number);
        const bool is_disc = shape && common_ && common_->body == number && common_->kind == WORLD_DISC;
        const btVector3 inertia(b.inertia[0], b.inertia[1], b.inertia[2]);
        btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, shape ? shape : ground_[0]->getCollisionShape(),
                                                      inertia);
        info.m_startWorldTransform = to_bullet(b.start);
        info.m_friction = share_of_friction();
        bodies_.push_back(std::make_unique<btRigidBody>(info));
        btRigidBody *body = bodies_.back().get();
        body->setLinearVelocity(to_bullet(b.velocity));
        body->setAngularVelocity(to_bullet(b.spin));
        body->setActivationState(DISABLE_DEACTIVATION);
        if (!shape || is_disc)
            engine_.addRigidBody(body, 0, 0);
        else if (b.group)
            engine_.addRigidBody(body, 64 << b.group, btBroadphaseProxy::AllFilter ^ (64 << b.group));
        else
            engine_.addRigidBody(body);
        if (!is_disc) return;
        disc_ = common_; // touches nothing by itself; its one contact point is written by hand
        rim_ = dispatcher_.getNewManifold(body, ground_[1].get());
    }

    void add_joint(const WorldJoint &j) {
        btRigidBody &a = j.a == WORLD_GROUND ? *ground_[0] : *bodies_[static_cast<size_t>(j.a)];
        btRigidBody &b = *bodies_[static_cast<size_t>(j.b)];
        const btTransform to_a = a.getWorldTransform().inverse(), to_b = b.getWorldTransform().inverse();
        const btTransform frame = make_frame(j.at, j.axis);
        const bool limited = j.lower > -BT_LARGE_FLOAT || j.upper < BT_LARGE_FLOAT;
        btTypedConstraint *joint = nullptr;
        if (j.kind == WORLD_REVOLUTE) {
            auto *hinge = new btHingeConstraint(a, b, to_a * frame, to_b * frame, true);
            if (limited) hinge->setLimit(j.lower, j.upper);
            joint = hinge;
        } else if (j.kind == WORLD_PRISMATIC) {
            const btTransform x_to_z(btQuaternion(btVector3(0, 1, 0), -SIMD_HALF_PI)); // it slides along x
            auto *slide = new btSliderConstraint(a, b, to_a * frame * x_to_z, to_b * frame * x_to_z, true);
            slide->setLowerAngLimit(0);
            slide->setUpperAngLimit(0);
            if (limited) slide->setLowerLinLimit(btMax(j.lower, -1e3));
            if (limited) slide->setUpperLinLimit(btMin(j.upper, 1e3));
            joint = slide;
        } else if (j.kind == WORLD_SPHERICAL)
            joint = new btPoint2PointConstraint(a, b, to_a * to_bullet(j.at), to_b * to_bullet(j.at));
        else
            joint = new btFixedConstraint(a, b, to_a * frame, to_b * frame);
        joints_.emplace_back(joint);
        engine_.addConstraint(joint, true);
    }

    void drive(const WorldMotor &m, double time) {
        const double speed = world_motor_speed(&m, time);
        btTypedConstraint *joint = joints_[static_cast<size_t>(m.joint)].get();
        if (world_.joint[m.joint].kind == WORLD_REVOLUTE) {
            static_cast<btHingeConstraint *>(joint)->enableAngularMotor(true, speed, m.effort * world_.info->dt);
        } else {
            auto *slide = static_cast<btSliderConstraint *>(joint);
            slide->setPoweredLinMotor(true);
            slide->setMaxLinMotorForce(m.effort);
            slide->setTargetLinMotorVelocity(speed);
        }
    }

    void touch_rim() {
        btRigidBody *body = bodies_[static_cast<size_t>(disc_->body)].get();
        const WorldFrame disc = from_bullet(body->getWorldTransform() * to_bullet(disc_->place));
        const btVector3 low = to_bullet(world_lowest_rim(&disc, disc_->radius)), below(low.x(), low.y(), 0);
        btManifoldPoint point(body->getWorldTransform().invXform(low), below, btVector3(0, 0, 1), low.z());
        point.m_positionWorldOnA = low;
        point.m_positionWorldOnB = below;
        point.m_combinedFriction = world_.mu;
        if (rim_->getNumContacts() == 0) {
            rim_->addManifoldPoint(point);
        } else {
            point.m_appliedImpulse = rim_->getContactPoint(0).m_appliedImpulse; // warm start
            rim_->replaceContactPoint(point, 0);
        }
    }

    const World &world_;
    const Setting &setting_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld engine_{&dispatcher_, &broadphase_, &solver_, &configuration_};
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> ground_, bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> joints_;
    int next_shape_ = 0; // of the world, that no body has yet
    const WorldShape *common_ = nullptr, *disc_ = nullptr;
    btCollisionShape *common_shape_ = nullptr;
    btPersistentManifold *rim_ = nullptr;
};

} // namespace

int main(int argc, char **argv) {
    char name[32];
    std::snprintf(name, sizeof name, "Bullet %d.%d", btGetVersion() / 100, btGetVersion() % 100);
    return peer::run<Bullet>(argc, argv, name, settings);
}
