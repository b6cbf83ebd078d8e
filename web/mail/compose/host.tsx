import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { useMailbox } from '../shell/session.ts';

/** The composer, which is loaded when it is first opened. */
const Panel = lazyPart(() => import('./panel.tsx'));

/** Opens the message that `?compose=` names, above every page of the mailbox. */
export function ComposeHost() {
  // A message from a shared mailbox is written in the user's own mailbox.
  const { own: mailbox, address, access } = useMailbox();
  const { compose: composeValue = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  // Every save gives the draft a new id, so the `compose` value in the URL changes while the composer stays open.
  const [open, setOpen] = useState({ composeValue, names: [composeValue], round: 0 });
  if (!open.names.includes(composeValue))
    setOpen({ composeValue, names: [composeValue], round: open.round + 1 });
  else if (open.names.length > 1 && composeValue === open.names.at(-1))
    setOpen({ ...open, names: [composeValue] });

  const goTo = (compose: string) =>
    void navigate({
      to: '.',
      replace: true,
      search: (before: Record<string, unknown>) => ({ ...before, compose }),
    });

  // Saves drafts that had unsaved changes when the page was reloaded.
  const saveOthers = useEffectEvent((of: string) => {
    if (Object.keys(sessionStorage).some((key) => key.startsWith('posthorn-draft:')))
      void import('./draft/leftovers.ts').then(({ saveLeftovers }) => saveLeftovers(of, composeValue));
  });
  useEffect(() => saveOthers(mailbox), [mailbox]);

  if (composeValue === '') return null;
  return (
    <Suspense fallback={<span hidden data-opening />}>
      <Panel
        key={`${mailbox} ${open.round}`}
        mailbox={mailbox}
        sharedAddress={access === 'owner' ? null : address}
        composeValue={open.composeValue}
        onSaved={(id) => {
          setOpen((before) => ({ ...before, names: [...before.names, id] }));
          goTo(id);
        }}
        onClose={() => goTo('')}
      />
    </Suspense>
  );
}
