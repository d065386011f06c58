// What the runners of MicroPython share: the firmware, where their scripts can import it.

import fs from "node:fs";
import path from "node:path";

function copyTree(mp, from, to) {
    mp.FS.mkdir(to);
    for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
        const [source, target] = [path.join(from, entry.name), `${to}/${entry.name}`];
        if (entry.isDirectory()) {
            if (entry.name !== "__pycache__") copyTree(mp, source, target);
        } else if (/\.m?py$/.test(entry.name)) {
            mp.FS.writeFile(target, fs.readFileSync(source));
        }
    }
}

// Copies the sources in the folder `firmware` to /firmware. Modules are imported from / and from there.
export function provideFirmware(mp, firmware) {
    copyTree(mp, firmware, "/firmware");
    mp.runPython("import sys\nsys.path[:] = ['/', '/firmware']");
}
