/** Sends messages to a URL that accepts the messages of Slack's incoming webhooks, such as those of Slack and Mattermost. */
import type { GuardedClient } from '../net/guarded-client.ts';
import type { AlertChannel, AlertMessage, AlertProblem, ReportedProblem } from './channel.ts';
import { resultOf } from './http-result.ts';
import { scopeName, summaryOf } from './texts.ts';

const TIMEOUT_MS = 10_000;
/** The maximum length of all lines about problems. Slack cuts texts of more than 4,000 characters, and with them the link. */
const MAX_LINES = 3_000;
/** The maximum length of the text of a problem, before it is escaped. */
const MAX_TEXT = 500;
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'Service-Webhooks/1.0' };
const MARKS: Readonly<Record<ReportedProblem['tone'], string>> = { bad: ':red_circle:', warn: ':warning:' };

export function slackChannel(client: Pick<GuardedClient, 'post'>): AlertChannel {
  return {
    async send(message, { url }) {
      const body = JSON.stringify({ text: slackText(message) });
      return resultOf(await client.post(url ?? '', { headers: HEADERS, body, timeoutMs: TIMEOUT_MS }));
    },
  };
}

/** Exported for tests. Names of domains, keys and webhooks come from users, so every text is escaped. */
export function slackText(message: AlertMessage): string {
  const { content, links } = message;
  const lines = [`*${escaped(scopeName(message))}*: ${escaped(summaryOf(content))}`];
  if (content.type !== 'alert.test') {
    const shown = fitting(content.problems.map(lineOf));
    const more = content.more + content.problems.length - shown.length;
    lines.push(...shown, ...(more > 0 ? [`and ${more} more`] : []));
  }
  const link = content.type === 'alert.test' ? links.alerts : links.problems;
  return [...lines, `<${escaped(link)}|Open in Posthorn>`].join('\n');
}

/** The first lines, as many as a message can have. Whole lines, because a cut could leave half of an escaped character. */
function fitting(lines: readonly string[]): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length) > MAX_LINES);
  return end === -1 ? lines : lines.slice(0, end);
}

/** @param problem of a digest if `change` is absent */
function lineOf({ change, tone, text }: AlertProblem & Partial<ReportedProblem>): string {
  const shown = escaped(text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`);
  if (change === 'resolved') return `:white_check_mark: Resolved: ${shown}`;
  return `${MARKS[tone]} ${change === 'changed' ? 'Update: ' : ''}${shown}`;
}

/**
 * Attack: a name such as `<!channel>` or `<https://evil.example|Sign in>` would notify everyone or show a false link, and so would `@all` or
 * `[Sign in](https://evil.example)` in Mattermost. A zero-width space makes the latter plain text. Addresses stay as they are.
 */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/(?<![\p{L}\p{N}._+-])@/gu, '@\u{200b}')
    .replaceAll('](', ']\u{200b}(');
}
