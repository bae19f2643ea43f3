"""Write the data of the examples: invented, and the same on every machine.

python examples/data/make.py [FOLDER]
"""

import sys
from math import dist
from pathlib import Path
from random import Random

PROGRAMS = {
    "Mathematics": "Algebra Analysis Geometry Logic Probability Topology",
    "Physics": "Astronomy Electronics Mechanics Optics Relativity Thermodynamics",
    "Biology": "Anatomy Botany Ecology Genetics Microbiology Zoology",
    "Society": "Economics Ethics History Law Psychology Statistics",
}
TOWNS = """Alder Birch Cedar Dale Elm Fern Glen Heath Iris Juniper Knoll Larch Maple Nettle Oak Pine
Quarry Reed Sorrel Thorn Umber Vale Willow Yarrow Ash Brook Cliff Dune Ember Ford Grove Hill Isle
Lake Marsh Moss Peak Ridge Shore Tarn"""
SIDE = 8  # of the grid behind the Jacobian


def enrolments(random: Random, students: int = 90) -> str:
    """Every student takes three courses of a program and one or two of any."""
    courses = {name: words.split() for name, words in PROGRAMS.items()}
    everything = [course for words in courses.values() for course in words]
    lines = ["student,course"]
    for student in range(1, students + 1):
        own = random.sample(courses[random.choice(list(courses))], 3)
        others = [course for course in everything if course not in own]
        taken = own + random.sample(others, random.choice((0, 1, 1)))
        lines += [f"s{student:03},{course}" for course in sorted(taken)]
    return "\n".join(lines) + "\n"


def transmitters(random: Random) -> str:
    """Places in km, and how far each is heard."""
    lines = ["name,x_km,y_km,range_km"]
    for town in TOWNS.split():
        x, y, reach = random.uniform(0, 100), random.uniform(0, 100), random.uniform(8, 18)
        lines.append(f"{town},{x:.1f},{y:.1f},{reach:.1f}")
    return "\n".join(lines) + "\n"


def wifi(random: Random, floors: int = 3, rooms: int = 35) -> str:
    """Access points of a building: each pair of near ones, and how much they disturb each other."""
    points = []
    for floor in range(floors):
        places = [(random.uniform(0, 80), random.uniform(0, 30)) for _ in range(rooms)]
        points += [(f"ap{floor}{i:02}", x, y, 12 * floor) for i, (x, y) in enumerate(places)]
    lines = ["source,target,weight"]
    for i, (one, *here) in enumerate(points):
        for other, *there in points[i + 1 :]:
            far = max(dist(here, there), 2)
            if far < 25:
                lines.append(f"{one},{other},{1000 / far**2:.1f}")
    return "\n".join(lines) + "\n"


def jacobian(random: Random) -> str:
    """Two substances that diffuse and react on a square grid, and four sensors of three cells.

    Column c is substance ``c % 2`` in cell ``c // 2``. A row sees its cell, the four cells beside
    it, and the other substance in its cell.
    """
    entries = set()
    for cell in range(SIDE * SIDE):
        i, j = divmod(cell, SIDE)
        beside = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
        near = [a * SIDE + b for a, b in beside if 0 <= a < SIDE and 0 <= b < SIDE]
        for substance in (0, 1):
            row = 2 * cell + substance
            entries |= {(row, 2 * other + substance) for other in [cell, *near]}
            entries.add((row, 2 * cell + 1 - substance))
    columns = 2 * SIDE * SIDE
    for sensor in range(4):
        entries |= {(columns + sensor, column) for column in random.sample(range(columns), 3)}
    head = (
        f"%%MatrixMarket matrix coordinate real general\n{columns + 4} {columns} {len(entries)}\n"
    )
    return head + "".join(
        f"{row + 1} {column + 1} {random.choice((-1, 1)) * random.uniform(0.1, 9):.2f}\n"
        for row, column in sorted(entries)
    )


MADE = {
    "enrolments.csv": enrolments,
    "transmitters.csv": transmitters,
    "wifi.csv": wifi,
    "jacobian.mtx": jacobian,
}

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, make in MADE.items():
        (folder / name).write_text(make(Random(name)), encoding="utf-8")
