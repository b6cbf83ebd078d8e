import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { counted } from '../../../ui/amounts.ts';
import { LinkIcon } from '../../../ui/compose-icons.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useMailbox } from '../../shell/session.ts';
import { timeLeft } from './rate.ts';
import { isUnderWay, useUploads } from './uploads.ts';

/** Shows running uploads on pages without a list of uploads, because large uploads continue after the composer is closed. */
export default function UploadsBar() {
  const { ownAddress: address } = useMailbox();
  const { compose = '' } = useSearch({ strict: false });
  const { pathname } = useLocation();
  const uploads = useUploads();
  const running = uploads.filter(isUnderWay);
  const isShown = compose === '' && !pathname.endsWith('/settings/file-links');
  const told = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, name, state, problem } of uploads) {
      const isFailed = state === 'failed' || (state === 'another' && isShown);
      if ((state !== 'done' && !isFailed) || told.current.has(`${id} ${state}`)) continue;
      told.current.add(`${id} ${state}`);
      if (isFailed) toastFailure(`${name} was not uploaded: ${problem ?? ''}`);
      else if (isShown) toast(`${name} uploaded`);
    }
  }, [uploads, isShown]);
  if (!isShown || running.length === 0) return null;
  const [sent, octets] = running.reduce(([a, b], each) => [a + each.sent, b + each.octets], [0, 0]);
  const rate = running.reduce((sum, { perSecond }) => sum + (perSecond ?? 0), 0);
  const isStuck = running.every(({ state }) => state === 'trying' || state === 'paused');
  const what = running.length === 1 ? (running[0]?.name ?? '') : counted(running.length, 'file');
  const left = timeLeft(octets - sent, rate);
  return (
    <Link
      to="/$address/settings/file-links"
      params={{ address }}
      className="fixed bottom-4 left-4 z-20 lg:left-64 grid w-64 max-w-[calc(100vw-2rem)] gap-1.5 rounded-lg bg-raised px-3.5 py-2.5 shadow-high hover:bg-hover"
    >
      <span className="flex items-center gap-2">
        <LinkIcon className="shrink-0 text-muted" />
        <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
          {what}
        </span>
        <span className="text-sm text-muted tabular-nums">
          {Math.floor((sent / Math.max(1, octets)) * 100)} %
        </span>
      </span>
      <span className="truncate text-sm text-muted">
        {isStuck
          ? 'Upload interrupted, retrying'
          : `Uploading${left === null ? '' : `, ${left}`}. Keep this tab open.`}
      </span>
    </Link>
  );
}
