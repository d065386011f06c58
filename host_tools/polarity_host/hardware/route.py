"""Finds tracks for a board without any: a grid router for two layers.

    python -m polarity_host.hardware.route            writes hardware/tracks/tile.json

It runs for some minutes, so `make hardware` does not run it: what it finds is kept, and checked
(copper.py) against the placement and the netlist as they are now. Whoever moves a part runs it
again.

Tracks run between the nodes of a grid, along it or at 45 degrees. All nets are laid, though they
may cross; then those that do are torn up and laid again, over and over, while crossing gets dearer
and places that were fought over keep a price (PathFinder: L. McMurchie, C. Ebeling, FPGA 1995).
"""

import heapq
import json
import sys

import numpy as np

from polarity_host.mat import MAT_TOML, load_mat

from .layout import HEAD_MM, Layout, tile_layout

GRID_MM = 0.25
CLEAR_MM = 0.15  # between copper of two nets; what cheap two-layer boards allow is 0.127
TRACK_MM = 0.2
VIA_MM, DRILL_MM = 0.6, 0.3
EDGE_MM = 0.5  # from the board's edge to copper
LAYERS = ("F", "B")
STEP, DIAGONAL, VIA = 10, 14, 120
MOST_ROUNDS = 60
# A diagonal track passes a corner nearer than its ends do.
PAD_MORE_MM = 0.052
WIDER_MM = (1.0, 0.8, 0.6, 0.5, 0.4, 0.3)
WIDE_NETS = ("GND", "+3V3")
TRACKS_JSON = MAT_TOML.parent / "tracks" / "tile.json"


class NoRoute(Exception):
    """A board that cannot be routed like this. One line."""


class _Board:
    """The grid, and what blocks whom on it: nodes are numbers, layer by layer, row by row."""

    def __init__(self, layout: Layout):
        self.layout = layout
        _, _, right, top = layout.box
        self.columns, self.rows = (int(v / GRID_MM) + 2 for v in (right, top))
        self.size = self.columns * self.rows
        y, x = np.mgrid[0 : self.rows, 0 : self.columns] * GRID_MM
        self.x, self.y = x.ravel(), y.ravel()
        self.pads_t = np.zeros((2, self.size), np.int16)
        self.pads_v = np.zeros(self.size, np.int16)
        self.own_t, self.own_v, self.on_pad = {}, {}, {}
        self._edges()
        for pad in layout.pads:
            self._pad(pad)

    def _edges(self):
        left, bottom, right, top = self.layout.box
        inside = np.minimum.reduce([self.x - left, right - self.x, self.y - bottom, top - self.y])
        for half, blocked in ((TRACK_MM / 2, self.pads_t), (VIA_MM / 2, self.pads_v)):
            blocked += (inside < EDGE_MM + half).astype(np.int16)
        for x, y, _ in self.layout.holes:
            near = np.hypot(self.x - x, self.y - y)
            self.pads_t += (near < HEAD_MM + TRACK_MM / 2).astype(np.int16)
            self.pads_v += (near < HEAD_MM + VIA_MM / 2).astype(np.int16)

    def _pad(self, pad):
        dx = np.maximum(np.abs(self.x - pad.x) - pad.width / 2, 0)
        dy = np.maximum(np.abs(self.y - pad.y) - pad.height / 2, 0)
        away = np.hypot(dx, dy)
        layer = LAYERS.index(pad.layer)
        near = np.flatnonzero(away < CLEAR_MM + TRACK_MM / 2 + PAD_MORE_MM)
        self.pads_t[layer, near] += 1
        self.own_t.setdefault(pad.net, []).append(near + layer * self.size)
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
        self.on_pad[pad.ref, pad.number] = [int(n) + layer * self.size for n in best[:3]]

    def fixed(self, net):
        """(2 x size bool, size bool): where this net's tracks and vias can never be."""
        track, via = self.pads_t.ravel().copy(), self.pads_v.copy()
        for nodes in self.own_t.get(net, ()):
            track[nodes] -= 1
        for nodes in self.own_v.get(net, ()):
            via[nodes] -= 1
        return track > 0, via > 0

    def at(self, node):
        """(x, y) of a node, mm."""
        return round(float(self.x[node]), 3), round(float(self.y[node]), 3)

    def disc(self, radius_mm):
        """(rows, columns) steps of the nodes nearer than that."""
        reach = int(radius_mm / GRID_MM) + 1
        j, i = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        near = np.hypot(i, j) * GRID_MM < radius_mm - 1e-9
        return j[near], i[near]

    def around(self, nodes, steps):
        """Nodes (of one layer) within those steps of some, each once."""
        j, i = np.divmod(np.asarray(nodes), self.columns)
        rows = (j[:, None] + steps[0]).ravel()
        columns = (i[:, None] + steps[1]).ravel()
        good = (rows >= 0) & (rows < self.rows) & (columns >= 0) & (columns < self.columns)
        return np.unique(rows[good] * self.columns + columns[good])


