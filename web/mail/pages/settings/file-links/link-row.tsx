import { useState } from 'react';
import { bytes, counted } from '../../../../ui/amounts.ts';
import { Badge, type Tone } from '../../../../ui/badge.tsx';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { Copy } from '../../../../ui/copy.tsx';
import { SettingsIcon } from '../../../../ui/icons.tsx';
import { Time } from '../../../../ui/time.tsx';
import { FileProgress } from '../../../file-links/file-progress.tsx';
import type { FileLink } from '../../../../../src/contract/mail/file-links.ts';
import { nameOf } from '../../../file-links/words.ts';
import { useQuery } from '@tanstack/react-query';
import { local } from '../../../../ui/times.ts';
import { fileLinkQuery } from '../../../file-links/calls.ts';
import { Loaded } from '../../../../shell/loaded.tsx';

interface LinkRowProps {
  mailbox: string;
  link: FileLink;
  onChange(): void;
  onRevoke(): void;
}

const STATES: Readonly<Record<FileLink['state'], { words: string; tone: Tone }>> = {
  open: { words: 'Active', tone: 'good' },
  uploading: { words: 'Uploading', tone: 'info' },
  expired: { words: 'Expired', tone: 'quiet' },
  revoked: { words: 'Revoked', tone: 'quiet' },
  'used-up': { words: 'Download limit reached', tone: 'quiet' },
};
const DAY_MS = 86_400_000;
/** A link that expires within this time and has never been downloaded is highlighted. */
const SOON_MS = 3 * DAY_MS;

export function LinkRow({ mailbox, link, onChange, onRevoke }: LinkRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isLive = link.state === 'open' || link.state === 'uploading';
  const name = nameOf(link);
  return (
    <li className="grid gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span dir="auto" title={name} className="min-w-0 truncate font-medium">
          {name}
        </span>
        <StateBadge link={link} />
        <div className="ml-auto flex items-center">
          {isLive && (
            <>
              <Copy text={link.url} what={`the link to ${name}`} />
              <IconButton label={`Options for ${name}`} onClick={onChange}>
                <SettingsIcon />
              </IconButton>
            </>
          )}
          {/* The files of a used-up link are stored for a day, for downloads in progress, so revoking the link still has an effect. */}
          {(isLive || link.state === 'used-up') && (
            <Button kind="quiet" aria-label={`Revoke the link to ${name}`} onClick={onRevoke}>
              Revoke
            </Button>
          )}
        </div>
      </div>
      <p className="text-muted">
        {bytes(link.octets)}
        {isLive && `, until ${local.date(link.expires_at)}`}
        {link.has_password && ', with a password'}
        {link.max_downloads !== null && `, limit: ${counted(link.max_downloads, 'download')}`}
        {', created '}
        <Time value={link.created_at} />
        {link.subject !== null && (
          <>
            {' for '}
            <span dir="auto">“{link.subject}”</span>
          </>
        )}
      </p>
      {link.files.length > 1 && (
        <p dir="auto" className="truncate text-sm text-muted">
          {link.files.map((file) => file.name).join(', ')}
        </p>
      )}
      {isLive &&
        link.files
          .filter((file) => !file.is_whole || file.scan === 'infected')
          .map((file) => <FileProgress key={file.id} mailbox={mailbox} file={file} />)}
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        {link.downloads === 0 ? (
          <span>{isLive ? 'Not downloaded yet' : 'Never downloaded'}</span>
        ) : (
          <>
            <span>
              Downloaded {link.downloads === 1 ? 'once' : `${link.downloads} times`},{' '}
              {bytes(link.downloaded_octets)}, last <Time value={link.last_download_at} />
            </span>
            <button
              type="button"
              aria-expanded={isOpen}
              className="font-medium text-accent hover:underline"
              aria-label={`${isOpen ? 'Hide' : 'Show'} the downloads of ${name}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? 'Hide' : 'Show'}
            </button>
          </>
        )}
      </p>
      {isOpen && <LinkDownloads mailbox={mailbox} link={link} />}
    </li>
  );
}

function StateBadge({ link }: { link: FileLink }) {
  const [now] = useState(Date.now);
  const left = Date.parse(link.expires_at) - now;
  const { words, tone } = STATES[link.state];
  if (link.state === 'open' && link.files.some(({ scan }) => scan === 'infected'))
    return <Badge tone="bad">Virus found</Badge>;
  if (link.state === 'open' && link.downloads === 0 && left < SOON_MS)
    return (
      <Badge tone="warn">
        <span>
          Ends <Time value={link.expires_at} />
        </span>
      </Badge>
    );
  return <Badge tone={tone}>{words}</Badge>;
}

/** The times and sizes of downloads. The service does not know which person downloaded. */
function LinkDownloads({ mailbox, link }: { mailbox: string; link: FileLink }) {
  const found = useQuery(fileLinkQuery(mailbox, link));
  return (
    <Loaded query={found}>
      {({ recent }) => (
        <ul aria-label="Downloads" className="grid gap-1 border-l-2 border-line pl-3 text-sm text-muted">
          {recent.map(({ at, octets, what, name }) => (
            <li key={`${at} ${name ?? ''}`} className="tabular-nums">
              {local.exact(at)}, {bytes(octets)}
              {what === 'zip' ? ', all as a ZIP' : link.files.length > 1 && name !== null && `, ${name}`}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
