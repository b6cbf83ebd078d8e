import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { composeOf } from '../../shell/compose.ts';

/**
 * The page for links to the composer, such as `/mail/ann@acme.example/compose?to=bo@acme.example`. Opens the Inbox with
 * the composer above it.
 */
export default function ComposePage() {
  const navigate = useNavigate();
  const { address = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  useEffect(() => {
    const { compose, draft, to, reply, mode } = search;
    const order = {
      ...(draft && { draft }),
      ...(to && { to }),
      ...(reply && { reply }),
      ...(mode && { mode: mode as 'reply' }),
    };
    void navigate({
      to: '/$address/$folder',
      params: { address, folder: 'inbox' },
      search: { compose: compose || composeOf(order) },
      replace: true,
    });
  });
  return null;
}
