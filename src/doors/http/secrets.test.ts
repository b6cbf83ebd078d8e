/** Finds members of responses that are named like a secret but are not marked as one, including members that are added later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { COMPONENTS } from '../../contract/components.ts';
import { DASHBOARD_COMPONENTS } from '../../contract/dashboard/components.ts';
import { MAIL_COMPONENTS } from '../../contract/mail/components.ts';
import { Id, Nullable, Ref, Secret, hasSecret } from '../../contract/schema.ts';
import type { Schema } from './api-document.ts';
import { compressingJson } from './compress-json.ts';
import { DASHBOARD_OPERATIONS } from './dashboard/operations.ts';
import { MAIL_OPERATIONS } from './mail/operations.ts';
import { OPERATIONS } from './v1/operations.ts';

const SECRET_NAME =
  /secret|token|password|passkey|key|ticket|csrf|(?<!enhanced_)code|credential|cookie|session|signature(?!_html)|otp|challenge|options|ur[il]|href|link|undo/i;

/** Members that are named like a secret but are none. Review additions to this list carefully. */
const HARMLESS = [
  // Settings, which every reader of the resource may see. Requests to a webhook are signed.
  'CreatedRoute.url',
  'CreatedWebhook.url',
  'DashboardWebhook.url',
  'DashboardWebhookDetail.url',
  'InspectedDelivery.url',
  // For everyone: browsers subscribe with it.
  'PushSettings.public_key',
  'Route.url',
  'Webhook.url',
  'WebhookDetail.url',
  'ServiceFacts.base_url',
  // From a fixed table (docs/domains.md, The page of a domain).
  'DashboardDomain.dns_provider.url',
  // Names a problem in a list, for snoozing it.
  'Need.key',
  // An origin, and names of app passwords.
  'MailOwnAccount.passkeys_at',
  'SignInWays.passkeys_at',
  'MailSessions.apps.app_password',
  'MailSessions.sign_ins.app_password',
  'MailboxSignIns.sessions.app_password',
  'MailboxSignIns.sign_ins.app_password',
  // Worthless without a session of the mailbox.
  'DraftAttachment.url',
  'MailActionResult.undo',
  'Upload.url',
  // Content of mail (docs/threat-model.md, Compressed responses).
  'ClickedPayload.url',
  'MailLabel.keyword',
  'EmailContent.links.url',
  'Invitation.description.href',
  'Invitation.location.href',
  'MailMessage.unsubscribe.url',
  'MailTextBlock.runs.href',
];

const ID_PATTERN = /^\^[a-z]+_\[0-7\]/;
const schemas = new Map<string, Schema>(
  [...COMPONENTS, ...DASHBOARD_COMPONENTS, ...MAIL_COMPONENTS].map((each) => {
    const { $id = '' } = each as { $id?: string };
    return [$id, each];
  }),
);

/** Whether a value, or an element of a list or map, can be any text. */
function isText(schema: Schema): boolean {
  const { type, format, pattern = '', enum: words, items, additionalProperties, anyOf = [] } = schema;
  if (additionalProperties === true) return true;
  const isFree = format === undefined && words === undefined && !ID_PATTERN.test(pattern);
  if ([type].flat().includes('string') && isFree) return true;
  return [items, additionalProperties, ...anyOf].some((part) => typeof part === 'object' && isText(part));
}

/** The paths of members that are named like a secret and can be any text, but are not marked. */
function* unmarked(schema: Schema, path: string): Generator<string> {
  const { $ref, $id = $ref?.split('/').at(-1) } = schema as Schema & { $id?: string };
  const whole = $ref === undefined ? schema : schemas.get($id ?? '');
  assert.ok(whole, `${path} refers to ${$id}`);
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = whole;
  for (const [name, member] of Object.entries(properties)) {
    const at = `${$id ?? path}.${name}`;
    if (SECRET_NAME.test(name) && isText(member) && !hasSecret(member)) yield at;
    yield* unmarked(member, at);
  }
  for (const part of [items, additionalProperties, ...anyOf, ...oneOf, ...allOf])
    if (typeof part === 'object') yield* unmarked(part, $id ?? path);
}

const compressed = (body: TSchema) => compressingJson({ success: { status: 200, description: '', body } });

test('every member of a response that is named like a secret is marked as one, or listed as harmless', () => {
  const found = [...OPERATIONS, ...DASHBOARD_OPERATIONS, ...MAIL_OPERATIONS].flatMap(
    ({ operationId, success: { body } }) => (body === undefined ? [] : [...unmarked(body, operationId)]),
  );
  assert.deepEqual([...new Set(found)].sort(), HARMLESS.toSorted());
});

test('a member named like a secret is found at any depth, unless it is marked or cannot be a secret', () => {
  const pathsIn = (schema: TSchema) => [...unmarked(schema, 'made')];
  const token = Type.String({ pattern: '^tok_' });
  assert.deepEqual(pathsIn(Type.Object({ api_token: token })), ['made.api_token']);
  const deep = Type.Object({ data: Type.Array(Type.Object({ keys: Nullable(Type.Array(token)) })) });
  assert.deepEqual(pathsIn(deep), ['made.data.keys']);
  assert.deepEqual(pathsIn(Type.Object({ api_token: Type.Optional(Secret(token)) })), []);
  assert.deepEqual(pathsIn(Type.Object({ session: Id('ses'), has_password: Type.Boolean() })), []);
});

test('a response is compressed unless its schema, or a schema that it refers to, contains a secret', () => {
  const named = Type.Object({ token: Nullable(Secret(Type.String())) }, { $id: 'Named' });
  assert.equal(compressed(Type.Object({ name: Type.String() })).length, 1);
  assert.equal(compressed(named).length, 0);
  assert.equal(compressed(Type.Object({ data: Type.Array(Ref(named)) })).length, 0);
  assert.equal(compressed(Type.Object({ one: Type.Optional(Ref(named, 'The one.')) })).length, 0);
});
