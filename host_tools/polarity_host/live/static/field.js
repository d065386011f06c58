// The field as a picture: signed, in even steps of lightness, and safe for every colour vision.
//
// Blue is down, orange up, and zero is the paper's own grey. The colours are made in OKLab (Ottosson
// 2020), where equal steps look equal. Lightness falls (in the dark theme: rises) evenly on both sides,
// so strength can be read without colour; blue and orange differ in all common colour deficiencies.
// The scale is asinh: linear below 0.2 mT, logarithmic above. A soft cubic interpolates the scaled
// values between the sensors.

const FULL_UT = 60000;
const LINEAR_UT = 200;
const STEPS = 256;
const FINE = 8; // pixels a pitch
const MARGIN = 2; // cells beyond the outermost sensors
const HUES = [258, 52]; // degrees: blue, orange

function fromOklab(lightness, a, b) {
  const cubes = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((v) => v ** 3);
  return [
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.707614701],
  ].map((row) => {
    const linear = Math.min(1, Math.max(0, row[0] * cubes[0] + row[1] * cubes[1] + row[2] * cubes[2]));
    return Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
  });
}

/** The 256 colours from strongest down, over zero, to strongest up. @param {boolean} dark @returns {number[][]} [r, g, b] each */
export function palette(dark) {
  const [middle, end] = dark ? [0.24, 0.84] : [0.96, 0.46];
  return Array.from({ length: STEPS }, (_, k) => {
    const signed = (2 * k) / (STEPS - 1) - 1, strength = Math.abs(signed);
    const hue = HUES[signed < 0 ? 0 : 1] * Math.PI / 180, chroma = 0.125 * strength;
    return fromOklab(middle + (end - middle) * strength, chroma * Math.cos(hue), chroma * Math.sin(hue));
  });
}

/** A field on the picture's scale. @param {number} ut in µT @returns {number} -1 to 1 */
export function signedOf(ut) {
  return Math.min(1, Math.max(-1, Math.asinh(ut / LINEAR_UT) / Math.asinh(FULL_UT / LINEAR_UT)));
}

/** Counts or units in base64. @template T @param {string} base64 @param {new (...args) => T} Type a typed array @returns {T} */
export function unpack(base64, Type) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT | 0);
}

/** The picture of one mat's field: `set` the values in µT, in frame order, then `paint`. */
export class FieldPicture {
  constructor(mat, dark = false) {
    this.pitch = mat.pitch_mm;
    this.reach = Math.round(Math.max(...mat.sensors.flat().map(Math.abs)) / this.pitch) + MARGIN;
    this.side = 2 * this.reach + 1;
    const cell = (mm) => Math.round(mm / this.pitch) + this.reach;
    this.cells = mat.sensors.map(([x, y]) => cell(y) * this.side + cell(x));
    this.grid = new Float32Array(this.side ** 2);
    this.beyond = beyond(new Set(this.cells), this.side);
    this.pixels = (this.side - 3) * FINE; // the outermost cells serve the interpolation only
    this.picture = new OffscreenCanvas(this.pixels, this.pixels);
    this.image = new ImageData(this.pixels, this.pixels);
    this.setDark(dark);
  }

  setDark(dark) {
    this.colours = palette(dark);
  }

  /** Takes the values. @param {ArrayLike<number>} values in µT, in frame order */
  set(values) {
    this.cells.forEach((cell, k) => { this.grid[cell] = signedOf(values[k] || 0); });
    for (const [cell, near] of this.beyond) {
      this.grid[cell] = 0.7 * near.reduce((sum, other) => sum + this.grid[other], 0) / near.length;
    }
    const { pixels, image, colours } = this, rows = this._alongRows();
    for (let y = 0; y < pixels; y++) {
      const [j, weights] = cubicAt(pixels - 1 - y); // rows of the picture go down
      for (let x = 0; x < pixels; x++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += weights[k] * rows[(j + k) * pixels + x];
        const colour = colours[Math.round((Math.min(1, Math.max(-1, sum)) + 1) / 2 * (STEPS - 1))];
        const at = 4 * (y * pixels + x);
        [image.data[at], image.data[at + 1], image.data[at + 2]] = colour;
        image.data[at + 3] = 255;
      }
    }
    this.picture.getContext("2d").putImageData(image, 0, 0);
    return this;
  }

  _alongRows() {
    const { side, pixels, grid } = this, rows = new Float32Array(side * pixels);
    for (let x = 0; x < pixels; x++) {
      const [i, weights] = cubicAt(x);
      for (let row = 0; row < side; row++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += weights[k] * grid[row * side + i + k];
        rows[row * pixels + x] = sum;
      }
    }
    return rows;
  }

  /** Paints it into the circle of `radius` mm. */
  paint(g, radius) {
    const half = this.pixels * this.pitch / FINE / 2;
    g.save();
    g.beginPath();
    g.arc(0, 0, radius, 0, 2 * Math.PI);
    g.clip();
    g.scale(1, -1);
    g.imageSmoothingEnabled = true;
    g.imageSmoothingQuality = "high";
    g.drawImage(this.picture, -half, -half, 2 * half, 2 * half);
    g.restore();
  }
}

/** Cells without a sensor, from the rim outwards, each with the neighbours that determine its value. */
function beyond(known, side) {
  const found = [];
  for (let again = 0; again < MARGIN + 6; again++) {
    const next = [];
    for (let cell = 0; cell < side * side; cell++) {
      if (known.has(cell)) continue;
      const x = cell % side;
      const near = [[-1, 0], [1, 0], [0, -1], [0, 1]]
        .filter(([dx]) => x + dx >= 0 && x + dx < side)
        .map(([dx, dy]) => cell + dx + dy * side).filter((other) => known.has(other));
      if (near.length) next.push([cell, near]);
    }
    next.forEach(([cell]) => known.add(cell));
    found.push(...next);
  }
  return found;
}

/** The first of four cells and their weights at a pixel (Mitchell and Netravali 1988, B = C = 1/3). */
function cubicAt(pixel) {
  const at = (pixel + 0.5) / FINE, i = Math.floor(at), t = at - i;
  return [i, [1 + t, t, 1 - t, 2 - t].map((d) =>
    (d < 1 ? 21 * d ** 3 - 36 * d * d + 16 : -7 * d ** 3 + 36 * d * d - 60 * d + 32) / 18)];
}
