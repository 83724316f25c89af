/* wall.h: curved walls: surfaces g(x) = 0 with g < 0 in what is solid, hollow or not.
 *
 *     bowl        the inside of an ellipsoid
 *     torus       a ring; groove: the inside of one, a race for balls
 *     quadric     xx x^2 + yy y^2 + zz z^2 + xy x y + xz x z + yz y z + x x + y y + z z + c = 0
 *     extrusion   a closed profile in x, y along z: a cam
 *     revolution  a profile in r, z about z: a dish, a vase, a crowned roller
 *     function    a user's g with its derivatives
 *
 * Others touch them with what has one nearest point: points, balls, ellipsoids. */
#ifndef BRI_WALL_H
#define BRI_WALL_H

#include "geom/convex.h"

/* The place of a wall that is nearest to a point; all in the wall's own axes. */
typedef struct BriWallPlace {
    BrVec3 foot;     /* m */
    BrVec3 normal;   /* unit, out of the solid */
    BrMat3 bend;     /* 1/m: dn/dx in the tangent plane, symmetric; positive where the solid is convex */
    double distance; /* m, of the point: positive outside the solid */
} BriWallPlace;

static inline bool bri_is_wall(BrShapeKind kind) { return kind >= BR_SHAPE_BOWL && kind < BR_SHAPE_KINDS; }
/* Has it one point only that can be nearest to a wall: a point, a sphere, an ellipsoid? */
static inline bool bri_is_round(BrShapeKind kind) {
    return kind == BR_SHAPE_POINT || kind == BR_SHAPE_SPHERE || kind == BR_SHAPE_ELLIPSOID;
}
/* Can it be projected onto: walls, planes, spheres, ellipsoids, the sides of cylinders and tubes? */
bool bri_is_smooth(BrShapeKind kind);

/* Of what is smooth. false: there is none (beyond the ends of a wall, or where its gradient vanishes). */
bool bri_wall_project(const BriShape *wall, BrVec3 p, BriWallPlace *place);

/* Where a wall and a body meet whose core is a point or an ellipsoid; world axes, the normal from the wall to the body. */
typedef struct BriMeeting {
    BrVec3 wall_point, body_point; /* m */
    BrVec3 normal;                 /* unit */
    double gap;                    /* m */
    BrMat3 bend;                   /* 1/m: of the wall there, world */
} BriMeeting;

/* false: nowhere. */
bool bri_wall_meet(const BriShape *wall, const BriFrame *frame, const BriConvex *body, BriMeeting *meeting);

/* How what carries a surface moves: velocity v of its point at r, and spin w; world. */
typedef struct BriCarrier {
    BrVec3 r, v, w;
} BriCarrier;

typedef struct BriMeetingRates {
    BrVec3 normal;                 /* 1/s */
    BrVec3 wall_point, body_point; /* m/s: of the places, which travel over their surfaces */
} BriMeetingRates;

/* (11.3) */
BriMeetingRates bri_meeting_rates(const BriMeeting *at, const BriConvex *body, const BriCarrier *wall,
                                  const BriCarrier *carrier);

/* Do they bend alike, so that no place is their only one: a ball in a bowl of its own radius? */
bool bri_fit_each_other(const BriMeeting *at, const BriConvex *body);

#endif
