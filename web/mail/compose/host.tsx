import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { useWatched } from '../../ui/watched.ts';
import { useMailbox } from '../shell/session.ts';
import { draftsOf, namesIn, type OpenDraft, openDrafts, renamed, withName } from './open-drafts.ts';

const loadDesk = () => import('./desk.tsx');
/** The composer, which is loaded when the browser is idle, or when it is first opened. */
const Desk = lazyPart(loadDesk, 'The composer could not be loaded. It opens when the connection is back.');

/** When browsers without idle callbacks load the composer. */
const IDLE_MS = 2_000;

type Search = Readonly<Record<string, string>>;

/** Opens the messages that `?compose=` and `?inline=` name, above every page of the mailbox or inside the open conversation. */
export function ComposeHost() {
  // A message from a shared mailbox is written in the user's own mailbox.
  const { own: mailbox, address, access } = useMailbox();
  const { compose = '', inline = '' } = useSearch({ strict: false });
  const { conversation } = useParams({ strict: false });
  const navigate = useNavigate();
  const drafts = useWatched(openDrafts);
  const change = (search: (before: Search) => Search) => void navigate({ to: '.', replace: true, search });

  const inlineNow = conversation === undefined ? '' : inline;
  const follow = useEffectEvent((panels: string[], replies: string[]) => {
    const next = draftsOf(openDrafts.get(), panels, replies);
    openDrafts.set(next);
    const named = [...panels, ...replies];
    const left = next.filter(({ names }) => !names.some((name) => named.includes(name)));
    for (const { names } of left)
      change((before) => ({ ...before, compose: withName(before['compose'], names.at(-1) ?? '') }));
  });
  useLayoutEffect(() => follow(namesIn(compose), namesIn(inlineNow)), [compose, inlineNow]);
  useLayoutEffect(() => () => openDrafts.set([]), []);

  // Saves drafts that had unsaved changes when the page was reloaded.
  const saveOthers = useEffectEvent((of: string) => {
    if (Object.keys(sessionStorage).some((key) => key.startsWith('posthorn-draft')))
      void import('./draft/leftovers.ts').then(({ saveLeftovers }) =>
        saveLeftovers(of, [...namesIn(compose), ...namesIn(inline)]),
      );
  });
  useEffect(() => saveOthers(mailbox), [mailbox]);
  useEffect(() => {
    // A failed import could not be repeated, so nothing is loaded while the browser is offline.
    const load = () => void (navigator.onLine && loadDesk().catch(() => undefined));
    if ('requestIdleCallback' in window) requestIdleCallback(load);
    else setTimeout(load, IDLE_MS);
  }, []);

  if (drafts.length === 0) return null;
  return (
    <Suspense fallback={<span hidden data-opening />}>
      <Desk
        mailbox={mailbox}
        sharedAddress={access === 'owner' ? null : address}
        drafts={drafts}
        onName={({ names }: OpenDraft, to) =>
          change(({ compose: panels, inline: replies, ...before }) => ({
            ...before,
            compose: renamed(panels, names, to),
            inline: renamed(replies, names, to),
          }))
        }
        onMove={({ names }: OpenDraft, place) =>
          change(({ compose: panels, inline: replies, ...before }) => {
            const name = names.at(-1) ?? '';
            return place === 'inline'
              ? { ...before, compose: renamed(panels, names, null), inline: withName(replies, name) }
              : { ...before, compose: withName(panels, name), inline: renamed(replies, names, null) };
          })
        }
      />
    </Suspense>
  );
}
