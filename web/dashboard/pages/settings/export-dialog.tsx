import { messageOf } from '../../../api/client.ts';
import type { ProjectContents } from '../../../../src/contract/dashboard/projects.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { DownloadIcon } from '../../../ui/icons.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { ContentsList } from './contents-list.tsx';
import { useContents } from './delete-dialog.tsx';

interface ExportDialogProps {
  name: string;
  id: string;
  /** The URL of the file. */
  href: string;
  /** Reads the contents, after the user has confirmed their identity. The confirmation also allows the download. */
  readContents(signal: AbortSignal): Promise<ProjectContents>;
  onClose(): void;
}

export function ExportDialog({ name, id, href, readContents, onClose }: ExportDialogProps) {
  const { data, error } = useContents(id, readContents);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Export ${name}`}
      description="One file with a JSON object on each line: emails with their timelines, domains, templates, people, suppressions and all other data. Excludes passwords, keys, secrets and mail in mailboxes."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {data !== undefined && (
            <a href={href} download className={buttonClass('primary')} onClick={() => setTimeout(onClose)}>
              <DownloadIcon />
              Download
            </a>
          )}
        </>
      }
    >
      <div className="grid gap-2 text-muted">
        {data === undefined && error === null && <SkeletonRows count={3} />}
        {error !== null && <p className="text-bad">{messageOf(error)}</p>}
        {data !== undefined && <ContentsList contents={data} />}
        <p>The export is recorded in the audit log.</p>
      </div>
    </Dialog>
  );
}
