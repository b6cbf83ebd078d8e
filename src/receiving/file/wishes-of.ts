/** What one mailbox wants done with one message, and what it sends because of it. */
import * as clock from '../../model/clock.ts';
import { SERVICE_FIELD, type ServiceTokens } from '../../sending/service-mail/service-tokens.ts';
import type { Store } from '../../store/store.ts';
import type { Examination } from '../examine/examiner.ts';
import type { Delivery } from '../route/router.ts';
import { applyFiling, type Wishes } from '../rules/apply-filing.ts';
import type { Filing } from '../rules/filing.ts';
import { MailTexts } from '../rules/mail-texts.ts';
import type { SpamVerdict } from '../spam/verdict.ts';
import type { Copies } from './copies.ts';
import { type Hops, isLoop } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import { type Outgoing, type OutgoingOptions, outgoingOf } from './outgoing.ts';

export interface WishesOptions extends OutgoingOptions {
  store: Pick<Store, 'wishFolder'>;
  /** Recognises service mail that comes back from outside. */
  serviceTokens: Pick<ServiceTokens, 'isLive'>;
}

export interface Arrived {
  mail: MailFromOutside;
  recipient: Delivery;
  examination: Pick<Examination, 'files' | 'authentication' | 'bodyHash'>;
  verdict: SpamVerdict;
  hops: Hops;
  copies: Copies;
  place: 'inbox' | 'junk';
}

export async function wishesOf(
  filing: Filing,
  { mail, recipient, examination, verdict, hops, copies, place }: Arrived,
  options: WishesOptions,
): Promise<{ wishes: Wishes; outgoing: Outgoing | null }> {
  const copy = await copies.of({ ...recipient, verdict });
  const { facts } = copy;
  const texts = new MailTexts(facts, examination.files);
  const senders = [...facts.from.map(({ address }) => address), mail.reversePath];
  const asked = { texts, octets: mail.raw.length, score: verdict.score };
  const wishes = await applyFiling(filing, asked, senders, place);
  if (wishes.refusal !== null) return { wishes, outgoing: null };
  if ('name' in wishes.folder) await options.store.wishFolder(recipient.mailbox, wishes.folder.name);
  // What was here before, and came by another address, does not go on again.
  if (place === 'junk' || isLoop(hops, recipient.mailbox.address)) return { wishes, outgoing: null };
  // Attack: a rule hands a link that opens an account to another person.
  const tokens = [facts.messageId, ...texts.header(SERVICE_FIELD)];
  const isService =
    mail.isService === true || tokens.some((token) => options.serviceTokens.isLive(token, clock.nowMs()));
  if (isService) return { wishes, outgoing: null };
  const { authentication, bodyHash } = examination;
  const arrived = { recipient, filing, wishes, copy, texts, authentication, bodyHash, mail };
  const outgoing = await outgoingOf(arrived, options);
  return { wishes, outgoing };
}
