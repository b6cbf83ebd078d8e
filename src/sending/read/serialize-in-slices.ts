import { setImmediate } from 'node:timers/promises';

/** How many characters are serialized per tick of the event loop, which takes about half a millisecond. */
const SLICE_LENGTH = 128 * 1024;

/** Serializes an object with long strings to the same JSON as `JSON.stringify`, in slices, so that other requests do not wait. */
export async function serializeInSlices(value: object): Promise<Buffer> {
  const pieces: string[] = [];
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    if (typeof field !== 'string') {
      pieces.push(JSON.stringify(field));
      continue;
    }
    pieces.push('"');
    for (let at = 0; at < field.length; ) {
      await setImmediate();
      const end = sliceEnd(field, at);
      pieces.push(JSON.stringify(field.slice(at, end)).slice(1, -1));
      at = end;
    }
    pieces.push('"');
  }
  pieces.push(pieces.length === 0 ? '{}' : '}');
  return encodeInSlices(pieces);
}

/** Never separates the two halves of a surrogate pair, which `JSON.stringify` would then escape. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

async function encodeInSlices(pieces: readonly string[]): Promise<Buffer> {
  let size = 0;
  for (const piece of pieces) size += Buffer.byteLength(piece);
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) {
    if (piece.length >= SLICE_LENGTH) await setImmediate();
    at += bytes.write(piece, at);
  }
  return bytes;
}
