"""Finds tracks for a board without any: a grid router for two layers.

    python -m hardware.tools.route [BOARD ...]            writes hardware/tracks/BOARD.json
    python -m hardware.tools.route --keep [BOARD ...]     lays only what is missing or in the way

It runs for minutes, so `make hardware` does not run it: its tracks are stored in the tree, and
checked (copper.py) against the placement and the netlist as they are now. Run it again after moving
a part. The same board gets the same tracks on every run; with --keep they follow from the tracks in
the tree as well.

Tracks run between the nodes of a grid, along it or at 45 degrees. All nets are laid, though they
may cross; then those that do are torn up and laid again, over and over, while crossing gets dearer
and places that were fought over keep a price (PathFinder: L. McMurchie, C. Ebeling, FPGA 1995).
"""

import heapq
import sys
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import MAT_TOML, load_mat

from . import boards
from .copper import widened
from .design_rules import (
    CLEAR_MM,
    EDGE_MM,
    FIDUCIAL_FREE_MM,
    HEAD_MM,
    TRACK_MM,
    VIA_MM,
    WIDE_MM,
)
from .layout import Layout, Pad
from .outline import Point
from .tracks import Routing, Track, Via, as_text, path_of, stored

GRID_MM = 0.25
LAYERS = ("F", "B")
# The price of a step along the grid, at 45 degrees (sqrt 2 times that), and to the other layer.
STEP, DIAGONAL, VIA = 10, 14, 120
MOST_ROUNDS = 60
# Nets of more pads take most of the time: they are torn up only each so many rounds.
FEW, LARGE_TOO = 12, 4
# A diagonal track passes a corner nearer than its ends do.
PAD_MORE_MM = 0.052
WIDER_MM = (1.5, 1.0, 0.8, 0.6, 0.5, 0.4, 0.3)
WIDTHS_MM = (TRACK_MM, WIDE_MM)

Nodes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Steps: TypeAlias = tuple[Nodes, Nodes]  # of rows and of columns
PadKey: TypeAlias = tuple[str, str, float, float]  # reference, number, x, y
Edge: TypeAlias = tuple[int, int]


class NoRoute(Exception):
    """A board that cannot be routed like this. One line."""


