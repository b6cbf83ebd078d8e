import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { saveOf } from './composition.ts';
import { copiesOf, dropCopy, findCopy } from './local-copy.ts';

/** Saves drafts that had unsaved changes at a reload and are not open in the composer now. */
export async function saveLeftovers(mailbox: string, composeValue: string): Promise<void> {
  const opened = findCopy(mailbox, composeValue);
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
    // After a failure the copy remains for the next attempt.
    await dataOf<unknown>(answer).then(
      () => dropCopy(mailbox, copy.client),
      () => {},
    );
  }
}
