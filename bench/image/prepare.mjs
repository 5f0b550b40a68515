// Makes of the fetched pictures what is measured with.
//
//   node prepare.mjs PICTURES OUT
//
// OUT/exact/: photographs and drawings as PNG, so that both sides see the same pixels, and one of them in awkward
// sizes.
// OUT/jpeg.txt: JPEG files as they are, which each side decodes itself.
// OUT/excluded.txt: those with a colour profile, which Gavel applies and nsfwjs does not, or with transparency.
// OUT/1mp.jpg, 12mp.jpg: photographs side by side at their own resolution, an astronaut's face first; quality 95,
// 4:2:0.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const sharp = createRequire(import.meta.url)("sharp");
const [pictures, out] = process.argv.slice(2);
const SIZES = [
    [1, 1],
    [2, 300],
    [224, 224],
    [299, 299],
    [1000, 17],
    [2400, 1800],
];

const exact = join(out, "exact");
mkdirSync(exact, { recursive: true });
const jpegs = [];
const excluded = [];
const opaque = [];
for (const kind of ["photographs", "drawings"]) {
    for (const name of readdirSync(join(pictures, kind)).sort()) {
        const file = join(pictures, kind, name);
        const { icc, hasAlpha, format, space } = await sharp(file).metadata();
        if (kind === "photographs" && !hasAlpha && space === "srgb") opaque.push(file);
        if (icc || hasAlpha) {
            excluded.push(`${kind}/${name}: ${icc ? "colour profile" : "transparency"}`);
            continue;
        }
        if (format === "jpeg") jpegs.push(file);
        const pixels = sharp(file).autoOrient().toColourspace("srgb");
        await pixels.png({ compressionLevel: 3 }).toFile(join(exact, `${name}.png`));
    }
}
const photograph = opaque.find((file) => file.includes("coffee"));
for (const [width, height] of SIZES) {
    await sharp(photograph)
        .resize(width, height, { fit: "fill" })
        .png()
        .toFile(join(exact, `coffee-${width}x${height}.png`));
}

const astronaut = opaque.find((file) => file.includes("astronaut"));
for (const [name, width, height] of [
    ["1mp", 1152, 868],
    ["12mp", 4000, 3000],
]) {
    const tiles = [];
    for (let top = 0, index = 0; top < height; top += 512) {
        for (let left = 0; left < width; left += 512, index++) {
            const source = sharp(index === 0 ? astronaut : opaque[index % opaque.length]);
            const { width: w, height: h } = await source.metadata();
            const size = { width: Math.min(w, 512, width - left), height: Math.min(h, 512, height - top) };
            tiles.push({
                input: await source
                    .extract({ left: 0, top: 0, ...size })
                    .png()
                    .toBuffer(),
                left,
                top,
            });
        }
    }
    const canvas = sharp({ create: { width, height, channels: 3, background: "#808080" } });
    await canvas
        .composite(tiles)
        .jpeg({ quality: 95 })
        .toFile(join(out, `${name}.jpg`));
}
const list = (name, files) => writeFileSync(join(out, name), files.map((file) => file + "\n").join(""));
list(
    "exact.txt",
    readdirSync(exact)
        .sort()
        .map((name) => join(exact, name)),
);
list("jpeg.txt", jpegs);
list("excluded.txt", excluded);
for (const kind of readdirSync(pictures)) {
    list(
        `${kind}.txt`,
        readdirSync(join(pictures, kind))
            .sort()
            .map((name) => join(pictures, kind, name)),
    );
}
