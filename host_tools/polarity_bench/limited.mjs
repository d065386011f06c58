// Runs a Python script under real MicroPython, compiled to WebAssembly, with a heap that cannot grow:
//   node limited.mjs FIRMWARE_DIR HEAP_KB SCRIPT [FILE ...]
// The script may import the firmware; the FILEs lie in the root folder. It defines `turn()`, which is called until it
// returns 0: 1 for another turn, 2 for another after garbage was collected. What it prints goes to stdout. A Python
// error ends it with its traceback and code 1.

import fs from "node:fs";
import path from "node:path";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";
import { provideFirmware } from "./provide_firmware.mjs";

// What calls from here need of the memory behind the heap.
const OWN_BYTES = 256 * 1024;

// A full heap asks for more memory: there is none left then.
function takeTheRest(module) {
    const own = module._malloc(OWN_BYTES);
    for (let size = 1 << 30; size >= 4096; ) {
        if (!module._malloc(size)) size >>= 1;
    }
    module._free(own);
}

const [firmware, heapKb, script, ...files] = process.argv.slice(2);
const mp = await loadMicroPython({
    heapsize: Number(heapKb) * 1024,
    stdout: (line) => console.log(line),
    stderr: (line) => console.error(line),
});
provideFirmware(mp, firmware);
for (const file of files) mp.FS.writeFile(`/${path.basename(file)}`, fs.readFileSync(file));
try {
    takeTheRest(mp._module);
    mp.runPython(fs.readFileSync(script, "utf8"));
    for (;;) {
        mp.runPython("status = turn()");
        const status = mp.globals.get("status");
        if (status === 0) break;
        // This port cannot scan WebAssembly's stack: it collects only between two calls from here.
        if (status === 2) mp.runPython("import gc\ngc.collect()");
    }
} catch (error) {
    console.error(error.message);
    process.exit(1);
}
