// One body on a plane, as the drivers of bristle itself need it.
#pragma once
#include "bristle/bristle.h"

#include <cstdio>
#include <cstdlib>

class BristleBody {
  public:
    BristleBody(BrBodyDef body, BrShapeDef shape, BrVec3 normal, double mu, double restitution, BrScheme scheme,
                double dt) {
        BrModelDef model = br_default_model_def();
        check(br_model_create(&model, &model_, &error_));
        BrBodyDef ground = br_default_body_def();
        ground.name = "ground";
        ground.kind = BR_BODY_FIXED;
        BrBodyId ground_id;
        body.name = "body";
        check(br_model_add_body(model_, &ground, &ground_id, &error_));
        check(br_model_add_body(model_, &body, &body_, &error_));

        BrMaterialDef material = br_default_material_def();
        BrMaterialId material_id;
        material.name = "material";
        br_law_set(&material.surface.friction, "mu", mu);
        br_law_set(&material.surface.normal, "restitution", restitution);
        check(br_model_add_material(model_, &material, &material_id, &error_));

        BrShapeDef plane = br_default_shape_def();
        BrShapeId unused;
        plane.kind = BR_SHAPE_PLANE;
        plane.body = ground_id;
        plane.rotation_body = frame_of(normal);
        shape.body = body_;
        plane.material = shape.material = material_id;
        check(br_model_add_shape(model_, &plane, &unused, &error_));
        check(br_model_add_shape(model_, &shape, &unused, &error_));
        check(br_model_build(model_, &error_));
        check(br_state_create(model_, &state_, &error_));
        check(br_workspace_create(model_, &workspace_, &error_));
        step_ = br_default_step_def();
        step_.scheme = scheme;
        step_.dt = dt;
    }
    BristleBody(const BristleBody &) = delete;
    ~BristleBody() {
        br_workspace_destroy(model_, workspace_);
        br_state_destroy(model_, state_);
        br_model_destroy(model_);
    }

    void step() { check(br_step(model_, workspace_, state_, &step_, nullptr, &error_)); }

    BrPose pose() const {
        BrPose pose;
        br_body_pose(model_, state_, body_, &pose);
        return pose;
    }
    BrTwist twist() const {
        BrTwist twist;
        br_body_twist(model_, state_, body_, &twist);
        return twist;
    }

  private:
    void check(BrStatus status) const {
        if (status >= 0) return;
        std::fprintf(stderr, "bristle: %s\n", error_.text);
        std::exit(1);
    }

    // z along the normal, which lies in the plane of x and z.
    static BrMat3 frame_of(BrVec3 n) { return {{{n.z, 0, n.x}, {0, 1, 0}, {-n.x, 0, n.z}}}; }

    BrError error_{};
    BrModel *model_ = nullptr;
    BrState *state_ = nullptr;
    BrWorkspace *workspace_ = nullptr;
    BrBodyId body_{};
    BrStepDef step_{};
};
