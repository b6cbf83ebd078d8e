import manifest from '../../package.json' with { type: 'json' };

/** Of this program: `0.2.0`. Parts are numbers, and nothing follows the third. */
export const VERSION: string = manifest.version;

const FORM = /^(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})$/;

export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Below 0: `one` is the older version. Both are versions. */
export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number);
  const differences = one.split('.').map((part, at) => Number(part) - (others[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
