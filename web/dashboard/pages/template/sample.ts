/** Sample data of a template: an object as JSON. */

const PLAIN = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * The sample with a value for each plain name that it lacks. Null: there is nothing to add, or no object to add it to.
 * @param missing `order.id`; names with brackets are left out
 */
export function withMissing(sample: string, missing: readonly string[]): string | null {
  const data = objectIn(sample);
  const names = missing.filter((name) => PLAIN.test(name));
  if (data === null || names.length === 0) return null;
  let added = false;
  for (const name of names) {
    const path = name.split('.');
    const last = path.pop() ?? name;
    let at: Record<string, unknown> | null = data;
    for (const step of path) {
      if (at === null) break;
      if (!Object.hasOwn(at, step)) at[step] = {};
      at = asObject(at[step]);
    }
    if (at === null || Object.hasOwn(at, last)) continue;
    at[last] = last;
    added = true;
  }
  return added ? JSON.stringify(data, null, 2) : null;
}

/** Null: the text is no object as JSON. */
export function objectIn(json: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(json));
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
