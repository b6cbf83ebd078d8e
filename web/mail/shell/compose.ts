/** Opens the composer. The `?compose=` and `?inline=` parameters of the page's URL name the messages being written. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { toastFailure } from '../../ui/toast.tsx';
import {
  inlineSlot,
  MAX_OPEN,
  namesIn,
  openDrafts,
  renamed,
  requested,
  withName,
} from '../compose/open-drafts.ts';
import { useMailbox } from './session.ts';

export interface ComposeOrder {
  /** The draft to edit. */
  draft?: string;
  /** The recipient: an address, or a link such as `mailto:ann@acme.example?subject=Hello`. */
  to?: string;
  /** The message to reply to or forward. With a draft: the message that the draft replies to. */
  reply?: string;
  mode?: 'reply' | 'reply-all' | 'forward' | 'forward-attached';
  /** Whether to open a reply in a panel, or to move it there, although its conversation is open. */
  inPanel?: boolean;
}

/** The name of the message in the URL. */
export function composeOf({ draft, to, reply, mode = 'reply' }: ComposeOrder): string {
  if (draft !== undefined) return draft;
  // A `|` would separate two names.
  return reply === undefined ? (to?.replaceAll('|', '%7C') ?? 'new') : `${mode}:${reply}`;
}

type Search = Readonly<Record<string, string>>;

/** Opens a message: a reply inside its conversation if the conversation is open, and other messages in a panel above the page. */
export function useCompose(): (order?: ComposeOrder) => void {
  const navigate = useNavigate();
  const router = useRouter();
  const { address } = useMailbox();
  return (order = {}) => {
    // Undoing a send may open a draft of a mailbox that the user has left in the meantime.
    const isHere = router.state.matches.some(
      ({ params }) => (params as { address?: string }).address === address,
    );
    const all = openDrafts.get();
    const name = nameOf(order, router.state.location.search as Search);
    const open = all.find(({ names }) => names.includes(name));
    if (open === undefined && all.length >= MAX_OPEN) {
      toastFailure(`${MAX_OPEN} messages are open. Close one of them first.`);
      return;
    }
    requested.set({ name });
    if (open !== undefined && order.inPanel !== true) return;
    const messages = inlineSlot.get()?.messages;
    const isInline =
      order.inPanel !== true &&
      [order.draft, order.reply].some((id) => id !== undefined && messages?.has(id) === true);
    const search = ({ compose, inline, ...before }: Search) =>
      isInline
        ? { ...before, compose, inline: withName(inline, name) }
        : { ...before, compose: withName(compose, name), inline: renamed(inline, [name], null) };
    void navigate(
      isHere
        ? { to: '.', search }
        : { to: '/$address/$folder', params: { address, folder: 'inbox' }, search: { compose: name } },
    );
  };
}

/** The name of the composer in which the same reply is being written, or a name that is not in use for a new message. */
function nameOf(order: ComposeOrder, { compose }: Search): string {
  const name = composeOf(order);
  const same = openDrafts
    .get()
    .find(({ begun, reply }) => begun === name || (reply === order.reply && order.mode === 'reply'));
  if (order.draft === undefined && order.reply !== undefined && same !== undefined)
    return same.names.at(-1) ?? name;
  const used = namesIn(compose);
  let round = 1;
  while (name === 'new' && used.includes(round === 1 ? name : `new${round}`)) round++;
  return round === 1 ? name : `new${round}`;
}
