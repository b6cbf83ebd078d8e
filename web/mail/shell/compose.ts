/** Where the address of a page says what is being written: `?compose=`. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useMailbox } from './session.ts';

export interface ComposeOrder {
  /** A draft to go on with. */
  draft?: string;
  /** An address, or a link such as `mailto:ann@acme.example?subject=Hello`. */
  to?: string;
  /** The message that is answered or handed on. */
  reply?: string;
  mode?: 'reply' | 'reply-all' | 'forward' | 'forward-attached';
}

/** What `?compose=` says. */
export function composeOf({ draft, to, reply, mode = 'reply' }: ComposeOrder): string {
  if (draft !== undefined) return draft;
  return reply === undefined ? (to ?? 'new') : `${mode}:${reply}`;
}

/** Opens the panel for writing, over the page that is there. */
export function useCompose(): (order?: ComposeOrder) => void {
  const navigate = useNavigate();
  const router = useRouter();
  const { address } = useMailbox();
  return (order = {}) => {
    const compose = composeOf(order);
    // What is taken back may be of the mailbox that was there before.
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
