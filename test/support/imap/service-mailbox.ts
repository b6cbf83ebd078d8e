import assert from 'node:assert/strict';
import { decodeId } from '../../../src/model/ids.ts';
import type { MailboxKey } from '../../../src/store/lock-mailboxes.ts';
import { quickHash } from '../quick-hash.ts';
import type { Service } from '../service.ts';

const PASSWORD = 'correct horse battery staple';

/** A mailbox for a test, with its owner's login. */
export interface ServiceMailbox {
  mailbox: MailboxKey;
  /** The address of the mailbox. */
  user: string;
  password: string;
}

/**
 * Creates a mailbox with a password in the project of the service's key.
 * @param domainName default: the hosted domain
 */
export async function serviceMailbox(
  service: Service,
  localPart: string,
  domainName?: string,
): Promise<ServiceMailbox> {
  const client = service.client();
  const { body } = await client.get<{ data: { id: string; domain: string; is_hosted: boolean }[] }>(
    '/v1/domains',
  );
  const domain = body.data.find((each) =>
    domainName === undefined ? each.is_hosted : each.domain === domainName,
  );
  assert.ok(domain !== undefined);
  const { status, body: made } = await client.post<{ id: string }>('/v1/mailboxes', {
    domain_id: domain.id,
    local_part: localPart,
  });
  assert.equal(status, 201);
  const mailboxId = decodeId('mbx', made.id);
  assert.ok(mailboxId !== null);
  const { projectId } = await service.database
    .updateTable('mailboxes')
    .set({ passwordHash: quickHash(PASSWORD) })
    .where('id', '=', mailboxId)
    .returning('projectId')
    .executeTakeFirstOrThrow();
  return { mailbox: { projectId, mailboxId }, user: `${localPart}@${domain.domain}`, password: PASSWORD };
}
