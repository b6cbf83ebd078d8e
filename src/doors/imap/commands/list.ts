import { formatList } from '../../../rfc/imap/format-list.ts';
import type { Folder } from '../../../store/folders.ts';
import { readAccounts, SHARED } from '../accounts.ts';
import { namesMatching } from '../list-patterns.ts';
import { DELIMITER, type ListedName, selectNames, specialUsesOf, treeOf } from '../mailbox-list.ts';
import { type TaggedResponse, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';
import { sendStatus, statusReader } from './status.ts';

/** LIST (RFC 9051, section 6.3.9; RFC 5258, 5819, 6154). */
export async function list(session: SignedInSession, command: Named<'LIST'>): Promise<TaggedResponse> {
  const { extended, select, reference, patterns } = command;
  if (!extended && patterns[0] === '') {
    session.untagged(
      `LIST ${formatList({ name: rootOf(reference), attributes: ['\\Noselect'] }, DELIMITER, session.isUtf8)}`,
    );
    return ok('Listed');
  }
  const { tree, accounts } = await readTree(session);
  const full = patterns.filter((each) => each !== '').map((each) => reference + each);
  const names = selectNames(tree, {
    matches: namesMatching(full),
    subscribed: select.includes('SUBSCRIBED'),
    specialUse: select.includes('SPECIAL-USE'),
    recursive: select.includes('RECURSIVEMATCH'),
  }).filter(listsNamespace(full, select.length > 0));
  const items = command.return.find((option) => typeof option === 'object')?.status ?? null;
  const read = items === null ? null : await statusReader(session, items, null, accounts);
  for (const each of names) {
    const listed = {
      name: each.name,
      attributes: attributesOf(session, command, each),
      childInfo: each.childInfo,
    };
    session.untagged(`LIST ${formatList(listed, DELIMITER, session.isUtf8)}`);
    if (items !== null && read !== null && each.folder !== null && each.isSelected)
      sendStatus(session, each.name, read(each.folder));
    if (!(await session.output.drained())) break;
  }
  return ok('Listed');
}

/**
 * Leaves out the level `Shared` if only `*` matches it. Only patterns with `%` must return levels without a mailbox (RFC 3501, section
 * 6.3.8). If Thunderbird finds the name of a namespace in a list of all names, it requests the rights of `Shared/Shared` and shows the
 * error to the user.
 */
function listsNamespace(patterns: readonly string[], isSelective: boolean): (each: ListedName) => boolean {
  const isNamed = namesMatching(patterns.filter((each) => !each.includes('*')));
  return ({ name, folder }) =>
    isSelective || folder !== null || `${name}${DELIMITER}` !== SHARED || isNamed(name);
}

/** The root of a reference: the part up to and including the last delimiter. */
function rootOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf(DELIMITER) + 1);
}

/** The tree of all accounts. Shared folders have no special uses: an app must not file its own sent mail there. */
export async function readTree({ services: { store }, mailbox }: SignedInSession) {
  const accounts = await readAccounts(mailbox, store);
  const subscriptions = await store.subscriptions(mailbox);
  const folders: Folder[] = [];
  for (const { key, prefix, grant } of accounts)
    for (const folder of await store.folders(key))
      folders.push(
        grant === null
          ? folder
          : { ...folder, name: prefix + folder.name, role: null, uses: [], subscribed: false },
      );
  return { tree: treeOf(folders, subscriptions), accounts };
}

/** Attributes of a name. Basic LIST returns all attributes that are cheap to compute, extended LIST only the requested attributes. */
function attributesOf(
  session: SignedInSession,
  { extended, select, return: options }: Named<'LIST'>,
  each: ListedName,
): string[] {
  const requests = (option: 'SUBSCRIBED' | 'SPECIAL-USE') =>
    select.includes(option) || options.includes(option);
  const isNew = extended || session.isRev2;
  const attributes: string[] = [];
  if (each.isSubscribed && requests('SUBSCRIBED')) attributes.push('\\Subscribed');
  if (each.folder === null) attributes.push(isNew ? '\\NonExistent' : '\\Noselect');
  if (!extended || options.includes('CHILDREN'))
    attributes.push(each.hasChildren ? '\\HasChildren' : '\\HasNoChildren');
  if (!extended || requests('SPECIAL-USE')) attributes.push(...specialUsesOf(each));
  return attributes;
}
