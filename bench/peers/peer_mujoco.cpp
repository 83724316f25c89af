// MuJoCo on the benchmark worlds, written as MJCF: joints make trees of bodies, what closes a loop is an equality.
// "default" is MuJoCo as it comes: Newton, pyramidal cone, contacts that yield with a time constant of 20 ms.
// "elliptic, stiff" has the elliptic cone, friction 10 times as stiff as the normal direction, and the shortest time
// constant that MuJoCo advises, two steps. MuJoCo has no motor that holds a speed whatever load it has; its motors here
// are servos that follow the integral of the speed, as stiff as a millisecond allows, with bounded effort, integrated
// implicitly, as MuJoCo advises for them.
// Compiled twice: with Debian's library, and with the newer one of the Python package where that is installed.
#include "peer.h"

#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <memory>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

namespace {

struct Setting {
    const char *name, *option;
    bool stiff;
    // Thousands of balls take it minutes, of which only the fall would be seen; its older version takes gigabytes, and
    // seconds for a step, from two hundred bodies on.
    bool fits(const World &world) const { return world.bodies < (mjVERSION_HEADER < 300 ? 200 : 2000); }
};
constexpr Setting settings[] = {{"default", "", false},
                                {"elliptic, stiff", "cone='elliptic' impratio='10' tolerance='1e-12'", true}};

constexpr double FULL_EFFORT_AT = 2e-4, SERVO_TIME = 5e-3; // rad or m off the target; s, of its damping

__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

std::string to_text(const WorldVec &v) { return format("%.17g %.17g %.17g", v.x, v.y, v.z); }

std::string write_place(const WorldFrame &f) {
    mjtNum q[4], R[9];
    for (int i = 0; i < 9; i++) R[i] = f.turn[i / 3][i % 3];
    mju_mat2Quat(q, R);
    return format("pos='%s' quat='%.17g %.17g %.17g %.17g'", to_text(f.at).c_str(), q[0], q[1], q[2], q[3]);
}

// Of a direction or a point: into the frame's axes.
WorldVec turn_into(const WorldFrame &f, const WorldVec &v) {
    const auto &A = f.turn;
    return {A[0][0] * v.x + A[1][0] * v.y + A[2][0] * v.z, A[0][1] * v.x + A[1][1] * v.y + A[2][1] * v.z,
            A[0][2] * v.x + A[1][2] * v.y + A[2][2] * v.z};
}

WorldVec point_into(const WorldFrame &f, const WorldVec &p) {
    return turn_into(f, {p.x - f.at.x, p.y - f.at.y, p.z - f.at.z});
}

WorldFrame frame_into(const WorldFrame &outer, const WorldFrame &inner) {
    WorldFrame f;
    f.at = point_into(outer, inner.at);
    for (int k = 0; k < 3; k++) {
        const WorldVec column = turn_into(outer, {inner.turn[0][k], inner.turn[1][k], inner.turn[2][k]});
        f.turn[0][k] = column.x, f.turn[1][k] = column.y, f.turn[2][k] = column.z;
    }
    return f;
}

constexpr WorldFrame origin = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// The world as a tree: for each body the joint that it hangs on, and for each joint whether it closes a loop.
class Tree {
  public:
    explicit Tree(const World &world) : world_(world), parent_joint(bodies(), -1), closes(joints(), true) {
        std::vector<bool> reached(bodies(), false);
        std::vector<int> ends{WORLD_GROUND};
        for (size_t next = 0; next < ends.size(); next++) // the nearest to the ground first
            for (int k = 0; k < world.joints; k++) {
                const WorldJoint &j = world.joint[k];
                const int other = j.a == ends[next] ? j.b : j.b == ends[next] ? j.a : WORLD_GROUND;
                if (other == WORLD_GROUND || reached[static_cast<size_t>(other)]) continue;
                reached[static_cast<size_t>(other)] = true;
                parent_joint[static_cast<size_t>(other)] = k;
                closes[static_cast<size_t>(k)] = false;
                ends.push_back(other);
            }
    }

