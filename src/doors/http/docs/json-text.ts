const WIDTH = 80;
const INDENT = '  ';

/** JSON for readers. A list without objects is on one line if it fits. */
export function jsonText(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((each) => jsonText(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${jsonText(each, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const short = `${open}${entries.join(', ')}${close}`;
  const fits =
    isList && !short.includes('\n') && !value.some(isObject) && indent.length + short.length <= WIDTH;
  if (entries.length === 0 || fits) return short;
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}\n${indent}${close}`;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
