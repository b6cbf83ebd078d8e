import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PixelSum } from './pixel-sum.ts';
import { readRaster } from './raster.ts';

const u16 = (...numbers: number[]): string =>
  numbers.map((each) => String.fromCharCode(each & 255, each >> 8)).join('');
const be16 = (...numbers: number[]): string =>
  numbers.map((each) => String.fromCharCode(each >> 8, each & 255)).join('');
const be32 = (...numbers: number[]): string =>
  numbers.map((each) => be16(Math.floor(each / 65_536), each % 65_536)).join('');
const u24 = (...numbers: number[]): string =>
  numbers.map((each) => String.fromCharCode(each & 255, (each >> 8) & 255, each >> 16)).join('');

const png = (width: number, height: number, next = `${be32(0)}IDAT${be32(0)}`): string =>
  `\x89PNG\r\n\x1a\n${be32(13)}IHDR${be32(width, height)}\x08\x06\0\0\0${be32(0)}${next}`;
const jpeg = (width: number, height: number): string =>
  `\xff\xd8\xff\xe1${be16(1_002)}${'\xff'.repeat(1_000)}\xff\xff\xdb${be16(2)}\xff\xc2${be16(11)}\x08${be16(height, width)}`;
const gif = (width: number, height: number, ofFirst: readonly [number, number] = [1, 1]): string =>
  `GIF89a${u16(width, height)}\x80\0\0${'\0'.repeat(6)}!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0,${u16(0, 0, ...ofFirst)}`;
const webp = (kind: string, rest: string): string => `RIFF\0\0\0\0WEBP${kind}\0\0\0\0${rest}`;
const bmp = (width: number, height: number): string =>
  `BM${'\0'.repeat(12)}${u16(40, 0, width, 0)}${u16(height & 65_535, height < 0 ? 65_535 : 0, 1)}`;

describe('the type and size of an image, by its bytes', () => {
  for (const [what, bytes, expected] of [
    ['PNG', png(8_000, 6_000), 'image/png 48000000'],
    ['PNG of many megabytes', png(20_000, 20_000), null],
    ['animated PNG', png(4_000, 3_000, `${be32(8)}acTL`), 'image/png 48000000'],
    ['large animated PNG', png(8_000, 6_000, `${be32(8)}acTL`), null],
    ['PNG without pixels', png(0, 9), null],
    ['JPEG with camera metadata', jpeg(8_000, 6_000), 'image/jpeg 48000000'],
    ['JPEG as large as can be', jpeg(65_535, 65_535), null],
    ['JPEG without a size before its data', `\xff\xd8\xff\xda${be16(11)}`, null],
    ['GIF', gif(100, 50), 'image/gif 20000'],
    ['GIF whose first frame is larger than its screen', gif(1, 1, [60_000, 60_000]), null],
    ['GIF as large as can be', gif(65_535, 65_535), null],
    ['WebP', webp('VP8 ', `\0\0\0\x9d\x01\x2a${u16(100, 50)}`), 'image/webp 5000'],
    [
      'lossless WebP',
      webp('VP8L', `/${u16((99 | (49 << 14)) & 65_535, (49 << 14) >> 16)}`),
      'image/webp 5000',
    ],
    ['animated WebP', webp('VP8X', `\x02\0\0\0${u24(99, 49)}`), 'image/webp 20000'],
    ['WebP as large as can be', webp('VP8X', `\0\0\0\0${u24(0xffffff, 0xffffff)}`), null],
    ['BMP', bmp(100, -50), 'image/bmp 5000'],
    ['BMP as large as can be', bmp(65_535, 32_767), null],
    ['AVIF', '\0\0\0 ftypavif', null],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', null],
  ] as const)
    test(`the type and the number of pixels are read from the bytes: ${what}`, () => {
      const found = readRaster(Buffer.from(bytes, 'latin1'));
      assert.equal(found === null ? null : `${found.type} ${found.pixels}`, expected);
    });

  test('truncated and random images are read without an exception', () => {
    const heads = [png(9, 9), jpeg(9, 9), gif(9, 9), webp('VP8X', `\0\0\0\0${u24(9, 9)}`), bmp(9, 9)];
    fc.assert(
      fc.property(
        fc.constantFrom(...heads),
        fc.nat(60),
        fc.uint8Array({ maxLength: 60 }),
        (head, at, rest) => {
          readRaster(Buffer.concat([Buffer.from(head, 'latin1').subarray(0, at), rest]));
        },
      ),
    );
  });
});

test('the pixel limit of a message admits some large images, and counts repeated images once', () => {
  const pixels = new PixelSum();
  const admitted = Array.from({ length: 50 }, (_, n) => pixels.admits(`${n % 10}`, 50_000_000));
  assert.deepEqual(
    admitted,
    Array.from({ length: 50 }, (_, n) => n % 10 < 6),
  );
});

test('a remote image is counted again after it became larger', () => {
  const pixels = new PixelSum();
  const small = Array.from({ length: 10 }, (_, n) => pixels.admits(`${n}`, 1));
  assert.ok(small.every(Boolean));
  const large = Array.from({ length: 10 }, (_, n) => pixels.admits(`${n}`, 50_000_000));
  assert.equal(large.filter(Boolean).length, 5);
});
