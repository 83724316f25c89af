"""Worlds for the lines that pages of docs/ show without the rest of their scene: where they stand, and what else is there.

A world is told by what the block begins with. "@" is where the block stands, as deep as "@" is."""

HEAD = """bristle: 1
step: {dt: 1 ms, until: 5 ms}
defaults: {bodies: {mass: 1, inertia: [1, 1, 1]}}
"""
MATERIALS = """materials:
  wood: {friction: {law: coulomb, mu: 0.3}, density: 700}
  tyre: {friction: {law: coulomb, mu: 0.3}}
"""
JOINTS = """bodies:
  ground: {fixed: true}
  anchor: {pose: {position: [0, 9, 0]}}
  belt: {contact: false}
  %s
joints:
  %s
"""


def machine(revolute=(), prismatic=(), others=()):
    """Bodies on hinges and slides of the ground, so that each of these joints has a body of its own."""
    bodies = [f"{name}_body: {{pose: {{position: [{i}, 0, 0]}}}}" for i, name in enumerate([*revolute, *prismatic])]
    bodies += [f"{name}: {{pose: {{position: [{-1 - i}, 0, 0]}}}}" for i, name in enumerate(others)]
    joints = [f"{name}: {{revolute: [ground, {name}_body], at: [{i}, 0, 0], axis: [0, 1, 0]}}" for i, name in enumerate(revolute)]
    joints += [f"{name}: {{prismatic: [ground, {name}_body], at: [{i}, 0, 0], axis: [0, 1, 0]}}" for i, name in enumerate(prismatic)]
    return HEAD + JOINTS % ("\n  ".join(bodies), "\n  ".join(joints or ["none: {fixed: [ground, anchor], at: [0, 9, 0]}"]))


WORLDS = {
    # docs/scenes/bodies.md
    "ground: {fixed: true}": HEAD + "bodies:\n  @",
    "frames: {mount: {parent: arm": HEAD + "@",
    "materials: {steel: {friction: {law: coulomb, mu: 0.3}, density": """bristle: 1
step: {dt: 1 ms, until: 5 ms}
include: wood.yaml
@""",
    "shapes:\n  - {box: {size: [0.4": HEAD + MATERIALS + "bodies:\n  thing:\n    @",
    # docs/scenes/contact.md
    "materials:\n  tyre:": HEAD + "@\nbodies: {thing: {shapes: [{sphere: {radius: 1}, material: brass}]}}\n",
    "materials:\n  rubber:": HEAD + """@
bodies:
  floor: {fixed: true, shapes: [{plane: {}, material: rubber}]}
  ball: {pose: {position: [0, 0, 0.1]}, shapes: [{sphere: {radius: 0.1}, material: rubber}]}
""",
    "filters: [{never": HEAD + MATERIALS + """bodies:
  ground: {fixed: true, shapes: [{plane: {}, material: wood}]}
  arm: {pose: {position: [0, 0, 1]}, shapes: [{sphere: {radius: 0.1}, material: wood}]}
  cart: {pose: {position: [1, 0, 1]}, shapes: [{sphere: {radius: 0.1}, material: wood}]}
joints: {hinge: {revolute: [ground, arm], at: [0, 0, 2], axis: [0, 1, 0]}}
@""",
    # docs/scenes/drives.md
    "s: {between: [ground, cart]": machine(["hinge"], [], ["cart"]) + "springs:\n  @",
    "rope: {between": machine([], [], ["hook", "load"]) + "springs:\n  @",
    "mount: {bushing": machine([], [], ["frame", "engine"]) + "springs:\n  @",
    "couplings:\n  gear:": machine(["wheel", "shaft", "pinion", "spindle", "motor", "fan", "left_finger", "right_finger"], ["bar"], ["r"]) +
        "  rod: {cylindrical: [ground, r], at: [-1, 0, 0], axis: [0, 1, 0]}\n@",
    "motors:\n  m:": machine(["hinge", "elbow", "spindle", "main"], ["rail"], ["cart"]) + "  other: {revolute: [ground, cart], at: [-1, 0, 0], axis: [0, 1, 0]}\n@",
    # docs/scenes/joint-friction.md, joints.md
    "hinge: {revolute: [frame, door]": machine([], [], ["frame", "door", "cabinet", "drawer", "nut"]) + "  @",
    "hinge: {revolute: [ground, arm]": machine([], [], ["arm", "rod"]) + "  @",
    "knee:": machine([], [], ["thigh", "shin"]) + "  @",
    "main: {revolute: [frame, crank]": machine([], [], ["crank", "stage"]).replace("ground", "frame") + "  @",
    "roll: {contact": """bristle: 1
step: {formulation: smooth, dt: 1 ms, until: 5 ms}
defaults: {bodies: {mass: 1, inertia: [1, 1, 1]}}
materials: {steel: {friction: {law: coulomb, mu: 0.3}}}
bodies:
  bowl: {fixed: true, shapes: [{bowl: {semi_axes: [3, 3, 3]}, material: steel}]}
  ball: {pose: {position: [0, 0, -2.5]}, shapes: [{sphere: {radius: 0.5}, material: steel}]}
  outer: {fixed: true, pose: {position: [10, 0, 0]}, shapes: [{bowl: {semi_axes: [3, 3, 3]}, material: steel}]}
  ball3: {pose: {position: [10, 0, -2.5]}, shapes: [{sphere: {radius: 0.5}, material: steel}]}
joints:
  @""",
    # docs/scenes/reuse.md
    "parts:\n  finger:": "bristle: 1\n@",
    # docs/scenes/signals.md
    "signals:\n  error:": machine([], ["rail"], ["cart", "wing"]) + "@",
    "sensors:\n  tip:": HEAD + MATERIALS + """bodies:
  floor: {fixed: true, shapes: [{plane: {}, material: wood}]}
  leg: {pose: {position: [0, 0, 0.1]}, shapes: [{sphere: {radius: 0.1}, material: wood}]}
  hand: {pose: {position: [2, 0, 2]}}
  drone: {pose: {position: [4, 0, 2]}}
joints: {wrist: {revolute: [floor, hand], at: [2, 0, 2], axis: [0, 1, 0]}}
@""",
}

# What worlds need beside them.
FILES = {
    "road.csv": "time[s],height\n0,0\n1,0.1\n",
    "wood.yaml": "bristle: 1\nmaterials: {wood: {friction: {law: coulomb, mu: 0.4}}}\npairs: [{between: [wood, steel], friction: {law: coulomb, mu: 0.3}}]\n",
}

# docs/experiments.md: the scene of the worked example, and the experiment that its other blocks stand in.
BAR = """bristle: 1
parameters: {L: 1 m, m: 2 kg, g: 9.81}
step: {dt: 1 ms, until: 5 s}
bodies:
  ground: {fixed: true}
  bar: {mass: m, inertia: [m*L^2/300, m*L^2/12, m*L^2/12], pose: {position: [L/2, 0, 0]}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: [0, 1, 0]}}
"""
FIGURES = """experiment: figures
runs: {rattle: {step.scheme: rattle}, hem2: {step.scheme: hem2}}
metrics:
  loss_0: {run: rattle, channel: energy.kinetic, reduce: max}
  loss_1: {run: rattle, channel: energy.kinetic, reduce: mean}
figures:
  @"""
