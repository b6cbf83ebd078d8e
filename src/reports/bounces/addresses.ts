const ADDRESS = /[^\s<>"'(),;:=[\]@\\|*]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){0,10}[\p{L}\p{N}-]{1,63}/gu;

/** The addresses in a text, in order, each once, at most `most`; the text is looked at up to 64 Ki characters. */
export function findAddresses(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [address] of text.slice(0, 65_536).matchAll(ADDRESS)) {
    if (found.size === most) break;
    found.add(address);
  }
  return [...found];
}

/** For comparing two spellings of one address. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
