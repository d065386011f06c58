// The field as a picture: signed, in even steps of lightness, and safe for every colour vision.
//
// Blue is down, orange up, and nothing is the paper's own grey. The colours are made in OKLab
// (Ottosson 2020), where equal steps look equal: lightness falls (by night: rises) evenly on both
// sides, so strength can be read without any colour; blue against orange is told apart in all
// common colour deficiencies. The scale is asinh: linear below 0.2 mT, logarithmic above.

const FULL_UT = 60000;
const LINEAR_UT = 200;
const STEPS = 256;
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

/** The 256 colours from strongest down, over nothing, to strongest up: [[r, g, b], …]. */
export function palette(dark) {
  const [middle, end] = dark ? [0.24, 0.84] : [0.96, 0.46];
  return Array.from({ length: STEPS }, (_, k) => {
    const signed = (2 * k) / (STEPS - 1) - 1, strength = Math.abs(signed);
    const hue = HUES[signed < 0 ? 0 : 1] * Math.PI / 180, chroma = 0.125 * strength;
    return fromOklab(middle + (end - middle) * strength, chroma * Math.cos(hue), chroma * Math.sin(hue));
  });
}

/** A field in µT as a step of the palette, 0 to 255. */
export function stepOf(ut) {
  const signed = Math.asinh(ut / LINEAR_UT) / Math.asinh(FULL_UT / LINEAR_UT);
  return Math.round((Math.min(1, Math.max(-1, signed)) + 1) / 2 * (STEPS - 1));
}

/** Counts or units in base64 as a typed array. */
export function unpack(base64, Type) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT | 0);
}

/** The picture of one mat's field: `set` the values in µT, in frame order, then `paint`. */
export class FieldPicture {
  constructor(mat, dark = false) {
    const pitch = mat.pitch_mm;
    const reach = Math.round(Math.max(...mat.sensors.flat().map(Math.abs)) / pitch);
    this.pitch = pitch;
    this.reach = reach;
    this.side = 2 * reach + 1;
    this.cells = mat.sensors.map(([x, y]) => (Math.round(y / pitch) + reach) * this.side + Math.round(x / pitch) + reach);
    this.grid = new Float32Array(this.side ** 2);
    this.known = new Uint8Array(this.side ** 2);
    this.cells.forEach((cell) => { this.known[cell] = 1; });
    this.fine = 8; // pixels a pitch
    this.pixels = 2 * reach * this.fine + 1;
    this.picture = new OffscreenCanvas(this.pixels, this.pixels);
    this.image = new ImageData(this.pixels, this.pixels);
    this.setDark(dark);
  }

  setDark(dark) {
    this.colours = palette(dark);
  }

  /** Values in µT, in frame order. */
  set(values) {
    this.cells.forEach((cell, k) => { this.grid[cell] = values[k] || 0; });
    const { pixels, fine, side, image, colours } = this;
    for (let row = 0; row < pixels; row++) {
      const v = (pixels - 1 - row) / fine; // rows of the picture go down
      for (let column = 0; column < pixels; column++) {
        const colour = colours[stepOf(this._at(column / fine, v, side))];
        const at = 4 * (row * pixels + column);
        image.data[at] = colour[0];
        image.data[at + 1] = colour[1];
        image.data[at + 2] = colour[2];
        image.data[at + 3] = 255;
      }
    }
    this.picture.getContext("2d").putImageData(image, 0, 0);
    return this;
  }

  _at(u, v, side) {
    const i = Math.min(Math.floor(u), side - 2), j = Math.min(Math.floor(v), side - 2);
    const a = u - i, b = v - j;
    let sum = 0, weights = 0;
    for (const [di, dj, weight] of [[0, 0, (1 - a) * (1 - b)], [1, 0, a * (1 - b)], [0, 1, (1 - a) * b], [1, 1, a * b]]) {
      const cell = (j + dj) * side + i + di;
      if (this.known[cell]) {
        sum += weight * this.grid[cell];
        weights += weight;
      }
    }
    return weights ? sum / weights : 0;
  }

  /** Paints it into the circle of `radius` mm. */
  paint(g, radius) {
    const half = this.pixels * this.pitch / this.fine / 2;
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
