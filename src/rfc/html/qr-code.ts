/** QR codes as SVG paths. */

/** The margin around the code, in squares (ISO/IEC 18004, section 9.1). */
const QUIET_ZONE = 4;

/** The maximum length of a text, which blocks the event loop for 4 ms. Attack: anonymous callers send longer texts. */
const MAX_CHARACTERS = 300;

/** The dark squares of a code, and the width of the code in squares. */
export interface QrCode {
  path: string;
  size: number;
}

/** Makes a QR code. @returns null if the text is longer than 300 characters */
export async function qrCode(text: string): Promise<QrCode | null> {
  if (text.length > MAX_CHARACTERS) return null;
  // The library is loaded on first use, to save memory in processes that make no QR codes.
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return { path: data.map(pathOfRow).join(''), size };
}

/** Returns the SVG path of a row, with adjacent dark squares as one bar. */
function pathOfRow(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x += 1;
    path += `M${from} ${y}h${x + 1 - from}v1H${from}z`;
  }
  return path;
}
