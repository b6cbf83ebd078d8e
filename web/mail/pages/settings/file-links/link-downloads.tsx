import { useQuery } from '@tanstack/react-query';
import { bytes } from '../../../../ui/amounts.ts';
import { exactTime } from '../../../../ui/times.ts';
import { fileLinkQuery } from '../../../file-links/calls.ts';
import type { FileLink } from '../../../../../src/contract/mail/file-links.ts';
import { Loaded } from '../loaded.tsx';

/** When something was downloaded, and how much. By whom nobody knows. */
export function LinkDownloads({ mailbox, link }: { mailbox: string; link: FileLink }) {
  const found = useQuery(fileLinkQuery(mailbox, link));
  return (
    <Loaded query={found}>
      {({ recent }) => (
        <ul aria-label="Downloads" className="grid gap-1 border-l-2 border-line pl-3 text-sm text-muted">
          {recent.map(({ at, octets, what, name }) => (
            <li key={`${at} ${name ?? ''}`} className="tabular-nums">
              {exactTime(at)}, {bytes(octets)}
              {what === 'zip' ? ', all as a ZIP' : link.files.length > 1 && name !== null && `, ${name}`}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
