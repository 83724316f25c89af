/* tanh.c: friction as a smooth function of the slip [Song 2000, Eq. 38]:
 *     force on b: -mu f_N tanh(|v|/gamma) v/|v|                                                                  (9.8)
 * It cannot stick: under a load below mu f_N it creeps with gamma atanh(f/(mu f_N)). */
#include "laws/compliance.h"

const BrLawInfo bri_law_tanh = {
    .name = "tanh",
    .kind = BR_LAW_FRICTION,
    .reference = "Song, Kraus, Kumar, Dupont 2000",
    .help = "dry friction smoothed over slow slips; creeps where it should stick",
    .compliant = true,
    .parameters = 2,
    .parameter = {[BRI_TANH_MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                  [BRI_TANH_GAMMA] = {"gamma", "m/s", 1e-3, 1e-12, 1e6, NULL, "slip over which friction builds up"}}};

BriFrictionAnswer bri_tanh_answer(const BrLaw *law, double normal, BrVec3 v) {
    double speed = bri_norm(v), gamma = law->value[BRI_TANH_GAMMA], most = law->value[BRI_TANH_MU] * normal;
    double slope = speed > 1e-8 * gamma ? bri_tanh(speed / gamma) / speed : 1 / gamma;
    return (BriFrictionAnswer){
        .force = bri_scale(-most * slope, v), .loss = most * slope * speed * speed, .slides = speed > gamma};
}
