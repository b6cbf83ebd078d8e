/** Runs the filters of one mailbox on one message: decides on the message's folder and on the mail that the mailbox sends in response. */
import * as clock from '../../model/clock.ts';
import { SERVICE_FIELD, type ServiceTokens } from '../../sending/service-mail/service-tokens.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import type { Store } from '../../store/store.ts';
import type { Examination } from '../examine/examiner.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { applyFilters, type FilterActions } from '../rules/apply-filters.ts';
import type { MailboxFilters } from '../rules/mailbox-filters.ts';
import { MailTexts } from '../rules/mail-texts.ts';
import type { SpamVerdict } from '../spam/verdict.ts';
import type { Copies } from './copies.ts';
import { type Hops, isLoop } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import { type AutomaticMail, type AutomaticMailOptions, outgoingOf } from './outgoing.ts';

export interface FilterOptions extends AutomaticMailOptions {
  store: Pick<Store, 'createFolderIfMissing'>;
  /** Recognizes service mail that comes back from outside. */
  serviceTokens: Pick<ServiceTokens, 'isLive'>;
}

/** A message and one of its mailboxes. */
export interface FilteredMessage {
  mail: MailFromOutside;
  recipient: RoutedRecipient;
  examination: Pick<Examination, 'files' | 'authentication' | 'bodyHash'>;
  verdict: SpamVerdict;
  hops: Hops;
  copies: Copies;
  folder: 'inbox' | 'junk';
}

/**
 * @returns the actions of the filters, and the automatic mail, or null if the mailbox sends nothing
 * @throws if the database is unavailable
 */
export async function runFilters(
  filters: MailboxFilters,
  { mail, recipient, examination, verdict, hops, copies, folder }: FilteredMessage,
  options: FilterOptions,
): Promise<{ actions: FilterActions; outgoing: AutomaticMail | null }> {
  const copy = await copies.of({ ...recipient, verdict });
  const { facts } = copy;
  const texts = new MailTexts(facts, examination.files);
  const senders = [...facts.from.map(({ address }) => address), mail.reversePath];
  const mailToSort = { texts, octets: mail.raw.length, score: verdict.score };
  const actions = await applyFilters(filters, mailToSort, senders, folder);
  if (actions.refusal !== null) return { actions, outgoing: null };
  if ('name' in actions.folder)
    await options.store.createFolderIfMissing(recipient.mailbox, actions.folder.name);
  // A message that another address of the mailbox already received is not forwarded or answered again.
  if (folder === 'junk' || isLoop(hops, recipient.mailbox.address)) return { actions, outgoing: null };
  // Attack: a rule forwards a sign-in or password reset link to another person.
  if (isServiceMail(mail, facts, texts, options)) return { actions, outgoing: null };
  const { authentication, bodyHash } = examination;
  const arrived = { recipient, filters, actions, copy, texts, authentication, bodyHash, mail };
  const outgoing = await outgoingOf(arrived, options);
  return { actions, outgoing };
}

/** Whether this installation sent the message as service mail in the last seven days. */
export function isServiceMail(
  mail: MailFromOutside,
  { messageId }: MessageFacts,
  texts: MailTexts,
  { serviceTokens }: Pick<FilterOptions, 'serviceTokens'>,
): boolean {
  const tokens = [messageId, ...texts.header(SERVICE_FIELD)];
  return mail.isService === true || tokens.some((token) => serviceTokens.isLive(token, clock.nowMs()));
}
