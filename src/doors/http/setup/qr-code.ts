import { type Html, html } from '../html.ts';

/** Around the code, in its squares (ISO/IEC 18004, section 9.1). */
const QUIET_ZONE = 4;

/** A code takes 4 ms of the loop for so many characters, and many more for more: nobody is signed in. */
const MAX_CHARACTERS = 300;

/** The same as a text, for an image. */
export async function qrCodeSvg(text: string): Promise<string | null> {
  const code = await qrCode(text);
  return code === null ? null : code.toString().replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');
}

/**
 * A picture within the page, black on white in all colour schemes: that is what phones read.
 * @returns null: the text is too long
 */
export async function qrCode(text: string): Promise<Html | null> {
  if (text.length > MAX_CHARACTERS) return null;
  // Loaded with the first page: an idle process can do without.
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const path = data.map(pathOfRow).join('');
  return html`<svg class="qr" role="img" aria-label="QR code of this page" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"></rect><path d="${path}"></path></svg>
`;
}

/** Dark squares side by side are one bar. */
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
