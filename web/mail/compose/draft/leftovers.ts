import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { saveOf } from './composition.ts';
import { copiesOf, dropCopy, findCopy, keepNames } from './local-copy.ts';

/**
 * Saves drafts that had unsaved changes at a reload and are not open now.
 * @param open the names of the open messages in the page's URL
 */
export async function saveLeftovers(mailbox: string, open: readonly string[]): Promise<void> {
  keepNames(mailbox, open);
  const opened = open.map((name) => findCopy(mailbox, name)?.client);
  for (const copy of copiesOf(mailbox)) {
    if (opened.includes(copy.client)) continue;
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
