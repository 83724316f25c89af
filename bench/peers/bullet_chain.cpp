// Measures Bullet (double precision) on the chain scene (chain_scene.h) and prints one JSON line per setting.
//   g++ -std=c++17 -O2 bullet_chain.cpp -o bullet_chain $(pkg-config --cflags --libs bullet-float64)
//   ./bullet_chain [links = 100, even] [step in ms = 1]
#include "chain_scene.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>
#include <memory>

#ifndef BT_USE_DOUBLE_PRECISION
#error "build with pkg-config bullet-float64"
#endif

namespace {

const btVector3 gravity(0, 0, -chain::gravity), link_start(-chain::length / 2, 0, 0), link_end(chain::length / 2, 0, 0);
const btVector3 inertia(chain::axial_inertia, chain::transverse_inertia, chain::transverse_inertia);

btQuaternion turn_z(double angle) { return btQuaternion(btVector3(0, 0, 1), angle); }

// Velocity of the centre of mass in any frame, angular velocity in the body frame.
double link_energy(const btVector3 &velocity, const btVector3 &spin, double height) {
    const double kinetic = chain::mass * velocity.length2() + spin.dot(inertia * spin);
    return kinetic / 2 + chain::mass * chain::gravity * height;
}

// Collision parts every Bullet world needs; nothing collides here.
struct Collision {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
};

// Rigid bodies and point-to-point constraints under the sequential impulse solver.
class ImpulseChain {
  public:
    ImpulseChain(int count, int iterations)
        : world_(&collision_.dispatcher, &collision_.broadphase, &solver_, &collision_.configuration) {
        world_.setGravity(gravity);
        world_.getSolverInfo().m_numIterations = iterations;
        for (const chain::Link &link : chain::links(count)) add_body(link);
        add_joints();
    }
    ~ImpulseChain() {
        for (auto &joint : joints_) world_.removeConstraint(joint.get());
        for (auto &body : bodies_) world_.removeRigidBody(body.get());
    }

    void step(double dt) { world_.stepSimulation(dt, 0); }

    double energy() const {
        double sum = 0;
        for (const auto &body : bodies_) {
            const btTransform &pose = body->getWorldTransform();
            const btVector3 spin = body->getAngularVelocity() * pose.getBasis(); // transpose times vector
            sum += link_energy(body->getLinearVelocity(), spin, pose.getOrigin().z());
        }
        return sum;
    }

    double gap() const {
        double largest = 0;
        for (const auto &joint : joints_) {
            const btVector3 a = joint->getRigidBodyA().getWorldTransform() * joint->getPivotInA();
            const btVector3 b = joint->getRigidBodyB().getWorldTransform() * joint->getPivotInB();
            largest = std::max<double>(a.distance(b), largest);
        }
        return largest;
    }

  private:
    using Joint = btPoint2PointConstraint;

    void add_body(const chain::Link &link) {
        btRigidBody::btRigidBodyConstructionInfo info(chain::mass, nullptr, &shape_, inertia);
        info.m_startWorldTransform = btTransform(turn_z(link.angle), btVector3(link.x, link.y, 0));
        bodies_.push_back(std::make_unique<btRigidBody>(info));
        bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(bodies_.back().get(), 0, 0); // no collision group, no mask
    }

    void add_joints() {
        joints_.push_back(std::make_unique<Joint>(*bodies_.front(), link_start));
        for (size_t i = 1; i < bodies_.size(); i++)
            joints_.push_back(std::make_unique<Joint>(*bodies_[i - 1], *bodies_[i], link_end, link_start));
        joints_.push_back(std::make_unique<Joint>(*bodies_.back(), link_end));
        for (auto &joint : joints_) world_.addConstraint(joint.get());
    }

