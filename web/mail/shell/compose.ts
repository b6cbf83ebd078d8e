/** Opens the composer. The `?compose=` parameter of the page's URL names the message being written. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useMailbox } from './session.ts';

export interface ComposeOrder {
  /** The draft to edit. */
  draft?: string;
  /** The recipient: an address, or a link such as `mailto:ann@acme.example?subject=Hello`. */
  to?: string;
  /** The message to reply to or forward. */
  reply?: string;
  mode?: 'reply' | 'reply-all' | 'forward' | 'forward-attached';
}

/** The value of `?compose=`. */
export function composeOf({ draft, to, reply, mode = 'reply' }: ComposeOrder): string {
  if (draft !== undefined) return draft;
  return reply === undefined ? (to ?? 'new') : `${mode}:${reply}`;
}

/** Opens the composer above the current page. */
export function useCompose(): (order?: ComposeOrder) => void {
  const navigate = useNavigate();
  const router = useRouter();
  const { address } = useMailbox();
  return (order = {}) => {
    const compose = composeOf(order);
    // Undoing a send may open a draft of a mailbox that the user has left in the meantime.
    const isHere = router.state.matches.some(
      ({ params }) => (params as { address?: string }).address === address,
    );
    void navigate(
      isHere
        ? { to: '.', search: (before: Readonly<Record<string, string>>) => ({ ...before, compose }) }
        : { to: '/$address/$folder', params: { address, folder: 'inbox' }, search: { compose } },
    );
  };
}
