import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { EmailContent, InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { curlOf } from './curl.ts';

const EMAIL: InspectedEmail = {
  id: 'em_1',
  status: 'sent',
  created_at: '2026-11-20T15:04:05.123Z',
  scheduled_at: null,
  can_retry: false,
  sending_stopped: null,
  from: "O'Neil <a@acme.example>",
  to: ['b@dst.test'],
  cc: [],
  bcc: ['c@dst.test'],
  reply_to: null,
  tags: ['x'],
  stream: 'transactional',
  subject: `$(id) \`id\` "$HOME" \\ ! ' '' end`,
  domain_id: null,
  message_id: '<1@acme.example>',
  content: 'kept',
  bodies_deleted_at: null,
  files: [],
  removed_fields: [],
  tracking: { opens: false, clicks: false, unsubscribe: false },
  is_done: true,
  recipients: [],
  events: [],
  events_left_out: 0,
};
const CONTENT: EmailContent = {
  html: "<p title='x'>\n&amp;\\n</p>",
  text: 'made',
  text_is_made: true,
  headers: { 'X-A': "'; rm -rf /" },
  source: null,
  header_fields: [],
  signatures: [],
  links: [],
  checks: [],
  spam: null,
};

test('a shell that runs the copied curl command sends the same content', () => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlOf('https://mail.acme.example', EMAIL, CONTENT)}`;
  const said = execFileSync('sh', ['-c', script], { env: { POSTHORN_KEY: 'svc_live_x' }, encoding: 'utf8' });
  const words = said.split('\0').slice(0, -1);
  assert.deepEqual(words.slice(0, -1), [
    '-sS',
    '-X',
    'POST',
    'https://mail.acme.example/v1/emails',
    '-H',
    'Authorization: Bearer svc_live_x',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
  ]);
  assert.deepEqual(JSON.parse(words.at(-1) ?? ''), {
    from: EMAIL.from,
    to: EMAIL.to,
    bcc: EMAIL.bcc,
    subject: EMAIL.subject,
    html: CONTENT.html,
    headers: CONTENT.headers,
    tags: ['x'],
  });
});