class _Net:
    def __init__(self, name, pads):
        self.name, self.pads = name, pads
        self.edges, self.vias, self.shadow = [], set(), None


class Router:
    """Routes a layout: `run()` returns {"tracks": [...], "vias": [...]}."""

    def __init__(self, layout: Layout, say=lambda text: None):
        self.board, self.say = _Board(layout), say
        by_net = {name: [] for name in layout.nets()}
        for pad in layout.pads:
            if pad.net:
                by_net[pad.net].append((pad.ref, pad.number))
        self.nets = {n: _Net(n, pads) for n, pads in by_net.items() if len(pads) > 1}
        size = self.board.size
        self.used_t = np.zeros(2 * size, np.int32)  # how many nets block a track, or a via, here
        self.used_v = np.zeros(size, np.int32)
        self.history_t = np.zeros(2 * size, np.int32)
        self.history_v = np.zeros(size, np.int32)
        between = CLEAR_MM + TRACK_MM
        self.near_tt = self.board.disc(between)
        self.near_tv = self.board.disc(CLEAR_MM + (TRACK_MM + VIA_MM) / 2 + 0.02)
        self.near_vv = self.board.disc(CLEAR_MM + VIA_MM)

    def run(self) -> dict:
        """Tracks as [net, layer, width, x, y, u, v], vias as [net, x, y], mm."""
        waiting, price = list(self.nets.values()), 4
        waiting.sort(key=lambda net: (net.name in WIDE_NETS, net.name == "EN", self._span(net)))
        for count in range(MOST_ROUNDS):
            for net in waiting:
                self._tear(net)
                self._lay(net, price)
            waiting = [net for net in self.nets.values() if self._conflicts(net)]
            self.say(f"round {count + 1}: {len(waiting)} nets cross others")
            if not waiting:
                return self._found()
            np.random.default_rng(count).shuffle(waiting)
            price = min(price * 3 // 2, 4000)
        raise NoRoute(f"after {MOST_ROUNDS} rounds {len(waiting)} nets still cross others")

    def _span(self, net):
        at = [self.board.on_pad[pad][0] % self.board.size for pad in net.pads]
        return np.ptp(self.board.x[at]) + np.ptp(self.board.y[at])

    # ---- what a net takes from the others
    def _shade(self, net):
        size, board = self.board.size, self.board
        nodes = {n for edge in net.edges for n in edge}
        track, via = [], []
        for layer in (0, 1):
            own = [n - layer * size for n in nodes if layer * size <= n < (layer + 1) * size]
            if own:
                track.append(board.around(own, self.near_tt) + layer * size)
                via.append(board.around(own, self.near_tv))
        if net.vias:
            own = list(net.vias)
            near = board.around(own, self.near_tv)
            track += [near, near + size]
            via.append(board.around(own, self.near_vv))
        empty = np.zeros(0, int)
        return (
            np.unique(np.concatenate(track)) if track else empty,
            np.unique(np.concatenate(via)) if via else empty,
        )

    def _tear(self, net):
        if net.shadow:
            self.used_t[net.shadow[0]] -= 1
            self.used_v[net.shadow[1]] -= 1
        net.edges, net.vias, net.shadow = [], set(), None

    def _conflicts(self, net):
        nodes = np.array(sorted({n for edge in net.edges for n in edge}), int)
        vias = np.array(sorted(net.vias), int)
        bad_t = nodes[self.used_t[nodes] > np.isin(nodes, net.shadow[0])]
        bad_v = vias[self.used_v[vias] > np.isin(vias, net.shadow[1])]
        self.history_t[bad_t] += 15
        self.history_v[bad_v] += 40
        return len(bad_t) + len(bad_v)

    # ---- laying one net: its pads join the tree one after the other, the nearest first
    def _lay(self, net, price):
        hard_t, hard_v = self.board.fixed(net.name)
        extra_t = (np.minimum(self.used_t, 3) * price * 10 + self.history_t).tolist()
        extra_v = (np.minimum(self.used_v, 3) * price * 20 + self.history_v).tolist()
        hard_t, hard_v = bytearray(hard_t), bytearray(hard_v)
        pads = [self.board.on_pad[pad] for pad in net.pads]
        for nodes in pads:
            for node in nodes:
                hard_t[node] = 0
        tree, left = set(pads[0]), {k: nodes for k, nodes in enumerate(pads) if k}
        home = {node: k for k, nodes in left.items() for node in nodes}
        while left:
            path = self._search(tree, home, hard_t, hard_v, extra_t, extra_v)
            if path is None:
                raise NoRoute(f"{net.name}: no way to {net.pads[next(iter(left))]}")
            size = self.board.size
            for a, b in zip(path, path[1:]):
                if abs(a - b) == size:
                    net.vias.add(min(a, b))
                else:
                    net.edges.append((a, b))
            tree.update(path)
            reached = left.pop(home[path[-1]])
            for node in reached:
                home.pop(node, None)
            tree.update(reached)
        net.shadow = self._shade(net)
        self.used_t[net.shadow[0]] += 1
        self.used_v[net.shadow[1]] += 1

    def _search(self, sources, home, hard_t, hard_v, extra_t, extra_v):
        columns, size = self.board.columns, self.board.size
        goals = [node % size for node in home]
        rows_of = [g // columns for g in goals]
        columns_of = [g % columns for g in goals]
        low_r, high_r, low_c, high_c = min(rows_of), max(rows_of), min(columns_of), max(columns_of)
        moves = (
            (1, 0, STEP), (-1, 0, STEP), (0, 1, STEP), (0, -1, STEP), (1, 1, DIAGONAL),
            (1, -1, DIAGONAL), (-1, 1, DIAGONAL), (-1, -1, DIAGONAL),
        )  # fmt: skip
        cost, came, heap = {}, {}, []

        def ahead(node):
            r, c = divmod(node % size, columns)
            dr = low_r - r if r < low_r else r - high_r if r > high_r else 0
            dc = low_c - c if c < low_c else c - high_c if c > high_c else 0
            return STEP * (dr + dc) - (2 * STEP - DIAGONAL) * min(dr, dc)

        for node in sources:
            cost[node] = 0
            heapq.heappush(heap, (ahead(node), node))
        closed = set()
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

    # ---- what came of it
    def _found(self):
        size, board, tracks, vias = self.board.size, self.board, [], []
        for net in self.nets.values():
            for a, b in _straightened({tuple(sorted(edge)) for edge in net.edges}, board.columns):
                ends = (*board.at(a % size), *board.at(b % size))
                tracks.append([net.name, LAYERS[a // size], TRACK_MM, *ends])
            vias += [[net.name, *board.at(n)] for n in sorted(net.vias)]
        return {"tracks": sorted(tracks), "vias": sorted(vias)}


def _straightened(edges, columns):
    """The edges with those that follow one another in a straight line joined to one."""
    by_way = {}
    for a, b in edges:
        by_way.setdefault(b - a, set()).add(a)
    found = []
    for way, starts in by_way.items():
        for start in sorted(starts):
            if start - way in starts:
                continue
            end = start + way
            while end in starts:
                end += way
            found.append((start, end))
    return found


def main(argv=()) -> int:
    """Routes the tile and writes its tracks."""
    from .copper import widened

    netlist = (MAT_TOML.parent / "netlists" / "tile.net").read_text(encoding="utf-8")
    layout = tile_layout(load_mat(), netlist)
    try:
        found = Router(layout, lambda text: print(text, file=sys.stderr, flush=True)).run()
    except NoRoute as error:
        print(f"route: {error}", file=sys.stderr)
        return 1
    found["tracks"] = widened(layout, found, WIDE_NETS, WIDER_MM)
    TRACKS_JSON.parent.mkdir(exist_ok=True)
    TRACKS_JSON.write_text(as_text(found), encoding="utf-8")
    return 0


def as_text(routed) -> str:
    """Tracks and vias as the file has them, one a line."""
    rows = ",\n".join(
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in routed[name]) + "\n]"
        for name in ("tracks", "vias")
    )
    note = "GENERATED by python -m polarity_host.hardware.route: do not edit"
    return f'{{"note": "{note}",\n{rows}}}\n'


def kept() -> dict:
    """The tracks and vias of the tile as they lie in the tree."""
    return json.loads(TRACKS_JSON.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
