import { useState } from 'react';
import { bytes } from '../../../ui/amounts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { LinkIcon } from '../../../ui/compose-icons.tsx';
import { CloseIcon, SettingsIcon, WarningIcon } from '../../../ui/icons.tsx';
import { ChangeLinkDialog } from '../../file-links/change-link-dialog.tsx';
import { FileProgress } from '../../file-links/file-progress.tsx';
import type { DraftLink, FileLinkUploads } from './use-file-links.ts';
import { local } from '../../../ui/times.ts';

/** The file links of the message, with details that the cards do not show, because recipients see the cards. */
export function LinkList({ mailbox, links }: { mailbox: string; links: FileLinkUploads }) {
  const [changing, setChanging] = useState<string | null>(null);
  const changed = links.all.find(({ key }) => key === changing)?.link ?? null;
  if (links.all.length === 0) return null;
  return (
    <>
      <ul aria-label="File links" className="grid gap-1.5 px-4">
        {links.all.map((each) => (
          <LinkItem
            key={each.key}
            mailbox={mailbox}
            each={each}
            onRemove={() => links.remove(each.key)}
            onPutBack={() => links.putBack(each.key)}
            onOptions={() => setChanging(each.key)}
          />
        ))}
      </ul>
      {changed !== null && (
        <ChangeLinkDialog
          mailbox={mailbox}
          link={changed}
          onChanged={links.replace}
          onClose={() => setChanging(null)}
        />
      )}
    </>
  );
}

interface LinkItemProps {
  mailbox: string;
  each: DraftLink;
  onRemove(): void;
  onPutBack(): void;
  onOptions(): void;
}

function LinkItem({ mailbox, each, onRemove, onPutBack, onOptions }: LinkItemProps) {
  const { name, octets, link, problem, isLeaving } = each;
  return (
    <li className="grid rounded-md border border-line bg-panel py-1 ps-2.5 pe-1">
      <div className="flex min-h-8 items-center gap-2">
        {problem === null ? (
          <LinkIcon className="shrink-0 text-muted" />
        ) : (
          <WarningIcon className="shrink-0 text-bad" />
        )}
        <p className="flex min-w-0 flex-1 flex-wrap gap-x-2 py-1">
          <span dir="auto" title={name} className="max-w-full truncate font-medium">
            {name}
          </span>
          <span className="text-sm text-muted tabular-nums">
            {bytes(octets)}
            {link !== null && `, until ${local.date(link.expires_at)}`}
            {link?.has_password === true && ', with a password'}
          </span>
        </p>
        {isLeaving && <Button onClick={onPutBack}>Restore card</Button>}
        {link !== null && !isLeaving && (
          <IconButton label={`Options for ${name}`} onClick={onOptions}>
            <SettingsIcon />
          </IconButton>
        )}
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <CloseIcon />
        </IconButton>
      </div>
      <div className="grid gap-1 ps-6 pb-1">
        {problem !== null && (
          <p role="alert" className="text-sm text-bad">
            {problem}
          </p>
        )}
        {problem === null && link === null && <p className="text-sm text-muted">Creating the link…</p>}
        {isLeaving && (
          <p className="text-sm text-warn">
            You removed the card of this link from the message, so the link will be revoked in a moment.
          </p>
        )}
        {!isLeaving &&
          link?.files.map((file) => <FileProgress key={file.id} mailbox={mailbox} file={file} />)}
      </div>
    </li>
  );
}
