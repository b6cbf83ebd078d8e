import manifest from '../../package.json' with { type: 'json' };

/** The version of this program, such as `0.2.0`: three numbers, without a suffix. */
export const VERSION: string = manifest.version;

const FORM = /^(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})$/;

export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Compares two versions. @returns a negative number if `one` is older */
export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number);
  const differences = one.split('.').map((part, at) => Number(part) - (others[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
