/** The sample data of a template: a JSON object. */

const PLAIN = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * Adds a value to the sample for each missing name. Null if there is no value to add, or if the sample is not an object.
 * @param missing names such as `order.id`; names with brackets are skipped
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

/** The object that a JSON text contains. Null if the text is not a JSON object. */
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
