/** What bytes are, whatever a message or a server says of them. */

export type Raster =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/bmp'
  | 'image/x-icon';

/** How many bytes are looked at. */
export const SNIFFED_BYTES = 32;

/** An image that is nothing but pixels. SVG is none: it is a document. */
export function rasterOf(bytes: Buffer): Raster | null {
  const starts = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;
  if (starts('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts('\xff\xd8\xff')) return 'image/jpeg';
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  if (starts('ftypavif', 4) || starts('ftypavis', 4)) return 'image/avif';
  if (starts('BM') && bytes.length > 26 && bytes.readUInt32LE(14) >= 12 && bytes.readUInt32LE(14) <= 124)
    return 'image/bmp';
  if (starts('\0\0\x01\0') && bytes.length > 6 && bytes.readUInt16LE(4) > 0) return 'image/x-icon';
  return null;
}
