/** Cursors: positions at which a page of a list ended. Clients treat a cursor as opaque, and send it to get the next page. */
import { validationError } from './app-error.ts';

const MAX_INT = 2 ** 31 - 1;
/** The earliest time in PostgreSQL, in the year 4714 BC, in microseconds since 1970. */
const FIRST_MICROS = -2.1e17;
/** A timestamptz in PostgreSQL's notation. The text is not converted to a Date, which would lose the microseconds. */
const TIME = /^([1-9]\d{3}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?[+-](?:0\d|1[0-4])(?::[0-5]\d)?$/;

/**
 * The types of values in a cursor, with their checks. The checks are needed because clients can forge cursors, and a query fails if
 * PostgreSQL does not accept a value as its type.
 */
const KINDS = {
  uuid: (value) => isText(value) && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(value),
  text: (value) => isText(value) && !value.includes('\0') && value.isWellFormed(),
  int: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_INT,
  /** A non-negative integer, as text. */
  unsigned: (value) => isText(value) && /^\d{1,18}$/.test(value),
  /** Microseconds since 1970, as text. */
  micros: (value) => isText(value) && /^-?\d{1,18}$/.test(value) && Number(value) > FIRST_MICROS,
  day: (value) => isText(value) && isDay(value),
  time: (value) => {
    const [, day = '', time = ''] = isText(value) ? (TIME.exec(value) ?? []) : [];
    return isInCalendar(`${day}T${time}.000Z`);
  },
} as const satisfies Record<string, (value: unknown) => boolean>;

type Kind = keyof typeof KINDS;
/** The columns of a cursor: for each column a type, or a list of allowed texts. */
type Columns = Readonly<Record<string, Kind | readonly string[]>>;
type Values<Of extends Columns> = {
  [Name in keyof Of]: Of[Name] extends readonly string[]
    ? Of[Name][number]
    : Of[Name] extends 'int'
      ? number
      : string;
};

export interface Cursor<Of extends Columns> {
  encode(values: Values<Of>): string;
  /** @throws AppError validation-failed, for the field `name`, if `encode` did not produce the text */
  decode(text: string, name?: string): Values<Of>;
  /** @returns null if `encode` did not produce the text */
  read(text: string): Values<Of> | null;
}

/**
 * Encodes and decodes the cursors of one list. A cursor is base64url of JSON. It contains the name of the list, so that the cursor of
 * another list is rejected.
 * @param list a name that no other list has
 * @param columns the types of the cursor's values, in the sort order of the list
 */
export function cursorOf<const Of extends Columns>(list: string, columns: Of): Cursor<Of> {
  const names = Object.keys(columns);

  const encode = (values: Values<Of>): string =>
    Buffer.from(JSON.stringify([list, ...names.map((name) => values[name])])).toString('base64url');

  const read = (text: string): Values<Of> | null => {
    const [from, ...parts] = listIn(text);
    if (from !== list || parts.length !== names.length) return null;
    const isValid = Object.values(columns).every((column, at) => {
      const part = parts[at];
      return typeof column === 'string' ? KINDS[column](part) : isText(part) && column.includes(part);
    });
    if (!isValid) return null;
    const values = Object.fromEntries(names.map((name, at) => [name, parts[at]])) as Values<Of>;
    // Reject a text that has the same values but a different encoding.
    return encode(values) === text ? values : null;
  };

  return {
    encode,
    read,
    decode(text, name = 'cursor') {
      const values = read(text);
      if (values !== null) return values;
      throw validationError({
        [name]: 'is not a cursor of this list; send a cursor from a previous response unchanged',
      });
    },
  };
}

function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether the text is a calendar date such as 2027-01-31. */
export function isDay(text: string): boolean {
  return isInCalendar(`${text}T00:00:00.000Z`);
}

/**
 * `Date` accepts February 31 and makes it a day of March. Attack: PostgreSQL rejects that day, so a forged cursor would make a query fail.
 */
function isInCalendar(time: string): boolean {
  const at = new Date(time);
  return !Number.isNaN(at.getTime()) && at.toISOString() === time;
}
