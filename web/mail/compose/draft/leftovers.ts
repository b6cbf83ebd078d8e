import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { saveOf } from './composition.ts';
import { copiesOf, dropCopy, findCopy } from './local-copy.ts';

/** Saves what was written before a reload and is not what is open now. */
export async function saveLeftovers(mailbox: string, place: string): Promise<void> {
  const opened = findCopy(mailbox, place);
  for (const copy of copiesOf(mailbox)) {
    if (copy.client === opened?.client) continue;
    const body = saveOf(copy);
    const path = { mailbox };
    const answer =
      copy.id === null
        ? api.POST('/mailboxes/{mailbox}/drafts', { params: { path }, body })
        : api.PUT('/mailboxes/{mailbox}/drafts/{id}', {
            params: { path: { ...path, id: copy.id } },
            body,
          });
    // It stays for the next time.
    await dataOf<unknown>(answer).then(
      () => dropCopy(mailbox, copy.client),
      () => {},
    );
  }
}
