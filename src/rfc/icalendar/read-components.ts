/** Parses the required components and properties of a calendar (RFC 5545, section 3), line by line and within limits. */
import ICAL from 'ical.js';

/** A property in jCal (RFC 7265, section 3.4): name, parameters, type, values. */
export type Property = [
  name: string,
  parameters: Record<string, string | string[]>,
  type: string,
  ...values: unknown[],
];

export interface Component {
  name: string;
  properties: Property[];
  components: Component[];
}

/** The maximum length of a line. A longer line is an inline attachment, or the file is not a calendar. */
const MAX_LINE = 16_384;
const MAX_LINES = 5_000;
const MAX_COMPONENTS = 500;
const FOLD = /\r?\n[ \t]/g;
const LINE_END = /\r?\n|\r/;

/** The properties to read, by component. Other components are skipped. */
const READ: Readonly<Record<string, ReadonlySet<string>>> = {
  vcalendar: new Set(['method', 'vevent', 'vtimezone']),
  vevent: new Set(
    (
      'uid dtstamp recurrence-id sequence status summary description location url dtstart dtend duration rrule rdate exdate organizer ' +
      'attendee comment x-google-conference x-microsoft-skypeteamsmeetingurl conference'
    ).split(' '),
  ),
  vtimezone: new Set(['tzid', 'standard', 'daylight']),
  standard: new Set(['dtstart', 'tzoffsetto', 'tzoffsetfrom', 'rrule', 'rdate']),
  daylight: new Set(['dtstart', 'tzoffsetto', 'tzoffsetfrom', 'rrule', 'rdate']),
};

/**
 * Parses the first VCALENDAR of a text. Never throws. Invalid lines and content beyond the limits are skipped.
 * @returns null if the text contains no VCALENDAR
 */
export function readComponents(text: string): Component | null {
  const open: Component[] = [];
  let first: Component | null = null;
  /** The nesting depth inside a skipped component; 0 outside. */
  let passing = 0;
  let components = 0;
  // Remove all folds at once. Attack: a file of only folds takes quadratic time if they are removed one by one.
  for (const line of text.replace(FOLD, '').split(LINE_END, MAX_LINES)) {
    const [, mark, rest = ''] = /^(BEGIN|END):(.*)$/i.exec(line) ?? [];
    const name = rest.trim().toLowerCase();
    if (mark?.toUpperCase() === 'BEGIN') {
      const parent = open.at(-1);
      const isRead = parent === undefined ? name === 'vcalendar' : READ[parent.name]?.has(name) === true;
      if (passing > 0 || !isRead || READ[name] === undefined || ++components > MAX_COMPONENTS) {
        passing++;
        continue;
      }
      const component = { name, properties: [], components: [] };
      parent?.components.push(component);
      first ??= component;
      open.push(component);
    } else if (mark !== undefined) {
      if (passing > 0) passing--;
      else open.pop();
      if (open.length === 0 && first !== null && passing === 0) return first;
    } else if (passing === 0) {
      const component = open.at(-1);
      const property = component === undefined ? null : readProperty(component.name, line);
      if (property !== null) component?.properties.push(property);
    }
  }
  return first;
}

function readProperty(component: string, line: string): Property | null {
  const name = /^[a-z0-9-]+/i.exec(line)?.[0].toLowerCase() ?? '';
  if (READ[component]?.has(name) !== true || line.length > MAX_LINE) return null;
  try {
    return ICAL.parse.property(line) as Property;
  } catch {
    return null;
  }
}

export function propertyOf({ properties }: Component, name: string): Property | null {
  return properties.find(([each]) => each === name) ?? null;
}

/** The first value of a property, as text. */
export function textOf(component: Component, name: string): string | null {
  const value = propertyOf(component, name)?.[3];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

export function parameterOf([, parameters]: Property, name: string): string | null {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return typeof value === 'string' ? value : (value?.[0] ?? null);
}

/** Converts a component to the form that ical.js accepts. */
export function jCalOf({ name, properties, components }: Component): unknown[] {
  return [name, properties, components.map(jCalOf)];
}
