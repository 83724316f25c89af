// Measures Bullet (double precision) on the contact scenes (contact_scenes.h) and prints one JSON line per scene and
// setting.
//   g++ -std=c++17 -O2 bullet_contact.cpp -o bullet_contact $(pkg-config --cflags --libs bullet-float64)
//   ./bullet_contact [scene]
// "default" is the sequential impulse solver as it comes: 10 iterations, one friction direction, along the slip.
// "two_directions" adds the second and takes 50 iterations: firmer at rest, but what slides along one is held along the
// other.
#include "contact_scenes.h"

#include <btBulletDynamicsCommon.h>
#include <memory>

#ifndef BT_USE_DOUBLE_PRECISION
#error "build with pkg-config bullet-float64"
#endif

namespace {

using contact::Scene, contact::Vec;

Vec vec(const btVector3 &v) { return {v.x(), v.y(), v.z()}; }
btVector3 bullet(const Vec &v) { return btVector3(v.x, v.y, v.z); }

class BulletContact {
  public:
    BulletContact(Scene scene, bool two_directions) : world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        world_.setGravity(btVector3(0, 0, -contact::gravity));
        if (two_directions) {
            world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
            world_.getSolverInfo().m_numIterations = 50;
        }
        if (scene == Scene::wheel) make_wheel();
        if (scene == Scene::slope) make_slope();
        if (scene == Scene::ball) make_ball();
    }
    ~BulletContact() {
        if (rim_) dispatcher_.releaseManifold(rim_);
        world_.removeRigidBody(body_.get());
        world_.removeRigidBody(ground_.get());
    }

    void step() {
        if (rim_) touch_rim();
        world_.stepSimulation(contact::dt, 0);
    }

    Vec position() const { return vec(body_->getWorldTransform().getOrigin()); }
    Vec velocity() const { return vec(body_->getLinearVelocity()); }
    Vec spin() const { return vec(body_->getAngularVelocity()); }
    Vec axle() const { return vec(body_->getWorldTransform().getBasis().getColumn(1)); }

  private:
    // Bullet multiplies the coefficients of the two bodies: the ground has 1.
    void add_ground(const Vec &normal) {
        plane_ = std::make_unique<btStaticPlaneShape>(bullet(normal), 0);
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, plane_.get());
        info.m_friction = 1;
        ground_ = std::make_unique<btRigidBody>(info);
        world_.addRigidBody(ground_.get());
    }

    void add_body(double mass, const btVector3 &inertia, double mu, const Vec &start, const btQuaternion &turn) {
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape_.get(), inertia);
        info.m_startWorldTransform = btTransform(turn, bullet(start));
        info.m_friction = mu;
        body_ = std::make_unique<btRigidBody>(info);
        body_->setActivationState(DISABLE_DEACTIVATION);
    }

    // The wheel's shape collides with nothing; its one contact point is written by hand.
    void make_wheel() {
        using namespace contact::wheel;
        add_ground({0, 0, 1});
        shape_ = std::make_unique<btSphereShape>(radius);
        add_body(mass, btVector3(inertia, axial_inertia, inertia), mu, start, btQuaternion(btVector3(1, 0, 0), lean));
        body_->setLinearVelocity(btVector3(speed, 0, 0));
        body_->setAngularVelocity(btVector3(0, 0, turn));
        world_.addRigidBody(body_.get(), 0, 0);
        rim_ = dispatcher_.getNewManifold(body_.get(), ground_.get());
    }

    void make_slope() {
        using namespace contact::slope;
        add_ground(normal);
        shape_ = std::make_unique<btBoxShape>(btVector3(edge / 2, edge / 2, edge / 2));
        const double inertia = mass * edge * edge / 6;
        const btQuaternion turn(btVector3(0, 1, 0), angle);
        add_body(mass, btVector3(inertia, inertia, inertia), mu, start, turn);
        world_.addRigidBody(body_.get());
    }

    void make_ball() {
        using namespace contact::ball;
        add_ground({0, 0, 1});
        shape_ = std::make_unique<btSphereShape>(radius);
        add_body(mass, btVector3(inertia, inertia, inertia), mu, start, btQuaternion::getIdentity());
        body_->setLinearVelocity(btVector3(speed, 0, 0));
        world_.addRigidBody(body_.get());
    }

    void touch_rim() {
        const btVector3 low = bullet(contact::wheel::lowest_point(position(), axle()));
        const btVector3 below(low.x(), low.y(), 0);
        btManifoldPoint point(body_->getWorldTransform().invXform(low), below, btVector3(0, 0, 1), low.z());
        point.m_positionWorldOnA = low;
        point.m_positionWorldOnB = below;
        point.m_combinedFriction = contact::wheel::mu;
        if (rim_->getNumContacts() == 0) {
            rim_->addManifoldPoint(point);
        } else {
            point.m_appliedImpulse = rim_->getContactPoint(0).m_appliedImpulse; // warm start
            rim_->replaceContactPoint(point, 0);
        }
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::unique_ptr<btCollisionShape> plane_, shape_;
    std::unique_ptr<btRigidBody> ground_, body_;
    btPersistentManifold *rim_ = nullptr;
};

} // namespace

int main(int argc, char **argv) {
    const char *scene = argc > 1 ? argv[1] : nullptr;
    contact::report<BulletContact>("bullet", "default", scene, false);
    contact::report<BulletContact>("bullet", "two_directions", scene, true);
}
