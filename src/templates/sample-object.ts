import type { Variables } from './fill-parts.ts';

/** Parses a JSON object. Null if the text is not a JSON object. */
export function objectIn(json: string): Variables | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Variables) : null;
  } catch {
    return null;
  }
}