    Collision collision_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    btSphereShape shape_{chain::radius / 2}; // Bullet wants one; the inertia is given apart
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<Joint>> joints_;
};

// Featherstone: spherical joints in reduced coordinates from the origin on; the far end is a loop closing constraint,
// which is the only joint that can open.
class MultiBodyChain {
  public:
    MultiBodyChain(int count, bool global_velocities)
        : world_(&collision_.dispatcher, &collision_.broadphase, &solver_, &collision_.configuration),
          body_(count, 0, btVector3(0, 0, 0), true, false), far_anchor_(chain::span_per_link * count, 0, 0) {
        world_.setGravity(gravity);
        add_links(chain::links(count));
        remove_limits();
        body_.useGlobalVelocities(global_velocities);
        world_.addMultiBody(&body_);
        close_loop();
    }
    ~MultiBodyChain() {
        world_.removeMultiBodyConstraint(closure_.get());
        world_.removeCollisionObject(collider_.get());
        world_.removeMultiBody(&body_);
    }

    void step(double dt) { world_.stepSimulation(dt, 0); }

    double energy() const {
        const int count = body_.getNumLinks();
        std::vector<btVector3> spin(count + 1), velocity(count + 1); // in link frames; the base comes first
        body_.compTreeLinkVelocities(spin.data(), velocity.data());
        double sum = 0;
        for (int i = 0; i < count; i++) {
            const double height = body_.localPosToWorld(i, btVector3(0, 0, 0)).z();
            sum += link_energy(velocity[i + 1], spin[i + 1], height);
        }
        return sum;
    }

    double gap() const { return body_.localPosToWorld(body_.getNumLinks() - 1, link_end).distance(far_anchor_); }

  private:
    void add_links(const std::vector<chain::Link> &links) {
        double parent_angle = 0;
        for (int i = 0; i < static_cast<int>(links.size()); i++) {
            const btVector3 pivot_in_parent = i == 0 ? btVector3(0, 0, 0) : link_end;
            const btQuaternion parent_to_link = turn_z(parent_angle - links[i].angle);
            body_.setupSpherical(i, chain::mass, inertia, i - 1, parent_to_link, pivot_in_parent, -link_start, true);
            parent_angle = links[i].angle;
        }
        body_.finalizeMultiDof();
    }

    // Without a collider on the body, Bullet finds no island for the constraint and silently leaves it out.
    void close_loop() {
        const int last = body_.getNumLinks() - 1;
        collider_ = std::make_unique<btMultiBodyLinkCollider>(&body_, last);
        collider_->setCollisionShape(&shape_);
        collider_->setActivationState(DISABLE_DEACTIVATION);
        body_.getLink(last).m_collider = collider_.get();
        world_.addCollisionObject(collider_.get(), 0, 0); // no collision group, no mask
        btRigidBody *const ground = nullptr;
        closure_ = std::make_unique<btMultiBodyPoint2Point>(&body_, last, ground, link_end, far_anchor_);
        closure_->setMaxAppliedImpulse(1e6);
        world_.addMultiBodyConstraint(closure_.get());
    }

    // By default a multibody is damped and its joint speeds are clamped.
    void remove_limits() {
        body_.setLinearDamping(0);
        body_.setAngularDamping(0);
        body_.setMaxCoordinateVelocity(1e6);
        body_.setUseGyroTerm(true);
        body_.setCanSleep(false);
        body_.setHasSelfCollision(false);
    }

    Collision collision_;
    btMultiBodyConstraintSolver solver_;
    btMultiBodyDynamicsWorld world_;
    btMultiBody body_;
    btVector3 far_anchor_;
    btSphereShape shape_{chain::radius / 2};
    std::unique_ptr<btMultiBodyLinkCollider> collider_;
    std::unique_ptr<btMultiBodyPoint2Point> closure_;
};

} // namespace

int main(int argc, char **argv) {
    int count;
    double dt;
    if (!chain::parse(argc, argv, count, dt)) return 2;
    chain::report<ImpulseChain>("bullet", "default", count, dt, 10);
    chain::report<ImpulseChain>("bullet", "iterations200", count, dt, 200);
    chain::report<MultiBodyChain>("bullet", "multibody", count, dt, false); // Bullet's default; diverges at 1 ms
    chain::report<MultiBodyChain>("bullet", "multibody_global_velocities", count, dt, true);
}
