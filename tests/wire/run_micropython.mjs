// Runs a script under real MicroPython with the firmware package importable.
// node run_micropython.mjs FIRMWARE_DIR SCRIPT
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [firmware, script] = process.argv.slice(2);
const python = await loadMicroPython({ heapsize: 4 << 20, stdout: (line) => console.log(line) });

function copy(from, to) {
  python.FS.mkdirTree(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (name.startsWith("__pycache__")) continue;
    if (statSync(path).isDirectory()) copy(path, `${to}/${name}`);
    else if (name.endsWith(".py")) python.FS.writeFile(`${to}/${name}`, readFileSync(path));
  }
}

copy(join(firmware, "polarity"), "/lib/polarity");
python.runPython("import sys\nsys.path.append('/lib')\n" + readFileSync(script, "utf8"));
