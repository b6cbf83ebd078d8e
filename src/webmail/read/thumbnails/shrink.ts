/** Decodes an image, makes it small and encodes it again. Metadata, such as the place where a photograph was taken, is lost. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode.js';
import decodePng, { init as initPng } from '@jsquash/png/decode.js';
import decodeWebp, { init as initWebp } from '@jsquash/webp/decode.js';
import encodeWebp, { init as initEncoder } from '@jsquash/webp/encode.js';

export interface ShrinkTask {
  type: 'image/jpeg' | 'image/png' | 'image/webp';
  bytes: Uint8Array<ArrayBuffer>;
}

/** Pixels in the form of the browser's ImageData, which the codecs use. */
export class Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height = data.length / 4 / width) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
Object.assign(globalThis, { ImageData: Pixels });

/** The maximum width and height: twice those on the page, for screens with small pixels. */
const MAX_SIDE = 320;
const QUALITY = 70;
/** Each pixel of the result is the mean of at most this many pixels in each direction. */
const MAX_SAMPLES = 4;
const QUIET = { print() {}, printErr() {} };

const DECODERS = {
  'image/jpeg': async (bytes: ArrayBuffer) => {
    await initJpeg(await codec('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'), QUIET);
    return decodeJpeg(bytes, { preserveOrientation: true });
  },
  'image/png': async (bytes: ArrayBuffer) => {
    await initPng(await codec('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
    return decodePng(bytes);
  },
  'image/webp': async (bytes: ArrayBuffer) => {
    await initWebp(await codec('@jsquash/webp/codec/dec/webp_dec.wasm'), QUIET);
    return decodeWebp(bytes);
  },
};

/** @returns the image as WebP; null if it cannot be decoded */
export async function shrink({ type, bytes }: ShrinkTask): Promise<Uint8Array | null> {
  try {
    const pixels = await DECODERS[type](bytes.buffer);
    await initEncoder(await codec('@jsquash/webp/codec/enc/webp_enc_simd.wasm'), QUIET);
    return new Uint8Array(await encodeWebp(scaled(pixels), { quality: QUALITY }));
  } catch {
    // The codecs throw values of many types.
    return null;
  }
}

/** Scales an image down by the mean of its pixels. A small image stays as it is. */
export function scaled(image: Pixels): Pixels {
  const factor = Math.max(1, image.width / MAX_SIDE, image.height / MAX_SIDE);
  if (factor === 1) return image;
  const [width, height] = [image.width, image.height].map((side) =>
    Math.max(1, Math.round(side / factor)),
  ) as [number, number];
  const samples = Math.min(MAX_SAMPLES, Math.ceil(factor));
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const sum = new Float64Array(4);
      for (let sample = 0; sample < samples * samples; sample++) {
        const left = Math.floor(((x + ((sample % samples) + 0.5) / samples) / width) * image.width);
        const top = Math.floor(
          ((y + (Math.floor(sample / samples) + 0.5) / samples) / height) * image.height,
        );
        const at = (top * image.width + left) * 4;
        for (let channel = 0; channel < 4; channel++)
          sum[channel] = (sum[channel] ?? 0) + (image.data[at + channel] ?? 0);
      }
      for (let channel = 0; channel < 4; channel++)
        data[(y * width + x) * 4 + channel] = (sum[channel] ?? 0) / (samples * samples);
    }
  return new Pixels(data, width, height);
}

const codecs = new Map<string, Promise<WebAssembly.Module>>();

/** The compiled codec, which is compiled once. */
function codec(file: string): Promise<WebAssembly.Module> {
  const known = codecs.get(file);
  if (known !== undefined) return known;
  const compiled = readFile(fileURLToPath(import.meta.resolve(file))).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  codecs.set(file, compiled);
  return compiled;
}
