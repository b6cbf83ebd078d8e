/** The automatic mail of a mailbox when a message arrives: forwarded copies and the vacation reply. */
import type { Database } from '../../db/database.ts';
import { mailboxKey } from '../../mailboxes/local-part.ts';
import { ownAddresses } from '../../mailboxes/own-addresses.ts';
import * as clock from '../../model/clock.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { ReturnPaths } from '../../reports/return-path.ts';
import type { NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { forwardTo, mayForward } from '../forward/forward.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { MAX_TARGETS, type FilterActions } from '../rules/apply-filters.ts';
import type { MailboxFilters } from '../rules/mailbox-filters.ts';
import type { MailTexts } from '../rules/mail-texts.ts';
import { composeVacationReply, type DueVacationReply, isAway } from '../vacation/vacation-reply.ts';
import { maySendVacationReply } from '../vacation/may-send-reply.ts';
import type { Copy } from './copies.ts';
import type { MailFromOutside } from './mail-from-outside.ts';

export interface AutomaticMail {
  forwards: readonly NewSubmission[];
  vacationReply: DueVacationReply | null;
  /** Whether the message is forwarded and the mailbox keeps no copy. */
  isForwardedWithoutCopy: boolean;
}

export interface AutomaticMailOptions {
  database: Database;
  returnPaths: Pick<ReturnPaths, 'mintForForward' | 'verifyMailbox'>;
}

interface Arrived {
  recipient: RoutedRecipient;
  filters: MailboxFilters;
  actions: FilterActions;
  copy: Copy;
  texts: MailTexts;
  authentication: Authentication;
  bodyHash: Buffer | null;
  mail: MailFromOutside;
}

/** @returns the automatic mail for a message that was accepted and not filed in Junk, or null if the mailbox sends nothing */
export async function outgoingOf(
  arrived: Arrived,
  options: AutomaticMailOptions,
): Promise<AutomaticMail | null> {
  const { recipient, filters, actions, copy, mail } = arrived;
  const isDeleted = 'role' in actions.folder && actions.folder.role === 'trash';
  if (isDeleted || recipient.isReturnPath) return null;
  const targets = targetsOf(arrived);
  const isForwarding = targets.length > 0 && (await mayForward(options.database, recipient.mailbox));
  const { forwarding } = filters;
  const isForwardedWithoutCopy =
    isForwarding && forwarding?.keepsCopy === false && targets.includes(forwarding.target);
  const forwarded = {
    mailbox: recipient.mailbox,
    blob: copy.blob,
    bodyHash: arrived.bodyHash,
    messageId: copy.facts.messageId,
    isUtf8: mail.isUtf8,
    reversePath: mail.reversePath,
    objectId: mail.objectId ?? null,
    content: mail.isForwarded === true ? contentOf(arrived) : null,
  };
  const forwards = (isForwarding ? targets : []).map((target) =>
    forwardTo(
      target,
      { ...forwarded, isOnlyCopy: isForwardedWithoutCopy && target === forwarding?.target },
      options.returnPaths,
    ),
  );
  const vacationReply = await vacationReplyFor(arrived, options);
  return forwards.length === 0 && vacationReply === null
    ? null
    : { forwards, vacationReply, isForwardedWithoutCopy };
}

/** Identifies the content of a message, so that its copies are forwarded only once. Null if the body's hash is unknown. */
function contentOf({ copy: { facts }, bodyHash }: Arrived): string | null {
  if (bodyHash === null) return null;
  return JSON.stringify([
    facts.messageId,
    facts.subject,
    facts.sentAt,
    facts.from,
    bodyHash.toString('base64'),
  ]);
}

function targetsOf({ recipient, filters, actions }: Arrived): string[] {
  const { forwarding, offTargets } = filters;
  const targets = new Set([...(forwarding === null ? [] : [forwarding.target]), ...actions.forwardTo]);
  const own = new Set([recipient.address, recipient.mailbox.address].map(addressKey));
  return [...targets]
    .filter((target) => !offTargets.has(target) && !own.has(addressKey(target)))
    .slice(0, MAX_TARGETS);
}

/** A key that all addresses of one mailbox share, with any tag and in any letter case. */
function addressKey(address: string): string {
  const parsed = parseMailbox(address);
  return 'error' in parsed ? address.toLowerCase() : `${mailboxKey(parsed.localPart)}@${parsed.domain}`;
}

async function vacationReplyFor(
  { recipient, filters, copy, texts, authentication, mail }: Arrived,
  { database, returnPaths }: AutomaticMailOptions,
): Promise<DueVacationReply | null> {
  const { vacation, displayName } = filters;
  if (vacation === null || !isAway(vacation, clock.nowMs())) return null;
  const { facts } = copy;
  const { projectId, mailboxId, address } = recipient.mailbox;
  const own = await ownAddresses(database, projectId, mailboxId);
  // A vacation reply is sent in the name of the mailbox. No mail may be sent in the name of a reserved address.
  if (own[0]?.isReserved === true) return null;
  const to = maySendVacationReply({
    reversePath: mail.reversePath,
    raw: mail.raw,
    facts,
    texts,
    own: [address, recipient.address, ...own.map((one) => one.address)],
    authentication,
  });
  if (to === null) return null;
  // The return path of a local mailbox would send the reply out of this instance and back, so the mailbox's own address is used.
  const sender = returnPaths.verifyMailbox(mail.reversePath);
  const [here] = sender === null ? [] : await ownAddresses(database, sender.projectId, sender.mailboxId);
  const inside = here === undefined ? null : parseMailbox(here.address);
  const replyRecipient = inside === null || 'error' in inside ? to : { ...to, address: inside };
  return composeVacationReply(vacation, { ...recipient.mailbox, displayName }, replyRecipient, facts);
}