    int parent(int body) const {
        const int joint = parent_joint[static_cast<size_t>(body)];
        if (joint < 0) return WORLD_GROUND;
        return world_.joint[joint].a == body ? world_.joint[joint].b : world_.joint[joint].a;
    }

  private:
    const World &world_;
    size_t bodies() const { return static_cast<size_t>(world_.bodies); }
    size_t joints() const { return static_cast<size_t>(world_.joints); }

  public:
    std::vector<int> parent_joint;
    std::vector<bool> closes;
};

class Writer {
  public:
    Writer(const World &world, const Setting &setting) : world_(world), setting_(setting), tree_(world) {
        for (int i = 0; i < world.shapes; i++) shapes_of(world.shape[i].body).push_back(&world.shape[i]);
        for (int i = 0; i < world.bodies; i++) children_of(tree_.parent(i)).push_back(i);
    }

    std::string write() {
        const double softness = 2 * world_.info->dt;
        const std::string stiff =
            setting_.stiff ? format("solref='%g 1' solimp='0.99 0.99 0.001'", softness) : std::string();
        std::string text = format("<mujoco><compiler angle='radian'/>%s<option timestep='%g' gravity='0 0 %g' %s %s/>",
                                  write_size().c_str(), world_.info->dt, -WORLD_GRAVITY, setting_.option,
                                  world_.motors ? implicit() : "");
        text += format("<default><geom condim='3' friction='%g 0 0' %s/><equality %s/><joint %s/></default><worldbody>",
                       world_.mu, stiff.c_str(), stiff.c_str(), write_limit_softness().c_str());
        for (const WorldShape *shape : shapes_of(WORLD_GROUND)) text += write_shape(*shape);
        for (int body : children_of(WORLD_GROUND)) text += write_body(body);
        return text + "</worldbody>" + write_contact() + write_equalities() + write_motors() + "</mujoco>";
    }

  private:
    static const char *implicit() {
        return mjVERSION_HEADER < 300 ? "integrator='implicit'" : "integrator='implicitfast'";
    }

    std::string write_limit_softness() const {
        return setting_.stiff ? format("solreflimit='%g 1' solimplimit='0.99 0.99 0.001'", 2 * world_.info->dt) : "";
    }

    std::string write_size() const {
        if (mjVERSION_HEADER >= 300) return "<size memory='800M'/>";
        const int contacts = 200 + 12 * world_.bodies;
        return format("<size nconmax='%d' njmax='%d'/>", contacts, 4 * contacts + 400);
    }

    std::vector<const WorldShape *> &shapes_of(int body) {
        if (shapes_.empty()) shapes_.resize(static_cast<size_t>(world_.bodies) + 1);
        return shapes_[static_cast<size_t>(body + 1)];
    }
    std::vector<int> &children_of(int body) {
        if (children_.empty()) children_.resize(static_cast<size_t>(world_.bodies) + 1);
        return children_[static_cast<size_t>(body + 1)];
    }

    std::string write_shape(const WorldShape &s) const {
        const std::string place = write_place(s.place);
        const int group = s.body == WORLD_GROUND ? 0 : world_.body[s.body].group;
        std::string kind;
        if (s.kind == WORLD_PLANE) kind = "type='plane' size='50 50 1'";
        if (s.kind == WORLD_BOX)
            kind = format("type='box' size='%.17g %.17g %.17g'", s.size.x / 2, s.size.y / 2, s.size.z / 2);
        if (s.kind == WORLD_SPHERE) kind = format("type='sphere' size='%.17g'", s.radius);
        if (s.kind == WORLD_CAPSULE) kind = format("type='capsule' size='%.17g %.17g'", s.radius, s.length / 2);
        if (s.kind == WORLD_DISC) kind = format("type='cylinder' size='%.17g 0.001'", s.radius); // see touch_rim()
        return format("<geom %s %s contype='%d' conaffinity='1'/>", kind.c_str(), place.c_str(), 1 << group);
    }

