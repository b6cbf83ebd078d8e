import { UnsentBanner } from '../../ui/unsent-banner.tsx';
import { useWatched } from '../../ui/watched.ts';
import { notSendingSince } from './state.ts';

/** Tells the owner of a mailbox that nothing leaves, which only an operator can change. */
export function Unsent() {
  const since = useWatched(notSendingSince);
  return (
    <UnsentBanner since={since}>
      Your mail is accepted and waits. It goes out once the people who run this server have set it up again.
    </UnsentBanner>
  );
}
