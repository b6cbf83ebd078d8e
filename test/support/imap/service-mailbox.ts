import assert from 'node:assert/strict';
import type { MailboxKey } from '../../../src/store/lock-mailboxes.ts';
import type { Service } from '../service.ts';

const PASSWORD = 'correct horse battery staple';

/** A mailbox of the hosted domain, with a password. */
export async function serviceMailbox(
  service: Service,
  name: string,
): Promise<{ mailbox: MailboxKey; user: string; password: string }> {
  const client = service.client();
  const { body } = await client.get<{ data: { id: string; domain: string; is_hosted: boolean }[] }>(
    '/v1/domains',
  );
  const domain = body.data.find(({ is_hosted }) => is_hosted);
  assert.ok(domain !== undefined);
  await client.post('/v1/mailboxes', { domain_id: domain.id, local_part: name, password: PASSWORD });
  const row = await service.database
    .selectFrom('mailboxes')
    .where('localPart', '=', name)
    .select(['projectId', 'id'])
    .executeTakeFirstOrThrow();
  return {
    mailbox: { projectId: row.projectId, mailboxId: row.id },
    user: `${name}@${domain.domain}`,
    password: PASSWORD,
  };
}