    std::string write_joint(int number, int body) const {
        const WorldJoint &j = world_.joint[number];
        const WorldFrame &frame = world_.body[body].start;
        const double sign = j.b == body ? 1 : -1; // MuJoCo measures the child against its parent
        WorldVec axis = turn_into(frame, j.axis);
        axis = {sign * axis.x, sign * axis.y, sign * axis.z};
        std::string limits;
        if (std::isfinite(j.lower) || std::isfinite(j.upper))
            limits = format("limited='true' range='%.17g %.17g'", std::fmax(j.lower, -1e3), std::fmin(j.upper, 1e3));
        if (j.kind == WORLD_FIXED) return "";
        if (j.kind == WORLD_SPHERICAL)
            return format("<joint name='j%d' type='ball' pos='%s'/>", number, to_text(point_into(frame, j.at)).c_str());
        return format("<joint name='j%d' type='%s' pos='%s' axis='%s' %s/>", number,
                      j.kind == WORLD_REVOLUTE ? "hinge" : "slide", to_text(point_into(frame, j.at)).c_str(),
                      to_text(axis).c_str(), limits.c_str());
    }

    std::string write_body(int number) {
        const WorldBody &b = world_.body[number];
        const int parent = tree_.parent(number), joint = tree_.parent_joint[static_cast<size_t>(number)];
        const WorldFrame place = frame_into(parent == WORLD_GROUND ? origin : world_.body[parent].start, b.start);
        std::string text = format("<body name='b%d' %s>", number, write_place(place).c_str());
        text += joint < 0 ? format("<freejoint name='f%d'/>", number) : write_joint(joint, number);
        text += format("<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", b.mass, b.inertia[0],
                       b.inertia[1], b.inertia[2]);
        for (const WorldShape *shape : shapes_of(number)) text += write_shape(*shape);
        for (int child : children_of(number)) text += write_body(child);
        return text + "</body>";
    }

    static std::string name_of(int body) { return body == WORLD_GROUND ? "world" : format("b%d", body); }

    std::string write_contact() const {
        std::string text = "<contact>";
        for (int i = 0; i < world_.joints; i++)
            text += format("<exclude body1='%s' body2='%s'/>", name_of(world_.joint[i].a).c_str(),
                           name_of(world_.joint[i].b).c_str());
        return text + "</contact>";
    }

    std::string write_equalities() const {
        std::string text = "<equality>";
        for (int i = 0; i < world_.joints; i++)
            if (tree_.closes[static_cast<size_t>(i)]) {
                const WorldJoint &j = world_.joint[i];
                const WorldVec anchor = point_into(world_.body[j.b].start, j.at);
                text += format("<connect body1='%s' body2='%s' anchor='%s'/>", name_of(j.b).c_str(),
                               name_of(j.a).c_str(), to_text(anchor).c_str());
            }
        return text + "</equality>";
    }

    std::string write_motors() const {
        std::string text = "<actuator>";
        for (int i = 0; i < world_.motors; i++) {
            const WorldMotor &m = world_.motor[i];
            const double stiffness = m.effort / FULL_EFFORT_AT, damping = stiffness * SERVO_TIME;
            text += format("<general joint='j%d' biastype='affine' gainprm='%g' biasprm='0 %g %g' forcelimited='true' "
                           "forcerange='%g %g'/>",
                           m.joint, stiffness, -stiffness, -damping, -m.effort, m.effort);
        }
        return text + "</actuator>";
    }

