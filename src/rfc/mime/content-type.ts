/** A structured value with parameters: Content-Type, Content-Disposition (RFC 2045, section 5.1). */
export interface ParameterizedValue {
  /** In lower case, without comments; an empty string when it is missing. */
  readonly value: string;
  /** By name in lower case. When a name is there twice, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_TEXT = 4_096;
const MAX_PARAMETERS = 50;

const PARAMETER = /^[\s;]*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;"]*))/;

/** Never throws. Lenient: quotes may lack their end, and anything that is no parameter is skipped. */
export function readParameterizedValue(text: string): ParameterizedValue {
  const cut = text.slice(0, MAX_TEXT);
  const semicolon = cut.indexOf(';');
  const head = semicolon === -1 ? cut : cut.slice(0, semicolon);
  const parameters = new Map<string, string>();
  let rest = semicolon === -1 ? '' : cut.slice(semicolon + 1);
  while (rest !== '' && parameters.size < MAX_PARAMETERS) {
    const match = PARAMETER.exec(rest);
    if (match === null) {
      const next = rest.indexOf(';');
      if (next === -1) break;
      rest = rest.slice(next + 1);
      continue;
    }
    const name = (match[1] as string).toLowerCase().replace(/\*0?\*?$/, '');
    const value = match[2] === undefined ? (match[3] as string) : match[2].replace(/\\(.)/g, '$1');
    if (!parameters.has(name)) parameters.set(name, value);
    rest = rest.slice(match[0].length);
  }
  return { value: (/^[^\s(;]*/.exec(head.trim())?.[0] ?? '').toLowerCase(), parameters };
}
