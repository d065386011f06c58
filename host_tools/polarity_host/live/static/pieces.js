// Discs, towers, leaners, the red disc, and carried discs, as they look from above.

const RADIANS = Math.PI / 180;
const LEAST_PX = 8.5; // of a letter, on a phone
const STEP_MM = 2.2; // between the storeys of a tower, up the page

/** A piece of the wire in mm and radians. @param {Array} row [id, shape, face, discs, x, y, tilt, azimuth, (z)] */
export function pieceOf([id, shape, face, discs, x, y, tilt, azimuth, z]) {
  return {
    id, shape, face, discs, x: x / 100, y: y / 100, tilt: tilt * RADIANS,
    azimuth: azimuth * RADIANS, z: (z || 0) / 100,
  };
}

function sizeOf(view, piece) {
  const which = piece.shape === "red" ? view.mat.red_disc : view.mat.disc;
  return { radius: which.diameter_mm / 2, thickness: which.thickness_mm };
}

function paintOf(view, piece) {
  const c = view.colours;
  const name = piece.shape === "red" ? "red" : piece.face === "b" ? "black" : "white";
  return { fill: c[name], edge: c[name + "-edge"], text: name === "white" ? "#3c3a33" : "#d8d5cc" };
}

/** Draws a piece at rest. `how.ghost`: translucent, so that the field shows through; `how.marked`: encircled. */
export function drawPiece(g, view, piece, how = {}) {
  if (piece.shape === "leaner") drawLeaner(g, view, piece, how);
  else drawFlat(g, view, piece, how, 0);
}

/** Draws a piece in flight, with its shadow on the mat. */
export function drawFlying(g, view, piece, how = {}) {
  const { radius, thickness } = sizeOf(view, piece);
  const low = Math.max(0, piece.z - thickness * piece.discs / 2 - radius * Math.sin(piece.tilt));
  if (piece.shape === "leaner") return drawLeaner(g, view, piece, how);
  shadow(g, view, piece.x, piece.y, radius, low);
  if (low > 4) {
    g.strokeStyle = view.colours["on-felt"];
    g.lineWidth = 1.4;
    g.setLineDash([4, 3]);
    g.beginPath();
    g.arc(piece.x, piece.y, radius + 5, 0, 2 * Math.PI);
    g.stroke();
    g.setLineDash([]);
    label(g, view, `${Math.round(low)} mm`, piece.x, piece.y - radius - 11, view.colours["on-felt"], 8);
  }
  const grown = { ...piece, carried: true };
  drawFlat(g, view, grown, { ...how, size: 1 + Math.min(0.25, low / 300) }, low);
}

function shadow(g, view, x, y, radius, height) {
  const off = 1.5 + height * 0.35;
  g.beginPath();
  g.arc(x + off, y - off, radius * (1 + height / 400), 0, 2 * Math.PI);
  g.fillStyle = view.colours.shadow;
  g.fill();
}

function drawFlat(g, view, piece, how, low) {
  const { radius: own, thickness } = sizeOf(view, piece);
  const radius = own * (how.size || 1);
  const { fill, edge, text } = paintOf(view, piece);
  const squeeze = piece.carried ? Math.max(0.12, Math.cos(piece.tilt)) : 1;
  const storeys = piece.shape === "tower" || piece.discs > 1 ? piece.discs : 1;
  if (!low) shadow(g, view, piece.x, piece.y, radius, storeys * 2 - 1);
  g.save();
  g.translate(piece.x, piece.y);
  if (squeeze < 1) {
    g.rotate(piece.azimuth);
    g.scale(squeeze, 1);
    g.rotate(-piece.azimuth);
  }
  if (how.ghost) g.globalAlpha = 0.55;
  for (let k = 0; k < storeys; k++) {
    const top = k === storeys - 1;
    g.beginPath();
    g.arc(0, k * STEP_MM, radius, 0, 2 * Math.PI);
    g.fillStyle = fill;
    g.fill();
    g.lineWidth = top ? 1.1 : 0.8;
    g.strokeStyle = edge;
    g.stroke();
  }
  g.translate(0, (storeys - 1) * STEP_MM);
  bevel(g, radius, edge);
  g.restore();
  if (how.marked) encircle(g, view, piece.x, piece.y, radius);
  const y = piece.y + (storeys - 1) * STEP_MM;
  if (storeys > 1) label(g, view, `×${storeys}`, piece.x, y + 4, text, 13, true);
  if (piece.id && piece.shape !== "red") {
    label(g, view, `${piece.id}`, piece.x, storeys > 1 ? y - 9 : y, text, 8, false, 0.75);
  }
}

