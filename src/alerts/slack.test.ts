import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId } from '../model/ids.ts';
import { slackText } from './slack.ts';
import { webhookBody } from './webhook.ts';
import type { AlertMessage, ReportedProblem } from './channel.ts';

const problem = (of: Partial<ReportedProblem>): ReportedProblem => ({
  change: 'opened',
  kind: 'api-key',
  severity: 3,
  tone: 'warn',
  resource: 'key_1',
  text: 'The API key CI expires on 3 Dec 2026.',
  since: null,
  ...of,
});
const MESSAGE: AlertMessage = {
  id: '0193a0b0-0000-7000-8000-000000000001',
  createdAt: new Date('2026-11-30T12:00:00Z'),
  project: { id: 'prj_1', name: 'Shop' },
  content: { type: 'alert.opened', problems: [problem({})], more: 0 },
  links: {
    problems: 'https://mail.acme.example/dashboard/?project=prj_1',
    alerts: 'https://mail.acme.example/dashboard/alerts?project=prj_1',
  },
};

test('a Slack message has a line for each problem and a link to the page', () => {
  const content = {
    type: 'alert.opened' as const,
    problems: [problem({ tone: 'bad' }), problem({ change: 'changed' })],
    more: 7,
  };
  assert.equal(
    slackText({ ...MESSAGE, content }),
    [
      '*Shop*: 9 problems',
      ':red_circle: The API key CI expires on 3 Dec 2026.',
      ':warning: Update: The API key CI expires on 3 Dec 2026.',
      'and 7 more',
      '<https://mail.acme.example/dashboard/?project=prj_1|Open in Posthorn>',
    ].join('\n'),
  );
});

test('a name cannot add a mention, a link or a line to a Slack message', () => {
  const name = '<!channel> <https://evil.example|Sign in> & \n:red_circle: No emails are sent';
  const text = slackText({
    ...MESSAGE,
    project: { id: 'prj_1', name },
    content: {
      type: 'alert.resolved',
      problems: [problem({ change: 'resolved', text: `The API key ${name}` })],
      more: 0,
    },
  });
  const lines = text.split('\n');
  assert.equal(lines.length, 3);
  const escaped =
    '&lt;!channel&gt; &lt;https://evil.example|Sign in&gt; &amp; :red_circle: No emails are sent';
  assert.equal(lines[0], `*${escaped}*: 1 problem resolved`);
  assert.equal(lines[1], `:white_check_mark: Resolved: The API key ${escaped}`);
});

test('a name cannot add a mention or a link to a message in Mattermost', () => {
  const text = 'The API key @channel (@all) [Sign in](https://evil.example) of ann@acme.example expires.';
  const shown = slackText({
    ...MESSAGE,
    content: { type: 'alert.opened', problems: [problem({ text })], more: 0 },
  });
  assert.doesNotMatch(shown, /@channel|@all|\]\(/);
  assert.match(shown, / of ann@acme\.example /);
});

for (const [name, each] of [
  ['long', 'x'.repeat(2_000)],
  ['escaped', '&'.repeat(2_000)],
  ['long with an emoji at its end', `${'x'.repeat(499)}\u{1f600}`],
] as const)
  test(`a Slack message with ${name} texts keeps its link, has whole characters, and counts the problems left out`, () => {
    const problems = Array.from({ length: 10 }, () => problem({ text: each }));
    const text = slackText({ ...MESSAGE, content: { type: 'alert.opened', problems, more: 3 } });
    assert.ok(text.length < 4_000);
    const lines = text.split('\n');
    assert.equal(lines.at(-1), '<https://mail.acme.example/dashboard/?project=prj_1|Open in Posthorn>');
    const shown = lines.filter((line) => line.startsWith(':warning:'));
    assert.ok(shown.length > 0);
    assert.equal(lines.at(-2), `and ${13 - shown.length} more`);
    assert.doesNotMatch(text.replaceAll('&amp;', ''), /&/);
    assert.ok(text.isWellFormed());
  });

test('the body of a webhook has the problems as JSON', () => {
  assert.deepEqual(JSON.parse(webhookBody(MESSAGE)), {
    id: encodeId('evt', MESSAGE.id),
    type: 'alert.opened',
    created_at: '2026-11-30T12:00:00.000Z',
    project: { id: 'prj_1', name: 'Shop' },
    url: 'https://mail.acme.example/dashboard/?project=prj_1',
    data: { problems: [problem({})], more: 0 },
  });
});
