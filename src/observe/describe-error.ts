/** Describes errors in a form that is safe to log. */

/**
 * The logged error properties. All others are omitted, because they can contain anything: PostgreSQL's contain rows and values, and Node's
 * contain URLs.
 */
const LOGGED_FIELDS = [
  'code',
  'errno',
  'syscall',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
];
const MAX_TEXT = 500;
const MAX_STACK = 2_000;
const MAX_CAUSES = 5;

const FRAME = /^ {4}at /;
/** PostgreSQL's data exceptions (class 22). Their messages quote invalid input, as do the messages of JavaScript's syntax errors. */
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;

/**
 * The type, message, stack and codes of any thrown value. Addresses, credentials and values are removed, and URLs are cut off after the
 * host.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const described: Record<string, unknown> = {
    type: error.name,
    message: messageOf(error),
    stack: stacks(error).slice(0, MAX_STACK),
  };
  for (const name of LOGGED_FIELDS) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'number') described[name] = value;
    else if (typeof value === 'string') described[name] = withoutSecrets(value.slice(0, MAX_TEXT));
  }
  return described;
}

/** The stacks of the error and its causes. */
function stacks(error: Error): string {
  const texts: string[] = [];
  for (let one: unknown = error; one instanceof Error && texts.length < MAX_CAUSES; one = one.cause) {
    const stack = one.stack ?? '';
    // Use the stack without the message, which may contain anything.
    const frames = stack.slice(stack.indexOf(one.message) + one.message.length).split('\n');
    texts.push([`${one.name}: ${messageOf(one)}`, ...frames.filter((line) => FRAME.test(line))].join('\n'));
  }
  return texts.join('\ncaused by: ');
}

function messageOf(error: Error): string {
  const message = error.message.slice(0, MAX_TEXT);
  const { code } = error as { code?: unknown };
  const quotes = error instanceof SyntaxError || (typeof code === 'string' && DATA_EXCEPTION.test(code));
  return withoutSecrets(quotes ? message.replaceAll(/"[^]*"/g, '"…"') : message);
}

/** Patterns of secrets. They are replaced in this order, because a URL may also match the pattern of addresses. */
const SECRETS: readonly [RegExp, string][] = [
  [/\b([a-z][a-z+]{1,15}:\/\/)(?:[^\s/?#"'<>]{0,256}@)?([^\s/?#"'<>]{0,256})[^\s"'<>]*/gi, '$1$2/…'],
  [/(?:"[^"]{0,256}"|[^\s"<>()[\],;:@]{1,256})@(?:\[[^\]]{0,256}\]|[^\s"'<>()[\],;:@]{1,256})/g, '<address>'],
  [/\b(?:svc_(?:live|test)_|whsec_)[\w+/-]+/g, '<secret>'],
];

function withoutSecrets(text: string): string {
  return SECRETS.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text);
}
