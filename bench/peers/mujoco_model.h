// What the MuJoCo drivers share: a model from MJCF text, and its data.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mujoco/mujoco.h>
#include <string>

namespace mujoco {

__attribute__((format(printf, 1, 2))) inline std::string format(const char *pattern, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

struct Engine {
    mjModel *model;
    mjData *data;

    explicit Engine(const std::string &mjcf) {
        const auto files = std::make_unique<mjVFS>(); // MuJoCo reads from files only; this one is in memory
        mj_defaultVFS(files.get());
        mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(mjcf.size()));
        std::memcpy(files->filedata[0], mjcf.data(), mjcf.size());
        char error[1000] = "";
        model = mj_loadXML("model.xml", files.get(), error, sizeof error);
        mj_deleteVFS(files.get());
        if (!model) {
            std::fprintf(stderr, "mujoco: %s\n", error);
            std::exit(1);
        }
        data = mj_makeData(model);
    }
    ~Engine() {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    void step() { mj_step(model, data); }
};

} // namespace mujoco
