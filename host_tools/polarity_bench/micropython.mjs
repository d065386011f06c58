// Runs the firmware's code under real MicroPython, compiled to WebAssembly. Of either
//   node micropython.mjs FIRMWARE_DIR SCRIPT
//   node micropython.mjs FIRMWARE_DIR RECORDING WIRE_OUT [locked]
// the first runs a Python script that may import the firmware; what it prints goes to stdout. At each of its
// lines `# look: NAME` it prints `NAME BYTES`, the bytes live on the heap by then. The second
// runs run_engine.py over a recording, with the heap `locked` where it is on the chip (heap_lock.py), and
// prints one JSON object: frames; version; and bytes live on the heap, beyond what MicroPython itself holds: `code` with the firmware loaded, `start` with a new engine,
// `peak` at any look while it runs and `end`. A Python error ends either with its traceback and code 1.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";
import { provideFirmware } from "./provide_firmware.mjs";

// The chip has less; a heap that never fills lets the report say how much was really live.
const HEAP_BYTES = 16 * 1024 * 1024;
const FRAMES_BETWEEN_LOOKS = 50;
const HERE = path.dirname(fileURLToPath(import.meta.url));

// This port cannot scan WebAssembly's stack: it collects only between two calls from here.
function liveBytes(mp) {
    mp.runPython("import gc\ngc.collect()");
    mp.runPython("live = gc.mem_alloc()");
    return mp.globals.get("live");
}

function judge(mp) {
    mp.runPython("import gc, sys, run_engine");
    if (locked) mp.runPython("import heap_lock\nheap_lock.lock_kernels('/firmware')");
    const own = liveBytes(mp);
    mp.runPython("import polarity.engine, polarity.mat_data");
    const code = liveBytes(mp) - own;
    mp.runPython("judging = run_engine.Judging('/game.matrec', '/wire')");
    const start = liveBytes(mp) - own;
    let peak = start;
    let end = start;
    do {
        mp.runPython(`more = judging.step(${FRAMES_BETWEEN_LOOKS})`);
        end = liveBytes(mp) - own;
        peak = Math.max(peak, end);
    } while (mp.globals.get("more"));
    mp.runPython("frames, version = judging.frames, sys.version");
    return {
        frames: mp.globals.get("frames"),
        version: mp.globals.get("version"),
        code,
        start,
        peak,
        end,
    };
}

const [firmware, input, wireOut, locked] = process.argv.slice(2);
const mp = await loadMicroPython({
    heapsize: HEAP_BYTES,
    stdout: (line) => (wireOut ? console.error(line) : console.log(line)),
    stderr: (line) => console.error(line),
});
provideFirmware(mp, firmware);
try {
    if (wireOut) {
        for (const name of ["run_engine.py", "heap_lock.py"]) {
            mp.FS.writeFile(`/${name}`, fs.readFileSync(path.join(HERE, name)));
        }
        mp.FS.writeFile("/game.matrec", fs.readFileSync(input));
        console.log(JSON.stringify(judge(mp)));
        fs.writeFileSync(wireOut, mp.FS.readFile("/wire"));
    } else {
        const parts = fs.readFileSync(input, "utf8").split(/^# look: (\w+)$/m);
        for (let at = 0; at < parts.length; at += 2) {
            if (at) {
                const live = liveBytes(mp);
                console.log(`${parts[at - 1]} ${live}`);
            }
            mp.runPython(parts[at]);
        }
    }
} catch (error) {
    console.error(error.message);
    process.exit(1);
}
