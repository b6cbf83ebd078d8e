import { Navigate } from '@tanstack/react-router';
import { useMailbox } from '../../shell/session.ts';

/** `/compose` by itself is the Inbox with the panel for writing. */
export default function ComposePage() {
  const { address } = useMailbox();
  return (
    <Navigate
      to="/$address/$folder"
      params={{ address, folder: 'inbox' }}
      search={{ compose: 'new' }}
      replace
    />
  );
}
