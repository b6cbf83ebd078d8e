/** Parses query strings into typed values and validates the values like bodies. */
import type { TSchema } from 'typebox';
import { shownName, textFault } from './json.ts';
import { compileCheck, type FieldErrors } from './validation.ts';

/** The result of reading a query string. */
export type QueryOutcome =
  | { values: Record<string, unknown>; errors: null }
  | { values: null; errors: FieldErrors };

const MAX_ERRORS = 20;

/** @param schema an object whose fields are strings and integers; a parameter that is not a field is rejected */
export function compileQuery(schema: TSchema): (text: string) => QueryOutcome {
  const check = compileCheck(schema);
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return (text) => {
    const values = new Map<string, unknown>();
    const errors = new Map<string, string>();
    for (const pair of text === '' ? [] : text.split('&')) {
      if (errors.size >= MAX_ERRORS) break;
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decode(equals === -1 ? pair : pair.slice(0, equals));
      const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
      if (name === null) errors.set('query', 'a parameter name is not valid; percent-encode it as UTF-8');
      else if (values.has(name)) errors.set(shownName(name), 'must appear only once');
      else {
        const fault =
          value === null ? 'must be percent-encoded UTF-8' : (textFault(name) ?? textFault(value));
        if (fault !== null) errors.set(shownName(name), fault);
        values.set(
          name,
          value === null ? '' : typed(value, Object.hasOwn(properties, name) ? properties[name] : undefined),
        );
      }
    }
    const found = Object.fromEntries(values);
    const refused = { ...check(found), ...Object.fromEntries(errors) };
    return Object.keys(refused).length === 0
      ? { values: found, errors: null }
      : { values: null, errors: refused };
  };
}

/** Decodes `application/x-www-form-urlencoded`. Null if the text is malformed. */
function decode(text: string): string | null {
  // URLs are ASCII (RFC 3986, section 2). Node.js decodes raw bytes beyond ASCII as Latin-1.
  if (/[^!-~]/.test(text)) return null;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Converts an integer in plain notation. Other notations (`0x10`, `1e2`, `5.0`) stay text, and validation rejects this text. */
function typed(text: string, schema: { type?: string } | undefined): unknown {
  return schema?.type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
