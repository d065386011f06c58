"""Draws solids, with copper and words on a board, to a picture: VTK without a screen."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import vtk  # pyright: ignore[reportMissingImports]  # comes with CadQuery
from PIL import Image, ImageOps

from .design_rules import FIDUCIAL_MM, VIA_MM
from .layout import Layout
from .outline import Extent, Point
from .silk import WORDS_MM, words_on
from .tracks import Routing

GOLD, TRACK, SILK, EDGE = "#d9b34a", "#2f8358", "#f4f4f0", "#101010"
FINER = 2  # drawn so much larger, then shrunk: smooth edges
QUALITY = 82  # of WebP
LIFT_MM = 0.012  # of what is printed on a board, off it

#: Points, and the corners of each triangle by their numbers.
Triangles: TypeAlias = tuple[Sequence[tuple[float, float, float]], Sequence[tuple[int, ...]]]


class Scene:
    """A picture of `size` pixels, to which solids are added."""

    def __init__(self, size: tuple[int, int]):
        self.size = size
        self.renderer = vtk.vtkRenderer()
        self.renderer.SetBackground(1, 1, 1)
        self.window = vtk.vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetSize(*(FINER * pixels for pixels in size))
        self.window.AddRenderer(self.renderer)
        lights = vtk.vtkLightKit()
        lights.SetKeyLightIntensity(1.0)
        lights.AddLightsToRenderer(self.renderer)

    def add(
        self,
        solid: Triangles,
        colour: str,
        at: tuple[float, float, float] = (0.0, 0.0, 0.0),
        turn: float = 0.0,
    ) -> None:
        """A solid of triangles, turned by `turn` degrees and moved to `at`; its edges are drawn."""
        data = _polygons(*solid)
        self._show(data, colour, at, turn)
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(data)
        edges.BoundaryEdgesOff()
        edges.SetFeatureAngle(40)
        edges.ColoringOff()
        clean = vtk.vtkCleanPolyData()
        clean.SetInputData(data)
        edges.SetInputConnection(clean.GetOutputPort())
        edges.Update()
        lines = self._show(edges.GetOutput(), EDGE, at, turn)
        lines.GetProperty().SetLineWidth(1.2)
        lines.GetProperty().SetLighting(False)

    def _show(self, data, colour, at=(0.0, 0.0, 0.0), turn=0.0):  # VTK has no types
        mapper = vtk.vtkPolyDataMapper()
        mapper.SetInputData(data)
        mapper.ScalarVisibilityOff()
        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*_rgb(colour))
        actor.GetProperty().SetInterpolationToFlat()
        actor.GetProperty().SetAmbient(0.25)
        actor.GetProperty().SetDiffuse(0.75)
        actor.RotateZ(turn)
        actor.SetPosition(*at)
        self.renderer.AddActor(actor)
        return actor

    # ---- what is printed on a board
    def add_copper(self, layout: Layout, routing: Routing, side: str) -> None:
        """Tracks, pads, fiducials and words of one side."""
        up = side == "F"
        z = layout.thick_mm + LIFT_MM if up else -LIFT_MM
        step = LIFT_MM if up else -LIFT_MM
        quads = [
            _line_quad((t.x, t.y), (t.u, t.v), t.width) for t in routing.tracks if t.layer == side
        ]
        self._flat(quads, TRACK, z)
        pads = [
            _box_quad(p.x, p.y, p.width, p.height) for p in layout.pads if p.layer == side
        ]  # fmt: skip
        pads += [
            _box_quad(d.x, d.y, FIDUCIAL_MM, FIDUCIAL_MM) for d in layout.fiducials
            if d.layer == side
        ]  # fmt: skip
        self._flat([_box_quad(v.x, v.y, VIA_MM, VIA_MM) for v in routing.vias], TRACK, z)
        self._flat(pads, GOLD, z + step)
        for layer, x, y, words in words_on(layout):
            if layer[0] == side:
                self._words(words, x, y, z + step, not up)

    def _flat(self, quads: Sequence[Sequence[Point]], colour: str, z: float) -> None:
        points = [(x, y, z) for quad in quads for x, y in quad]
        corners = [tuple(range(4 * k, 4 * k + 4)) for k in range(len(quads))]
        self._show(_polygons(points, corners), colour)

    def _words(self, words: str, x: float, y: float, z: float, mirrored: bool) -> None:
        text = vtk.vtkVectorText()
        text.SetText(words)
        text.Update()
        left, right, low, high, _, _ = text.GetOutput().GetBounds()
        place = vtk.vtkTransform()
        scale = WORDS_MM * 1.3
        place.Translate(x, y, z)
        place.Scale(-scale if mirrored else scale, scale, 1.0)
        place.Translate(-(left + right) / 2, -(low + high) / 2, 0.0)
        moved = vtk.vtkTransformPolyDataFilter()
        moved.SetTransform(place)
        moved.SetInputConnection(text.GetOutputPort())
        moved.Update()
        actor = self._show(moved.GetOutput(), SILK)
        actor.GetProperty().SetLighting(False)

    # ---- how it is looked at
    def look(self, extent: Extent, from_below: bool = False) -> None:
        """At a board, nearly from straight above, or from below with its upper edge up."""
        left, low, right, high = extent
        x, y = (left + right) / 2, (low + high) / 2
        self._camera((x, y, 0.0), (0.0, -0.55, -1.0 if from_below else 1.0), (0.0, 1.0, 0.0))

    def look_apart(self) -> None:
        """At a tall pile, from the front and above."""
        self._camera((0.0, 0.0, 0.0), (0.4, -1.0, 0.55), (0.0, 0.0, 1.0))

    def _camera(self, at: tuple[float, ...], way: tuple[float, ...], up: tuple[float, ...]) -> None:
        camera = self.renderer.GetActiveCamera()
        camera.SetFocalPoint(*at)
        camera.SetPosition(*(a + 1000 * w for a, w in zip(at, way)))
        camera.SetViewUp(*up)
        camera.ParallelProjectionOn()
        self.renderer.ResetCameraScreenSpace(0.95)

    def save(self, path: Path) -> Path:
        """Draws it, and writes it without the white round it."""
        self.window.Render()
        grab = vtk.vtkWindowToImageFilter()
        grab.SetInput(self.window)
        grab.ReadFrontBufferOff()
        grab.Update()
        image = grab.GetOutput()
        width, height, _ = image.GetDimensions()
        scalars = image.GetPointData().GetScalars()
        data = bytes(memoryview(scalars))
        picture = Image.frombytes("RGB", (width, height), data).transpose(
            Image.Transpose.FLIP_TOP_BOTTOM
        )
        picture = picture.resize(self.size, Image.Resampling.LANCZOS)
        box = ImageOps.invert(picture.convert("L")).getbbox() or (0, 0, *self.size)
        margin = 8
        box = (max(0, box[0] - margin), max(0, box[1] - margin),
               min(self.size[0], box[2] + margin), min(self.size[1], box[3] + margin))  # fmt: skip
        picture.crop(box).save(path, "WEBP", quality=QUALITY, method=6)
        return path


def _rgb(text: str) -> tuple[float, ...]:
    return tuple(int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))


def _box_quad(x: float, y: float, width: float, height: float) -> list[Point]:
    w, h = width / 2, height / 2
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)]


def _line_quad(a: Point, b: Point, width: float) -> list[Point]:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    u, v = dx / length * width / 2, dy / length * width / 2
    return [
        (a[0] - u - v, a[1] - v + u), (a[0] - u + v, a[1] - v - u),
        (b[0] + u + v, b[1] + v - u), (b[0] + u - v, b[1] + v + u),
    ]  # fmt: skip


def _polygons(points: Sequence[Sequence[float]], corners: Sequence[Sequence[int]]):
    data, at, cells = vtk.vtkPolyData(), vtk.vtkPoints(), vtk.vtkCellArray()
    for point in points:
        at.InsertNextPoint(*point)
    for polygon in corners:
        cells.InsertNextCell(len(polygon))
        for number in polygon:
            cells.InsertCellPoint(number)
    data.SetPoints(at)
    data.SetPolys(cells)
    return data
