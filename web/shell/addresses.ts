/** Reads and writes URLs for the router of an application. */

/** The state of a page is in its URL, as plain text: `?project=prj_…&q=…`. */
export type RouterSearch = Readonly<Record<string, string>>;

export function searchOf(search: Readonly<Record<string, unknown>>): RouterSearch {
  return Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Options of a router. @param base the path of the first page, `/mail`, without the final slash that the router would add */
export function addressesBelow(base: string) {
  const isBelow = new RegExp(`^${base}(?=/|$)`);
  return {
    rewrite: {
      input({ url }: { url: URL }) {
        url.pathname = url.pathname.replace(isBelow, '') || '/';
        return url;
      },
      output({ url }: { url: URL }) {
        url.pathname = url.pathname === '/' ? base : base + url.pathname;
        return url;
      },
    },
    // Keep values as plain text, because by default the router would write JSON.
    parseSearch: (text: string) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch(search: Readonly<Record<string, unknown>>) {
      const given = Object.entries(searchOf(search)).filter(([, value]) => value !== '');
      const text = new URLSearchParams(given).toString();
      return text === '' ? '' : `?${text}`;
    },
  };
}
