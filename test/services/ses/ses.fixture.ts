/** The whole service with Amazon SES as its provider, in front of a test server for SES. */
import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { KEY, REGION, type SesServer, type AcceptedMessage } from '../../support/ses-server.ts';
import type { Service } from '../../support/service.ts';

const PATIENCE_MS = 60_000;

export interface Detail {
  id: string;
  status: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

/** The environment variables that an operator sets for SES. */
export function sesEnv(ses: SesServer, secret: string = KEY.secretAccessKey): Record<string, string> {
  return {
    POSTHORN_PROVIDER: 'ses',
    POSTHORN_SES_REGION: REGION,
    POSTHORN_SES_ACCESS_KEY_ID: KEY.accessKeyId,
    POSTHORN_SES_SECRET_ACCESS_KEY: secret,
    POSTHORN_SES_CONFIGURATION_SET: 'posthorn',
    POSTHORN_SES_TOPIC_ARN: ses.topic.arn,
    POSTHORN_SES_ENDPOINT: ses.origin,
  };
}

/** Posts an email. @returns the id of the email */
export async function post(service: Service, token: string | null, ...to: string[]): Promise<string> {
  const { status, body } = await service.client(token).post<{ id: string }>('/v1/emails', {
    from: 'Jörg Müller <hello@posthorn.localhost>',
    to,
    subject: 'Grüße',
    html: '<p>Schöne Grüße</p>',
  });
  assert.equal(status, 202);
  return body.id;
}

export async function read(service: Service, token: string | null, id: string): Promise<Detail> {
  return (await service.client(token).get<Detail>(`/v1/emails/${id}`)).body;
}

/** Resolves with an email once the condition holds for the email. */
export async function when(
  service: Service,
  token: string | null,
  id: string,
  condition: (detail: Detail) => boolean,
): Promise<Detail> {
  let detail: Detail | undefined;
  await eventually(async () => {
    // Ignore errors, because the service may be restarting.
    detail = await read(service, token, id).catch(() => detail);
    return detail !== undefined && condition(detail);
  }, PATIENCE_MS);
  assert.ok(detail && condition(detail), JSON.stringify(detail));
  return detail;
}

/** The message that SES received for a recipient. */
export async function taken(ses: SesServer, recipient: string): Promise<AcceptedMessage> {
  const found = () => ses.messages.find(({ rcptTo }) => rcptTo.includes(recipient));
  await eventually(() => found() !== undefined, PATIENCE_MS);
  const message = found();
  assert.ok(message, recipient);
  return message;
}
