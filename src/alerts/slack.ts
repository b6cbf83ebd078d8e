/** Sends messages to a URL that accepts the messages of Slack's incoming webhooks, such as those of Slack and Mattermost. */
import type { GuardedClient } from '../net/guarded-client.ts';
import type { AlertChannel, AlertMessage, AlertProblem, ReportedProblem } from './channel.ts';
import { resultOf } from './http-result.ts';
import { scopeName, summaryOf } from './texts.ts';

const TIMEOUT_MS = 10_000;
/** Slack cuts longer texts. */
const MAX_TEXT = 3_500;
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
    for (const problem of content.problems) lines.push(lineOf(problem));
    if (content.more > 0) lines.push(`and ${content.more} more`);
  }
  const link = content.type === 'alert.test' ? links.alerts : links.problems;
  return `${lines.join('\n').slice(0, MAX_TEXT)}\n<${escaped(link)}|Open in Posthorn>`;
}

/** @param problem of a digest if `change` is absent */
function lineOf({ change, tone, text }: AlertProblem & Partial<ReportedProblem>): string {
  if (change === 'resolved') return `:white_check_mark: Resolved: ${escaped(text)}`;
  return `${MARKS[tone]} ${change === 'changed' ? 'Update: ' : ''}${escaped(text)}`;
}

/** Attack: a name such as `<!channel>` or `<https://evil.example|Sign in>` would notify everyone or show a false link. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
