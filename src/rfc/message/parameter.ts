/** The maximum length of each piece of a parameter, chosen to keep each line of a field below 998 octets. */
const MAX_PARAMETER = 60;
const PLAIN = /^[ !#-[\]-~]*$/;

/** Writes a parameter. A long or non-ASCII value is percent-encoded and split into pieces, as in RFC 2231. */
export function parameter(name: string, value: string): string {
  if (PLAIN.test(value) && value.length <= MAX_PARAMETER) return `;\r\n ${name}="${value}"`;
  const encoded = [...value.toWellFormed()].map((character) =>
    encodeURIComponent(character).replace(
      /['()*!]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
  const lines: string[] = [''];
  for (const one of encoded) {
    const line = lines.at(-1) ?? '';
    if (line.length + one.length > MAX_PARAMETER) lines.push(one);
    else lines[lines.length - 1] = line + one;
  }
  return lines.map((line, at) => `;\r\n ${name}*${at}*=${at === 0 ? "utf-8''" : ''}${line}`).join('');
}