    const World &world_;
    const Setting &setting_;
    Tree tree_;
    std::vector<std::vector<const WorldShape *>> shapes_; // by body, the ground first
    std::vector<std::vector<int>> children_;
};

// The wheel is a thin cylinder to MuJoCo; instead of its edges, the lowest point of the rim touches the plane.
template <class Contact> int touch_rim(const mjModel *model, const mjData *data, Contact *touch, int wheel) {
    const mjtNum *c = data->geom_xpos + 3 * wheel, *R = data->geom_xmat + 9 * wheel;
    WorldFrame disc{{c[0], c[1], c[2]}, {}};
    for (int i = 0; i < 9; i++) disc.turn[i / 3][i % 3] = R[i];
    const WorldVec low = world_lowest_rim(&disc, model->geom_size[3 * wheel]);
    touch->dist = low.z;
    touch->pos[0] = low.x, touch->pos[1] = low.y, touch->pos[2] = low.z / 2; // halfway, as MuJoCo has it
    return low.z <= 0;
}

#if mjVERSION_HEADER < 300
int touch_with_rim(const mjModel *model, const mjData *data, mjContact *touch, int, int wheel, mjtNum) {
    const mjtNum frame[9] = {0, 0, 1, 0, 0, 0, 0, 0, 0}; // the normal; MuJoCo makes the tangents
    mju_copy(touch->frame, frame, 9);
    return touch_rim(model, data, touch, wheel);
}
#else
int touch_with_rim(const mjModel *model, mjData *data, mjPreContact *touch, int, int wheel, mjtNum) {
    const mjtNum up[3] = {0, 0, 1}, none[3] = {0, 0, 0};
    mju_copy3(touch->normal, up);
    mju_copy3(touch->tangent, none); // MuJoCo makes the tangents
    return touch_rim(model, data, touch, wheel);
}
#endif

mjModel *load(const std::string &text) {
    const auto files = std::make_unique<mjVFS>(); // MuJoCo reads from files only; this one is in memory
    char error[1000] = "";
    mj_defaultVFS(files.get());
#if mjVERSION_HEADER < 300
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
#else
    mj_addBufferVFS(files.get(), "model.xml", text.data(), static_cast<int>(text.size()));
#endif
    mjModel *model = mj_loadXML("model.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model) return model;
    std::fprintf(stderr, "mujoco: %s\n", error);
    std::exit(1);
}

class Mujoco {
  public:
    Mujoco(const World &world, const Setting &setting) : world_(world), model_(load(Writer(world, setting).write())) {
        data_ = mj_makeData(model_);
        for (int i = 0; i < world.bodies; i++) {
            body_.push_back(mj_name2id(model_, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
            const int joint = mj_name2id(model_, mjOBJ_JOINT, ("f" + std::to_string(i)).c_str());
            if (joint < 0) continue;
            const WorldBody &b = world.body[i];
            const WorldVec spin = turn_into(b.start, b.spin);
            const mjtNum v[6] = {b.velocity.x, b.velocity.y, b.velocity.z, spin.x, spin.y, spin.z};
            mju_copy(data_->qvel + model_->jnt_dofadr[joint], v, 6);
        }
    }
    ~Mujoco() {
        mj_deleteData(data_);
        mj_deleteModel(model_);
    }
    Mujoco(const Mujoco &) = delete;
    Mujoco &operator=(const Mujoco &) = delete;

    // MuJoCo begins anew, from the start, when its numbers have become too large; that is a failure here.
    bool step(double time) {
        for (int i = 0; i < world_.motors; i++) {
            const double speed = world_motor_speed(&world_.motor[i], time);
            target_[static_cast<size_t>(i)] += world_.info->dt * speed;
            data_->ctrl[i] = target_[static_cast<size_t>(i)] + SERVO_TIME * speed;
        }
        mj_step(model_, data_);
        return !data_->warning[mjWARN_BADQPOS].number && !data_->warning[mjWARN_BADQVEL].number &&
               !data_->warning[mjWARN_BADQACC].number;
    }

    void poses(WorldFrame *frames) {
        mj_kinematics(model_, data_); // a step leaves the bodies where they were before it
        for (int id : body_) {
            const mjtNum *x = data_->xpos + 3 * id, *R = data_->xmat + 9 * id;
            frames->at = {x[0], x[1], x[2]};
            for (int k = 0; k < 9; k++) frames->turn[k / 3][k % 3] = R[k];
            frames++;
        }
    }

    int contacts() const { return data_->ncon; }

  private:
    const World &world_;
    mjModel *model_;
    mjData *data_;
    std::vector<int> body_;
    std::vector<double> target_ = std::vector<double>(static_cast<size_t>(world_.motors)); // of the motors' joints
};

} // namespace

int main(int argc, char **argv) {
    mjCOLLISIONFUNC[mjGEOM_PLANE][mjGEOM_CYLINDER] = touch_with_rim;
    const std::string name = std::string("MuJoCo ") + mj_versionString();
    return peer::run<Mujoco>(argc, argv, name.c_str(), settings);
}