function bevel(g, radius, edge) {
  g.beginPath();
  g.arc(0, 0, radius * 0.8, 0, 2 * Math.PI);
  g.lineWidth = 0.7;
  g.strokeStyle = edge;
  g.globalAlpha *= 0.45;
  g.stroke();
}

// (x, y) is where the low rim touches the mat. The upper face looks towards `azimuth`, the side on which
// the rim is low.
function drawLeaner(g, view, piece, how) {
  const { radius, thickness } = sizeOf(view, piece);
  const { fill, edge, text } = paintOf(view, piece);
  const away = radius * Math.cos(piece.tilt), high = radius * Math.sin(piece.tilt);
  const cos = Math.cos(piece.azimuth), sin = Math.sin(piece.azimuth);
  const x = piece.x - away * cos, y = piece.y - away * sin;
  const narrow = Math.max(away, 1);
  const side = thickness * Math.max(1, piece.discs || 1) * Math.sin(piece.tilt);
  const rim = piece.face === "b" ? view.colours.white : view.colours.black;
  g.save();
  g.translate(x + 1.5 + high * 0.3, y - 1.5 - high * 0.3);
  g.rotate(piece.azimuth);
  ellipse(g, 0, narrow + side / 2, radius, view.colours.shadow);
  g.restore();
  g.save();
  g.translate(x, y);
  g.rotate(piece.azimuth);
  if (how.ghost) g.globalAlpha = 0.55;
  // the rim, then the upper face, which lies towards the azimuth by the thickness of the disc, or of a stack
  ellipse(g, -side / 2, narrow, radius, rim, edge);
  g.fillStyle = rim;
  g.fillRect(-side / 2, -radius, side, 2 * radius);
  ellipse(g, side / 2, narrow, radius, fill, edge);
  g.beginPath(); // the high rim catches the light
  g.ellipse(side / 2, 0, narrow * 0.86, radius * 0.86, 0, Math.PI * 0.6, Math.PI * 1.4);
  g.lineWidth = 1.1;
  g.strokeStyle = edge;
  g.globalAlpha *= 0.6;
  g.stroke();
  g.restore();
  if (how.marked) encircle(g, view, x, y, radius);
  const front = piece.face ? side / 2 : 0; // what shows no face is named on its rim
  if (piece.id) label(g, view, `${piece.id}`, x + front * cos, y + front * sin, piece.face ? text : "#d8d5cc", 8, false, 0.85);
}

function ellipse(g, x, narrow, wide, fill, edge) {
  g.beginPath();
  g.ellipse(x, 0, narrow, wide, 0, 0, 2 * Math.PI);
  g.fillStyle = fill;
  g.fill();
  if (edge) {
    g.lineWidth = 1.1;
    g.strokeStyle = edge;
    g.stroke();
  }
}

/** Encircles what players have to do something with. */
export function encircle(g, view, x, y, radius) {
  g.beginPath();
  g.arc(x, y, radius + 3.5, 0, 2 * Math.PI);
  for (const [width, colour] of [[4.6, "on-felt"], [2.4, "marked"]]) {
    g.lineWidth = width;
    g.strokeStyle = view.colours[colour];
    g.stroke();
  }
}

/** Draws text on the mat, upright. @param {number} size in mm */
export function label(g, view, text, x, y, colour, size, bold = false, alpha = 1) {
  g.save();
  g.translate(x, y);
  g.scale(1, -1);
  g.globalAlpha = alpha;
  const least = LEAST_PX * (window.devicePixelRatio > 1 ? Math.min(2, window.devicePixelRatio) : 1) / view.scale;
  size = Math.max(size, least);
  g.font = `${bold ? 600 : 400} ${size}px Inter, "Segoe UI", system-ui, "DejaVu Sans", sans-serif`;
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.fillStyle = colour;
  g.fillText(text, 0, 0);
  g.restore();
}
