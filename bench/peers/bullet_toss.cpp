// Measures Bullet (double precision) on the tosses of a cube (toss_scene.h) and prints one JSON line per setting.
//   g++ -std=c++17 -O2 bullet_toss.cpp -o bullet_toss $(pkg-config --cflags --libs bullet-float64)
//   BRISTLE_DATA=... ./bullet_toss
// "default" is the sequential impulse solver as it comes; "two_directions" adds the second friction direction and takes
// 50 iterations. Restitution is Bullet's own, above its threshold of 0.2 m/s.
#include "toss_scene.h"

#include <btBulletDynamicsCommon.h>

#ifndef BT_USE_DOUBLE_PRECISION
#error "build with pkg-config bullet-float64"
#endif

namespace {

class BulletToss {
  public:
    BulletToss(const toss::Toss &toss, bool two_directions)
        : world_(&dispatcher_, &broadphase_, &solver_, &configuration_), ground_(describe_ground()),
          cube_(describe_cube(toss)) {
        world_.setGravity(btVector3(0, 0, -toss::gravity));
        if (two_directions) {
            world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
            world_.getSolverInfo().m_numIterations = 50;
        }
        const auto &v = toss.velocity, &w = toss.spin;
        cube_.setLinearVelocity(btVector3(v[0], v[1], v[2]));
        cube_.setAngularVelocity(cube_.getWorldTransform().getBasis() * btVector3(w[0], w[1], w[2]));
        cube_.setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(&ground_);
        world_.addRigidBody(&cube_);
    }
    ~BulletToss() {
        world_.removeRigidBody(&cube_);
        world_.removeRigidBody(&ground_);
    }

    void step() { world_.stepSimulation(toss::dt, 0); }

    toss::Pose pose() const {
        const btVector3 &p = cube_.getWorldTransform().getOrigin();
        const btQuaternion q = cube_.getWorldTransform().getRotation();
        return {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}};
    }

  private:
    using Description = btRigidBody::btRigidBodyConstructionInfo;

    // Bullet multiplies the coefficients of the two bodies: the ground has 1.
    Description describe_ground() {
        Description info(0, nullptr, &plane_);
        info.m_friction = 1;
        info.m_restitution = 1;
        return info;
    }

    Description describe_cube(const toss::Toss &toss) {
        const auto &p = toss.start.position;
        const auto &q = toss.start.turn;
        Description info(toss::mass, nullptr, &box_, btVector3(toss::inertia, toss::inertia, toss::inertia));
        info.m_startWorldTransform = btTransform(btQuaternion(q[1], q[2], q[3], q[0]), btVector3(p[0], p[1], p[2]));
        info.m_friction = toss::mu;
        info.m_restitution = toss::restitution;
        return info;
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
    btBoxShape box_{btVector3(toss::half_width, toss::half_width, toss::half_width)};
    btRigidBody ground_, cube_;
};

} // namespace

int main() {
    const std::vector<toss::Toss> tosses = toss::read_all();
    if (tosses.empty()) return 0;
    toss::report<BulletToss>(tosses, "bullet", "default", false);
    toss::report<BulletToss>(tosses, "bullet", "two_directions", true);
}