class _Board:
    """The grid, and what blocks whom on it: nodes are numbers, layer by layer, row by row. What
    blocks a track depends on its width: there is one of everything for each of WIDTHS_MM."""

    def __init__(self, layout: Layout):
        self.layout = layout
        _, _, right, top = layout.outline.extent()
        self.columns, self.rows = (int(v / GRID_MM) + 2 for v in (right, top))
        self.size = self.columns * self.rows
        y, x = np.mgrid[0 : self.rows, 0 : self.columns] * GRID_MM
        self.x, self.y = x.ravel(), y.ravel()
        self.pads_t = np.zeros((len(WIDTHS_MM), 2, self.size), np.int16)
        self.pads_v = np.zeros(self.size, np.int16)
        self.own_t: dict[tuple[str, int], list[Nodes]] = {}
        self.own_v: dict[str, list[Nodes]] = {}
        self.on_pad: dict[PadKey, list[int]] = {}
        self._edges()
        self._marks()
        for pad in layout.pads:
            self._pad(pad)

    def _edges(self) -> None:
        inside = self.layout.outline.inside_mm(self.x, self.y)
        for width, blocked in (*zip(WIDTHS_MM, self.pads_t), (VIA_MM, self.pads_v)):
            blocked += (inside < EDGE_MM + width / 2).astype(np.int16)
            for x, y, _ in self.layout.holes:
                near = np.hypot(self.x - x, self.y - y)
                blocked += (near < HEAD_MM + width / 2).astype(np.int16)

    def _marks(self) -> None:
        """Fiducials, and where a part's own bare copper lies on the board."""
        for dot in self.layout.fiducials:
            away = np.hypot(self.x - dot.x, self.y - dot.y) - FIDUCIAL_FREE_MM / 2 - CLEAR_MM
            self._block(dot.layer, away - PAD_MORE_MM)
        for area in self.layout.keep_outs():
            left, low, right, high = area.box
            dx = np.maximum(np.maximum(left - self.x, self.x - right), 0)
            dy = np.maximum(np.maximum(low - self.y, self.y - high), 0)
            self._block(area.layer, np.hypot(dx, dy) - PAD_MORE_MM)

    def _block(self, layer: str, away: NDArray[np.float64]) -> None:
        """Nothing may be here: `away` is how far each node is from it."""
        for kind, width in enumerate(WIDTHS_MM):
            self.pads_t[kind, LAYERS.index(layer)] += (away < width / 2).astype(np.int16)
        self.pads_v += (away < VIA_MM / 2).astype(np.int16)

    def _pad(self, pad: Pad) -> None:
        dx = np.maximum(np.abs(self.x - pad.x) - pad.width / 2, 0)
        dy = np.maximum(np.abs(self.y - pad.y) - pad.height / 2, 0)
        away = np.hypot(dx, dy)
        layer = LAYERS.index(pad.layer)
        for kind, width in enumerate(WIDTHS_MM):
            near = np.flatnonzero(away < CLEAR_MM + width / 2 + PAD_MORE_MM)
            self.pads_t[kind, layer, near] += 1
            self.own_t.setdefault((pad.net, kind), []).append(near + layer * self.size)
        near = np.flatnonzero(away < CLEAR_MM + VIA_MM / 2)
        self.pads_v[near] += 1
        clear = away[near] >= VIA_MM / 2 + 0.05  # no via in a pad, not even in its own
        self.own_v.setdefault(pad.net, []).append(near[clear])
        depth = np.minimum(
            pad.width / 2 - np.abs(self.x - pad.x), pad.height / 2 - np.abs(self.y - pad.y)
        )
        on = np.flatnonzero(depth > -1e-9)
        if not len(on):
            raise NoRoute(f"{pad.ref} pin {pad.number} has no node of the grid on it")
        best = on[np.argsort(np.hypot(self.x[on] - pad.x, self.y[on] - pad.y), kind="stable")]
        nodes = [int(n) + layer * self.size for n in best[:3]]
        self.on_pad.setdefault((pad.ref, pad.number, pad.x, pad.y), nodes)

    def fixed(self, net: str, kind: int) -> tuple[Mask, Mask]:
        """(2 x size bool, size bool): where this net's tracks and vias can never be."""
        track, via = self.pads_t[kind].ravel().copy(), self.pads_v.copy()
        for nodes in self.own_t.get((net, kind), ()):
            track[nodes] -= 1
        for nodes in self.own_v.get(net, ()):
            via[nodes] -= 1
        return track > 0, via > 0

    def at(self, node: int) -> Point:
        """(x, y) of a node, mm."""
        return round(float(self.x[node]), 3), round(float(self.y[node]), 3)

    def disc(self, radius_mm: float) -> Steps:
        """(rows, columns) steps of the nodes nearer than that."""
        reach = int(radius_mm / GRID_MM) + 1
        j, i = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        near = np.hypot(i, j) * GRID_MM < radius_mm - 1e-9
        return j[near], i[near]

    def around(self, nodes: Sequence[int], steps: Steps) -> Nodes:
        """Nodes (of one layer) within those steps of some, each once."""
        j, i = np.divmod(np.asarray(nodes), self.columns)
        rows = (j[:, None] + steps[0]).ravel()
        columns = (i[:, None] + steps[1]).ravel()
        good = (rows >= 0) & (rows < self.rows) & (columns >= 0) & (columns < self.columns)
        return np.unique(rows[good] * self.columns + columns[good])


class _Net:
    """A net, and the way it is laid: none at first, and none after `tear`. `shadow`: the nodes that
    its way blocks for tracks, by kind, and for vias. `kept`: its way was laid before, but may not
    reach all pads."""

    def __init__(self, name: str, pads: list[PadKey], kind: int):
        self.name, self.pads, self.kind = name, pads, kind
        self.tear()

    def tear(self) -> None:
        """Forgets its way."""
        self.kept = False
        self.edges: list[Edge] = []
        self.vias: set[int] = set()
        self.shadow: tuple[list[Nodes], Nodes] = [_once([]) for _ in WIDTHS_MM], _once([])

    def begin(self) -> None:
        """It is laid now: what was kept of it is torn as any other when it crosses others."""
        self.kept = False

    def lay(self, path: Sequence[int], size: int) -> None:
        """Adds a path to its way: edges, and a via where the path changes the layer."""
        for a, b in zip(path, path[1:]):
            if abs(a - b) == size:
                self.vias.add(min(a, b))
            else:
                self.edges.append((a, b))

    def restore(self, edges: list[Edge], vias: set[int]) -> None:
        """Takes a way that was laid before."""
        self.edges, self.vias, self.kept = edges, vias, True

    def cast(self, shadow: tuple[list[Nodes], Nodes]) -> None:
        """Its way is complete, and blocks these nodes."""
        self.shadow = shadow

    def nodes(self) -> set[int]:
        """The nodes of its tracks."""
        return {node for edge in self.edges for node in edge}


