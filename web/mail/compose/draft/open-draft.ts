import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { queryClient } from '../../../api/query-client.ts';
import { identitiesQuery } from '../queries.ts';
import { type Composition, fromDraft, fromMailto, fromReply, newComposition } from './composition.ts';
import { findCopy, nameNow } from './local-copy.ts';
import { wantsPlainText } from './plain-choice.ts';

const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
const REPLY = /^(?<mode>reply|reply-all|forward|forward-attached):(?<message>msg_.+)$/;

/**
 * Opens the message that the URL names: `new`, a draft (`msg_…`), a reply (`reply:msg_…`), or a link (`mailto:…`).
 * @param sharedAddress the address of the shared mailbox in which the message is begun, which is its sender if the user may send from it
 * @throws ApiProblem, for example if the draft no longer exists
 */
export async function openDraft(
  mailbox: string,
  composeValue: string,
  sharedAddress: string | null,
  signal: AbortSignal,
): Promise<Composition> {
  const copy = findCopy(mailbox, composeValue);
  if (copy !== null) return { ...copy, composeValue, isUnsaved: true };
  const id = nameNow(mailbox, composeValue);
  const isPlain = wantsPlainText();
  const { mode, message } = REPLY.exec(composeValue)?.groups ?? {};
  if (message !== undefined && id === composeValue) {
    const reply = await dataOf(
      api.GET('/mailboxes/{mailbox}/messages/{id}/reply', {
        params: { path: { mailbox, id: message }, query: { mode: mode as 'reply', zone: ownZone() } },
        signal,
      }),
    );
    return fromReply(composeValue, reply, isPlain);
  }
  if (id.startsWith('msg_')) {
    const draft = await dataOf(
      api.GET('/mailboxes/{mailbox}/drafts/{id}', { params: { path: { mailbox, id } }, signal }),
    );
    return fromDraft(composeValue, draft);
  }
  const isLink = composeValue.includes('@') || /^mailto:/i.test(composeValue);
  const begun = isLink
    ? fromMailto(composeValue, composeValue, isPlain)
    : newComposition(composeValue, isPlain);
  if (sharedAddress === null) return begun;
  const { data } = await queryClient.ensureQueryData(identitiesQuery(mailbox));
  const isAllowed = data.some(({ address }) => address === sharedAddress);
  return isAllowed ? { ...begun, fields: { ...begun.fields, from: sharedAddress } } : begun;
}
