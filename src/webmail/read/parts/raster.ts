/** Recognizes images by their bytes, regardless of the declared type. Counts the pixels that a browser needs to draw an image. */

export type Raster = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/bmp' | 'image/x-icon';

interface RasterImage {
  type: Raster;
  /** The pixels that a browser holds in memory, weighted for animation. */
  pixels: number;
}

interface Size {
  width: number;
  height: number;
  isAnimated?: boolean;
}

/** How many bytes of a file are read to find its size. In a photograph, the size comes after the metadata of the camera. */
export const HEAD_BYTES = 524_288;
/** The maximum number of pixels: as many as in a photograph of a high-end camera. A browser needs four bytes for each pixel. */
const MAX_PIXELS = 52_000_000;
/** Each pixel of an animated image counts as this many pixels. */
const MOVING = 4;
/** The size that is assumed for every icon. An icon cannot declare a larger size, and browsers draw no icon larger than declared. */
const ICON: Size = { width: 256, height: 256 };

/**
 * Recognizes a raster image within the pixel limit. Excludes SVG, which is a document, and AVIF, which declares its size twice: browsers
 * allocate memory for the size within the compressed data, which is not read here. Attack: a file of a few bytes that claims to be 60,000
 * pixels wide and high.
 * @param bytes the first `HEAD_BYTES` of the file, or all bytes of a smaller file
 */
export function readRaster(bytes: Buffer): RasterImage | null {
  const type = typeOf(bytes);
  const size = type === null ? null : sizeOf(type, bytes);
  if (type === null || size === null) return null;
  const pixels = size.width * size.height * (size.isAnimated === true ? MOVING : 1);
  return pixels > 0 && pixels <= MAX_PIXELS ? { type, pixels } : null;
}

function typeOf(bytes: Buffer): Raster | null {
  const starts = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;
  if (starts('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts('\xff\xd8\xff')) return 'image/jpeg';
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  if (starts('BM') && bytes.length > 26 && bytes.readUInt32LE(14) >= 12 && bytes.readUInt32LE(14) <= 124)
    return 'image/bmp';
  if (starts('\0\0\x01\0') && bytes.length > 6 && bytes.readUInt16LE(4) > 0) return 'image/x-icon';
  return null;
}

/** @returns null if the bytes do not contain the size */
function sizeOf(type: Raster, bytes: Buffer): Size | null {
  try {
    switch (type) {
      case 'image/png':
        return sizeOfPng(bytes);
      case 'image/jpeg':
        return sizeOfJpeg(bytes);
      case 'image/gif':
        return sizeOfGif(bytes);
      case 'image/webp':
        return sizeOfWebp(bytes);
      case 'image/bmp':
        return sizeOfBmp(bytes);
      case 'image/x-icon':
        return ICON;
    }
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sizeOfPng(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = bytes.toString('latin1', at + 4, at + 8);
    if (chunk === 'acTL') return { ...size, isAnimated: true };
    if (chunk === 'IDAT') break;
  }
  return size;
}

function sizeOfJpeg(bytes: Buffer): Size | null {
  for (let at = 2; ; ) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at++;
    if (bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    // This is a start of frame. DHT, JPG and DAC have numbers in the same range but are not starts of frames.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    if (marker === 0xda || marker === 0xd9) return null;
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return null;
    at += 2 + length;
  }
}

/** The size of a GIF. Its first frame may be larger than the logical screen. */
function sizeOfGif(bytes: Buffer): Size | null {
  const tableOctets = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const width = bytes.readUInt16LE(6);
  const height = bytes.readUInt16LE(8);
  for (let at = 13 + tableOctets(bytes.readUInt8(10)); ; ) {
    const mark = bytes.readUInt8(at);
    if (mark === 0x2c)
      return {
        width: Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5)),
        height: Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7)),
        isAnimated: true,
      };
    if (mark !== 0x21) return null;
    // An extension consists of blocks with a length prefix. An empty block ends the extension.
    at += 2;
    while (bytes.readUInt8(at) !== 0) at += bytes.readUInt8(at) + 1;
    at++;
  }
}

function sizeOfWebp(bytes: Buffer): Size | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return {
        width: bytes.readUIntLE(24, 3) + 1,
        height: bytes.readUIntLE(27, 3) + 1,
        isAnimated: (bytes.readUInt8(20) & 2) !== 0,
      };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function sizeOfBmp(bytes: Buffer): Size {
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
}
