const ADDRESS = /[^\s<>"'(),;:=[\]@\\|*]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){0,10}[\p{L}\p{N}-]{1,63}/gu;

/** The first `most` distinct addresses in a text, in order. Only the first 64 Ki characters are searched. */
export function findAddresses(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [address] of text.slice(0, 65_536).matchAll(ADDRESS)) {
    if (found.size === most) break;
    found.add(address);
  }
  return [...found];
}

/** Whether two spellings mean the same address. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
