/** Sends messages as signed JSON, with the same signatures as the webhooks of a project (docs/contract.md, Signatures). */
import type { AlertChannel, AlertMessage } from './channel.ts';
import type { GuardedClient } from '../net/guarded-client.ts';
import { encodeId } from '../model/ids.ts';
import { postEvent } from '../webhooks/post-event.ts';
import { resultOf } from './http-result.ts';

export function webhookChannel(client: Pick<GuardedClient, 'post'>): AlertChannel {
  return {
    async send(message, { url, secret }) {
      const secrets = { current: secret ?? '', next: null };
      const event = { id: encodeId('evt', message.id), body: webhookBody(message) };
      return resultOf(await postEvent(client, url ?? '', secrets, event));
    },
  };
}

/** The body of a request, as JSON (docs/alerts.md). The same at every attempt. */
export function webhookBody({ id, createdAt, project, content, links }: AlertMessage): string {
  const { type, ...data } = content;
  return JSON.stringify({
    id: encodeId('evt', id),
    type,
    created_at: createdAt.toISOString(),
    project,
    url: links.problems,
    data,
  });
}
