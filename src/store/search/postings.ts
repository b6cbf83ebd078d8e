/**
 * Lists of document numbers, which start at 0. A list is encoded as the distances between its numbers (LEB128), or as a bitmap if the
 * bitmap is shorter. An encoded list is a bitmap if and only if it has the length of a bitmap.
 */

export function bitmapLength(documents: number): number {
  return Math.ceil(documents / 8);
}

/** @param list document numbers in ascending order */
export function encodePostings(list: readonly number[], documents: number): Buffer {
  const whole = bitmapLength(documents);
  if (list.length < whole) {
    const octets: number[] = [];
    let last = -1;
    for (const document of list) {
      let distance = document - last - 1;
      last = document;
      for (; distance >= 0x80; distance >>>= 7) octets.push((distance & 0x7f) | 0x80);
      octets.push(distance);
    }
    if (octets.length < whole) return Buffer.from(octets);
  }
  const bitmap = Buffer.alloc(whole);
  for (const document of list)
    bitmap[document >> 3] = (bitmap[document >> 3] as number) | (1 << (document & 7));
  return bitmap;
}

/** Calls `visit` with each document of a list, in order. */
export function readPostings(octets: Uint8Array, documents: number, visit: (document: number) => void): void {
  if (octets.length === bitmapLength(documents)) {
    for (let at = 0; at < octets.length; at++) {
      for (let rest = octets[at] as number; rest !== 0; rest &= rest - 1)
        visit(at * 8 + 31 - Math.clz32(rest & -rest));
    }
    return;
  }
  let document = -1;
  let distance = 0;
  let shift = 0;
  for (const octet of octets) {
    distance |= (octet & 0x7f) << shift;
    shift += 7;
    if (octet >= 0x80) continue;
    document += distance + 1;
    visit(document);
    distance = shift = 0;
  }
}

/** Adds the documents of a list to a bitmap. */
export function addPostings(bitmap: Uint8Array, octets: Uint8Array, documents: number): void {
  if (octets.length === bitmap.length) {
    for (let at = 0; at < bitmap.length; at++) bitmap[at] = (bitmap[at] as number) | (octets[at] as number);
    return;
  }
  readPostings(octets, documents, (document) => {
    bitmap[document >> 3] = (bitmap[document >> 3] as number) | (1 << (document & 7));
  });
}
