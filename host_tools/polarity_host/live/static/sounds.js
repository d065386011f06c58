// Short sounds for a fault, a turn and the end of a game: off at first where a finger points, as on a phone.

const TONES = { turn: [[660, 0.08]], fault: [[220, 0.16], [165, 0.22]], end: [[523, 0.14], [659, 0.14], [784, 0.3]] }; // Hz, seconds
const LOUD = 0.12;
let context = null;

/** Whether sounds are on. @returns {boolean} */
export function audible() {
  const chosen = localStorage.getItem("sounds");
  return chosen ? chosen === "on" : !matchMedia("(pointer: coarse)").matches;
}

/** Switches them; to be called from a press, without which browsers play nothing. @param {boolean} on */
export function setAudible(on) {
  localStorage.setItem("sounds", on ? "on" : "off");
  if (on) play("turn");
}

/** Plays what belongs to a ruling. @param {string} code of the ruling */
export function play(code) {
  if (!TONES[code] || !audible()) return;
  context ??= new AudioContext();
  let from = context.currentTime;
  for (const [hertz, seconds] of TONES[code]) {
    const tone = context.createOscillator(), volume = context.createGain();
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(LOUD, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + seconds);
    from += seconds;
  }
}