class Router:
    """Routes a layout. Tracks of the nets `wide` are WIDE_MM wide, the others TRACK_MM. `keep`:
    ways to begin with; a net whose way is blocked by now begins anew."""

    def __init__(
        self,
        layout: Layout,
        wide: Container[str] = (),
        report: Callable[[str], object] = lambda text: None,
        keep: Routing | None = None,
    ):
        self.board, self.report = _Board(layout), report
        by_net: dict[str, list[PadKey]] = {name: [] for name in layout.nets()}
        for pad in layout.pads:
            if pad.net:
                by_net[pad.net].append((pad.ref, pad.number, pad.x, pad.y))
        self.nets = {n: _Net(n, p, int(n in wide)) for n, p in by_net.items() if len(p) > 1}
        size, kinds = self.board.size, len(WIDTHS_MM)
        # how many nets block a track of each kind, or a via, here
        self.used_t = np.zeros((kinds, 2 * size), np.int32)
        self.used_v = np.zeros(size, np.int32)
        self.history_t = np.zeros(2 * size, np.int32)
        self.history_v = np.zeros(size, np.int32)
        disc = self.board.disc
        self.near_tt = [
            [disc(CLEAR_MM + (one + other) / 2) for other in WIDTHS_MM] for one in WIDTHS_MM
        ]
        self.near_tv = [disc(CLEAR_MM + (width + VIA_MM) / 2 + 0.02) for width in WIDTHS_MM]
        self.near_vv = disc(CLEAR_MM + VIA_MM)
        if keep:
            for net in self.nets.values():
                self._restore(net, keep)

    def _restore(self, net: _Net, keep: Routing) -> None:
        """Gives a net its way of before, if nothing blocks that."""
        board, edges, vias = self.board, [], set()
        for track in keep.tracks:
            if track.net == net.name:
                a, b = (
                    round(y / GRID_MM) * board.columns + round(x / GRID_MM)
                    + LAYERS.index(track.layer) * board.size
                    for x, y in ((track.x, track.y), (track.u, track.v))
                )  # fmt: skip
                count = round(max(abs(track.u - track.x), abs(track.v - track.y)) / GRID_MM)
                step = (b - a) // count
                edges += [(a + k * step, a + (k + 1) * step) for k in range(count)]
        for via in keep.vias:
            if via.net == net.name:
                vias.add(round(via.y / GRID_MM) * board.columns + round(via.x / GRID_MM))
        blocked_t, blocked_v = board.fixed(net.name, net.kind)
        for key in net.pads:
            blocked_t[board.on_pad[key]] = False
        nodes = sorted({node for edge in edges for node in edge})
        if edges and not blocked_t[nodes].any() and not blocked_v[sorted(vias)].any():
            net.restore(edges, vias)

    def run(self) -> Routing:
        """The tracks and vias, sorted. NoRoute."""
        waiting, price = list(self.nets.values()), 4
        waiting.sort(key=lambda net: (len(net.pads) > FEW, self._span(net)))
        for count in range(MOST_ROUNDS):
            for net in waiting:
                if not net.kept:
                    self._tear(net)
                self._lay(net, price)
            waiting = [net for net in self.nets.values() if self._conflicts(net)]
            self.report(f"round {count + 1}: {len(waiting)} nets cross others")
            if not waiting:
                return self._found()
            small = [net for net in waiting if len(net.pads) <= FEW]
            if small and (count + 1) % LARGE_TOO:
                waiting = small
            np.random.default_rng(count).shuffle(waiting)
            price = min(price * 3 // 2, 4000)
        raise NoRoute(f"after {MOST_ROUNDS} rounds {len(waiting)} nets still cross others")

    def _span(self, net: _Net) -> float:
        at = [self.board.on_pad[pad][0] % self.board.size for pad in net.pads]
        return np.ptp(self.board.x[at]) + np.ptp(self.board.y[at])

    # ---- what a net takes from the others
    def _shade(self, net: _Net) -> tuple[list[Nodes], Nodes]:
        """(for each kind of track its nodes, nodes for vias), each node once."""
        size, board = self.board.size, self.board
        nodes = net.nodes()
        track: list[list[Nodes]] = [[] for _ in WIDTHS_MM]
        via: list[Nodes] = []
        for layer in (0, 1):
            own = [n - layer * size for n in nodes if layer * size <= n < (layer + 1) * size]
            if own:
                for kind, steps in enumerate(self.near_tt[net.kind]):
                    track[kind].append(board.around(own, steps) + layer * size)
                via.append(board.around(own, self.near_tv[net.kind]))
        if net.vias:
            own = list(net.vias)
            for kind, steps in enumerate(self.near_tv):
                near = board.around(own, steps)
                track[kind] += [near, near + size]
            via.append(board.around(own, self.near_vv))
        return [_once(nodes) for nodes in track], _once(via)

    def _tear(self, net: _Net) -> None:
        for used, nodes in zip(self.used_t, net.shadow[0]):
            used[nodes] -= 1
        self.used_v[net.shadow[1]] -= 1
        net.tear()

    def _conflicts(self, net: _Net) -> int:
        nodes = np.array(sorted(net.nodes()), int)
        vias = np.array(sorted(net.vias), int)
        own_t, own_v = net.shadow[0][net.kind], net.shadow[1]
        bad_t = nodes[self.used_t[net.kind, nodes] > np.isin(nodes, own_t)]
        bad_v = vias[self.used_v[vias] > np.isin(vias, own_v)]
        self.history_t[bad_t] += 15
        self.history_v[bad_v] += 40
        return len(bad_t) + len(bad_v)

    # ---- laying one net: its pads join the tree one after the other, the nearest first
    def _lay(self, net: _Net, price: int) -> None:
        hard_t, hard_v = (bytearray(mask) for mask in self.board.fixed(net.name, net.kind))
        extra_t = (np.minimum(self.used_t[net.kind], 3) * price * 10 + self.history_t).tolist()
        extra_v = (np.minimum(self.used_v, 3) * price * 20 + self.history_v).tolist()
        pads = [self.board.on_pad[pad] for pad in net.pads]
        for nodes in pads:
            for node in nodes:
                hard_t[node] = 0
        tree = net.nodes() | {n + layer for n in net.vias for layer in (0, self.board.size)}
        tree = tree or set(pads[0])
        left = {k: nodes for k, nodes in enumerate(pads) if tree.isdisjoint(nodes)}
        net.begin()
        home = {node: k for k, nodes in left.items() for node in nodes}
        while left:
            path = self._search(tree, home, hard_t, hard_v, extra_t, extra_v)
            if path is None:
                raise NoRoute(f"{net.name}: no way to {net.pads[next(iter(left))]}")
            net.lay(path, self.board.size)
            tree.update(path)
            reached = left.pop(home[path[-1]])
            for node in reached:
                home.pop(node, None)
            tree.update(reached)
        net.cast(self._shade(net))
        for used, nodes in zip(self.used_t, net.shadow[0]):
            used[nodes] += 1
        self.used_v[net.shadow[1]] += 1

    def _search(
        self,
        sources: Iterable[int],
        home: Mapping[int, int],
        hard_t: bytearray,
        hard_v: bytearray,
        extra_t: Sequence[int],
        extra_v: Sequence[int],
    ) -> list[int] | None:
        """The cheapest path (A*) from one of `sources` to a node of `home`; None if there is none.
        `hard_...`: where tracks and vias can never be; `extra_...`: what a node costs besides."""
        columns, size = self.board.columns, self.board.size
        goals = [node % size for node in home]
        rows_of = [g // columns for g in goals]
        columns_of = [g % columns for g in goals]
        low_r, high_r, low_c, high_c = min(rows_of), max(rows_of), min(columns_of), max(columns_of)
        moves = (
            (1, 0, STEP), (-1, 0, STEP), (0, 1, STEP), (0, -1, STEP), (1, 1, DIAGONAL),
            (1, -1, DIAGONAL), (-1, 1, DIAGONAL), (-1, -1, DIAGONAL),
        )  # fmt: skip
        cost: dict[int, int] = {}
        came: dict[int, int] = {}
        heap: list[tuple[int, int]] = []

        def ahead(node: int) -> int:
            r, c = divmod(node % size, columns)
            dr = low_r - r if r < low_r else r - high_r if r > high_r else 0
            dc = low_c - c if c < low_c else c - high_c if c > high_c else 0
            return STEP * (dr + dc) - (2 * STEP - DIAGONAL) * min(dr, dc)

        for node in sources:
            cost[node] = 0
            heapq.heappush(heap, (ahead(node), node))
        closed: set[int] = set()
        while heap:
            _, node = heapq.heappop(heap)
            if node in closed:
                continue
            closed.add(node)
            if node in home:
                path = [node]
                while path[-1] in came:
                    path.append(came[path[-1]])
                return path[::-1]
            so_far = cost[node]
            on_layer = node % size
            for dr, dc, price in moves:
                to = node + dr * columns + dc
                if to in closed or hard_t[to]:
                    continue
                total = so_far + price + extra_t[to]
                if total < cost.get(to, 1 << 60):
                    cost[to], came[to] = total, node
                    heapq.heappush(heap, (total + ahead(to), to))
            if not hard_v[on_layer]:
                to = node + size if node < size else node - size
                if to not in closed and not hard_t[to]:
                    total = so_far + VIA + extra_v[on_layer] + extra_t[to]
                    if total < cost.get(to, 1 << 60):
                        cost[to], came[to] = total, node
                        heapq.heappush(heap, (total + ahead(to), to))
        return None

    # ---- the result
    def _found(self) -> Routing:
        size, board, tracks, vias = self.board.size, self.board, [], []
        for net in self.nets.values():
            for a, b in _straightened(self._needed(net)):
                ends = (*board.at(a % size), *board.at(b % size))
                tracks.append(Track(net.name, LAYERS[a // size], WIDTHS_MM[net.kind], *ends))
            vias += [Via(net.name, *board.at(n)) for n in sorted(net.vias)]
        return Routing(sorted(tracks), sorted(vias))

    def _needed(self, net: _Net) -> set[Edge]:
        """Its edges without those that lead nowhere: where a pad was reached at another node."""
        size, edges = self.board.size, {(min(edge), max(edge)) for edge in net.edges}
        holding = {node for pad in net.pads for node in self.board.on_pad[pad]}
        holding |= {node + layer for node in net.vias for layer in (0, size)}
        while True:
            ends = Counter(node for edge in edges for node in edge)
            loose = {node for node, count in ends.items() if count == 1} - holding
            if not loose:
                return edges
            edges = {edge for edge in edges if not loose & set(edge)}


def _once(arrays: Sequence[Nodes]) -> Nodes:
    return np.unique(np.concatenate(arrays)) if arrays else np.zeros(0, int)


def _straightened(edges: Collection[Edge]) -> list[Edge]:
    """The edges with those that follow one another in a straight line joined to one, as far as no
    other begins on the way."""
    ends = Counter(node for edge in edges for node in edge)
    by_way: dict[int, set[int]] = {}
    for a, b in edges:
        by_way.setdefault(b - a, set()).add(a)
    found = []
    for way, starts in by_way.items():
        for start in sorted(starts):
            if start - way in starts and ends[start] == 2:
                continue
            end = start + way
            while end in starts and ends[end] == 2:
                end += way
            found.append((start, end))
    return found


def main(argv: Sequence[str] = ()) -> int:
    """Routes boards and writes their tracks: those named, or all."""
    keep = "--keep" in argv
    for name in [name for name in argv if name != "--keep"] or boards.LAID_OUT:
        if name not in boards.LAID_OUT:
            known = ", ".join(boards.LAID_OUT)
            print(f"route: no board {name}: there are {known}", file=sys.stderr)
            return 2
        try:
            found = routed(
                name, lambda text, name=name: print(f"{name}: {text}", file=sys.stderr), keep
            )
        except NoRoute as error:
            print(f"route: {name}: {error}", file=sys.stderr)
            return 1
        path_of(name).parent.mkdir(exist_ok=True)
        path_of(name).write_text(as_text(found), encoding="utf-8")
    return 0


def routed(
    name: str, report: Callable[[str], object] = lambda text: None, keep: bool = False
) -> Routing:
    """The tracks and vias that the router finds for a board; with `keep` it begins with those of
    the tree. NoRoute."""
    netlist = (MAT_TOML.parent / "netlists" / f"{name}.net").read_text(encoding="utf-8")
    layout = boards.layout_of(name, load_mat(), netlist)
    wide, wider = boards.WIDE_NETS[name]
    found = Router(layout, wide, report, stored(name) if keep else None).run()
    return Routing(widened(layout, found, wider, WIDER_MM), found.vias)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
