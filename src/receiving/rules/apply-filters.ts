/** Applies the rules and the block list of a mailbox to one message (docs/rules.md). */
import type { RuleAction } from '../../contract/rules.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { FLAG } from '../../store/flags.ts';
import type { FolderRef } from '../../store/locked-folders.ts';
import { isBlocked } from './sender-lists.ts';
import type { MailToSort } from './compile-rule.ts';
import type { MailboxFilters } from './mailbox-filters.ts';

export interface FilterActions {
  folder: FolderRef;
  /** Bits of `FLAG`. */
  flags: number;
  keywords: readonly string[];
  forwardTo: readonly string[];
  /**
   * The text of a 550 reply, with its enhanced status code. If the message cannot be rejected, it is filed in Trash. Null if the
   * filters accept the message.
   */
  refusal: string | null;
}

/** The maximum number of addresses to which one mailbox forwards a message. */
export const MAX_TARGETS = 5;
const BLOCKED = '5.7.1 The recipient does not accept mail from this sender';
/** After this many rules the event loop runs other work, because each rule may search about 100,000 characters. */
const RULES_AT_ONCE = 10;

/**
 * @param senders the return path, and the addresses in From as written
 * @param defaultFolder the folder for the message if no rule of the mailbox applies
 */
export async function applyFilters(
  { rules, blocks }: Pick<MailboxFilters, 'rules' | 'blocks'>,
  mail: MailToSort,
  senders: readonly string[],
  defaultFolder: 'inbox' | 'junk',
): Promise<FilterActions> {
  if (isBlocked(blocks, senders.map(normalAddress))) return refusing(BLOCKED);
  let folder: FolderRef | null = null;
  let flags = 0;
  const keywords = new Set<string>();
  const forwardTo = new Set<string>();
  for (const [at, rule] of rules.entries()) {
    if (at % RULES_AT_ONCE === RULES_AT_ONCE - 1) await new Promise<void>((resolve) => setImmediate(resolve));
    if ((defaultFolder === 'junk' && !rule.testsSpamScore) || !rule.matches(mail)) continue;
    const refusal = rule.actions.find((action) => action.do === 'refuse');
    if (refusal !== undefined) return refusing(`5.7.1 ${refusal.text}`);
    for (const action of rule.actions) {
      folder ??= folderFor(action, defaultFolder);
      if (action.do === 'read') flags |= FLAG.seen;
      if (action.do === 'flag') flags |= FLAG.flagged;
      if (action.do === 'keyword') keywords.add(action.keyword);
      if (action.do === 'forward' && defaultFolder === 'inbox' && forwardTo.size < MAX_TARGETS)
        forwardTo.add(action.to);
    }
    if (rule.actions.some((action) => action.do === 'stop')) break;
  }
  return {
    folder: folder ?? { role: defaultFolder },
    flags,
    keywords: [...keywords],
    forwardTo: [...forwardTo],
    refusal: null,
  };
}

function folderFor(action: RuleAction, otherwise: FolderRole): FolderRef | null {
  if (action.do === 'delete') return { role: 'trash' };
  return action.do === 'file' ? { name: action.folder, otherwise } : null;
}

function refusing(refusal: string): FilterActions {
  return { folder: { role: 'trash' }, flags: 0, keywords: [], forwardTo: [], refusal };
}

/** The address with its domain in A-labels, if it can be parsed. */
function normalAddress(address: string): string {
  const parsed = parseMailbox(address);
  return 'error' in parsed ? address : parsed.address;
}
