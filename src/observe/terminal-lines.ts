/** Formats the log for terminals: converts each JSON line to a readable line. */
import { isatty, WriteStream } from 'node:tty';

const STDERR = 2;
const MAX_VALUE_LENGTH = 300;
/** Characters that a terminal would interpret instead of showing. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A parsed log line. */
interface Entry {
  level: string;
  /** ISO 8601. */
  time: string;
  roles: readonly string[];
  msg: string;
  emailId?: string;
  [field: string]: unknown;
}

/** Formats the value of a field. Returns null to omit the field. */
type Shown = (value: unknown) => string | null;

const hidden: Shown = () => null;
const bare: Shown = (value) => String(value);
/** Fields that are in the JSON but are not shown at a terminal. */
const HIDDEN = [
  'level',
  'time',
  'pid',
  'roles',
  'msg',
  'emailId',
  'projectId',
  'requestId',
  'eventId',
  'deliveryId',
];

/** The fields that have a format of their own. All others are shown as the name and the value. */
const FIELDS = new Map<string, Shown>([
  ...HIDDEN.map((name) => [name, hidden] as const),
  ...[
    'name',
    'version',
    'migration',
    'outcome',
    'replyCode',
    'enhancedCode',
    'reason',
    'how',
    'type',
    'signal',
    'status',
  ].map((name) => [name, bare] as const),
  ['events', (value) => String(value).replaceAll(',', ', ')],
  ['destination', (value) => `for ${value}`],
  ['remoteHost', (value) => `by ${value}`],
  ['recipientIndex', (value) => (value === 0 ? null : `recipient ${value}`)],
  ['attempt', (value) => (value === 1 ? null : `attempt ${value}`)],
  ['tls', (value) => (value === true ? null : 'without TLS')],
  ['durationMs', (value) => `${value} ms`],
  ['nextInMs', (value) => `again in ${value} ms`],
  ['nextAttemptAt', (value) => `again at ${timeOf(String(value)).slice(0, 'HH:MM:SS'.length)}`],
  ['err', errorInWords],
]);

const STYLES = { dim: 2, bold: 1, red: 31, yellow: 33, cyan: 36 } as const;
type Style = keyof typeof STYLES;
type Paint = (style: Style, text: string) => string;

const MARKS: Readonly<Record<string, { text: string; style: Style }>> = {
  debug: { text: 'debug', style: 'dim' },
  warn: { text: 'warning', style: 'yellow' },
  error: { text: 'error', style: 'red' },
  fatal: { text: 'error', style: 'red' },
};

/**
 * Returns a function that converts JSON lines to readable lines. Returns null if stderr is not a terminal, because the log is then written
 * as JSON. NO_COLOR or TERM can turn off colors.
 */
export function terminalLines(): ((line: string) => string) | null {
  if (!isatty(STDERR)) return null;
  const hasColors = WriteStream.prototype.getColorDepth() > 1;
  return (line) => lineForPeople(line, hasColors);
}

/** @param line JSON that ends with a line feed @returns a text that ends with a line feed */
export function lineForPeople(line: string, hasColors: boolean): string {
  const entry = JSON.parse(line) as Entry;
  const paint: Paint = (style, text) => (hasColors ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  const mark = MARKS[entry.level];
  const details = Object.entries(entry).flatMap(([name, value]) => detailOf(name, value) ?? []);
  const parts = [
    paint('dim', timeOf(entry.time)),
    paint('dim', (entry.roles[0] ?? 'posthorn').padEnd('supervisor'.length)),
    ...(mark === undefined ? [] : [paint(mark.style, `${mark.text}:`)]),
    mark === undefined ? paint('bold', entry.msg) : paint(mark.style, entry.msg),
    ...(entry.emailId === undefined ? [] : [paint('cyan', printable(entry.emailId))]),
  ];
  return `${parts.join(' ')}${details.length === 0 ? '' : `: ${details.join(', ')}`}\n`;
}

function detailOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.length === 0) return null;
  const shown = FIELDS.get(name);
  const text =
    shown === undefined ? `${name} ${Array.isArray(value) ? value.join('+') : String(value)}` : shown(value);
  return text === null || text === '' ? null : printable(text);
}

/** The type and message of the error, and the first line of its stack that is in our code. */
function errorInWords(error: unknown): string {
  const { type, message, stack } = error as { type?: string; message?: string; stack?: string };
  const [, place] = /^ {4}at (.*)$/m.exec(stack ?? '') ?? [];
  return `${type ?? 'Error'}: ${message ?? ''}${place === undefined ? '' : ` (at ${place})`}`;
}

/** The time of day in the time zone of this machine. */
function timeOf(iso: string): string {
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function printable(text: string): string {
  const cut = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
  return cut.replaceAll(UNPRINTABLE, '?');
}
