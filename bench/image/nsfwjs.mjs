// nsfwjs in Node on TF.js's wasm backend: the classes of each picture, and the CPU time of classifying one.
//
//   node nsfwjs.mjs scores MODEL LIST         one JSON line a picture: {file, width, height, scores}
//   node nsfwjs.mjs time MODEL LIST ROUNDS    one JSON line: {model, cpu_ms: [one value a run], rss_mb}
//
// LIST holds one file name a line. Pictures are decoded by sharp, upright and without colour management. Time is the
// CPU time of the whole process around `classify`, decoding left out. Refuses pictures with transparency.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const tf = require("@tensorflow/tfjs");
require("@tensorflow/tfjs-backend-wasm");
const nsfwjs = require("nsfwjs/core");
const sharp = require("sharp");

const MODELS = {
    "nsfwjs-mobilenet-v2": ["MobileNetV2", require("nsfwjs/models/mobilenet_v2").MobileNetV2Model],
    "nsfwjs-mobilenet-v2-mid": ["MobileNetV2Mid", require("nsfwjs/models/mobilenet_v2_mid").MobileNetV2MidModel],
    "nsfwjs-inception-v3": ["InceptionV3", require("nsfwjs/models/inception_v3").InceptionV3Model],
};

async function pixels(file) {
    const image = sharp(file, { ignoreIcc: true, limitInputPixels: false }).autoOrient().toColourspace("srgb");
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error(`${file}: ${info.channels} channels`);
    return { tensor: tf.tensor3d(data, [info.height, info.width, 3], "int32"), width: info.width, height: info.height };
}

const [command, name, list, rounds] = process.argv.slice(2);
const files = readFileSync(list, "utf8").split("\n").filter(Boolean);
const print = (value) => process.stdout.write(JSON.stringify(value) + "\n");
console.info = () => {};

await tf.setBackend("wasm");
await tf.ready();
const [label, definition] = MODELS[name];
const model = await nsfwjs.load(label, { ...definition.options, modelDefinitions: [definition] });

if (command === "scores") {
    for (const file of files) {
        const { tensor, width, height } = await pixels(file);
        const classes = await model.classify(tensor);
        tensor.dispose();
        const scores = Object.fromEntries(classes.map(({ className, probability }) => [className, probability]));
        print({ file, width, height, scores });
    }
} else {
    const cpu = [];
    for (let round = -1; round < Number(rounds); round++) {
        for (const file of files) {
            const { tensor } = await pixels(file);
            const before = process.cpuUsage();
            await model.classify(tensor);
            const { user, system } = process.cpuUsage(before);
            tensor.dispose();
            if (round >= 0) cpu.push((user + system) / 1000);
        }
    }
    print({ model: name, cpu_ms: cpu, rss_mb: Math.round(process.memoryUsage().rss / 1e6) });
}
