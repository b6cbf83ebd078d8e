import { useId, useState } from 'react';
import { bytes, counted, percentage } from '../../../ui/amounts.ts';
import { classes } from '../../../ui/classes.ts';
import { ChevronDownIcon } from '../../../ui/icons.tsx';
import { type FileUpload, isUnderWay, useUploads } from '../../file-links/upload/uploads.ts';
import type { Limits } from '../draft/composition.ts';
import { LinkList } from '../links/link-list.tsx';
import type { DraftLink, FileLinkUploads } from '../links/use-file-links.ts';
import { FileList } from './file-list.tsx';
import { type AttachedFile, isUploading, shownFiles } from './files.ts';
import type { Files } from './use-files.ts';

interface FileStripProps {
  mailbox: string;
  files: Files;
  links: FileLinkUploads;
  limits: Limits | undefined;
}

/** The files and file links of the message with their progress, always visible above the toolbar. The list can be folded into one line. */
export function FileStrip({ mailbox, files, links, limits }: FileStripProps) {
  const id = useId();
  const [isFolded, setIsFolded] = useState(false);
  const { count, octets, progress, open } = summaryOf(shownFiles(files.all), links.all, useUploads());
  // A question about a file is never folded away.
  const hasProblem = files.all.some((file) => isUploading(file) && file.problem !== null);
  const isOpen = !isFolded || hasProblem;
  const total = `${counted(count, 'file')}, ${bytes(octets)}`;
  return (
    <>
      {/* Percentages are left out, because a screen reader would read each of them. */}
      <p role="status" className="sr-only">
        {count === 0
          ? ''
          : open === 0
            ? `${counted(count, 'file')} attached`
            : `${counted(count, 'file')} attached, ${open} uploading`}
      </p>
      {count > 0 && (
        <section aria-label="Attachments" className="border-t border-line py-1.5">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setIsFolded(isOpen)}
            className="flex w-full items-center gap-1.5 px-4 py-0.5 text-start text-sm text-muted tabular-nums hover:text-text"
          >
            <ChevronDownIcon className={classes('transition-transform', !isOpen && '-rotate-90')} />
            {progress === null ? total : `${total} · uploading ${percentage(progress)}`}
          </button>
          <div
            id={id}
            hidden={!isOpen}
            className="mt-1 grid max-h-[min(11rem,30dvh)] gap-1.5 overflow-y-auto overscroll-contain"
          >
            <FileList
              files={files.all}
              limits={limits}
              onRemove={files.remove}
              onLink={(key, offered) => {
                files.remove(key);
                links.add([offered]);
              }}
            />
            <LinkList mailbox={mailbox} links={links} />
          </div>
        </section>
      )}
    </>
  );
}

interface Summary {
  count: number;
  octets: number;
  /** The uploaded share of the files that are uploading; null if none is. */
  progress: number | null;
  /** How many files are uploading. */
  open: number;
}

function summaryOf(
  files: readonly AttachedFile[],
  links: readonly DraftLink[],
  uploads: readonly FileUpload[],
): Summary {
  const linked = links.flatMap(({ link }) => link?.files ?? []);
  const parts = [
    ...files.flatMap((file) =>
      isUploading(file) && file.problem === null
        ? [{ sent: file.progress * file.octets, octets: file.octets }]
        : [],
    ),
    ...uploads.filter((upload) => isUnderWay(upload) && linked.some(({ id }) => id === upload.id)),
  ];
  const sum = (list: readonly { octets: number }[]) => list.reduce((all, { octets }) => all + octets, 0);
  const sent = parts.reduce((all, part) => all + part.sent, 0);
  return {
    count: files.length + links.reduce((all, { link }) => all + (link?.files.length ?? 1), 0),
    octets: sum(files) + sum(links),
    progress: parts.length === 0 ? null : sent / Math.max(1, sum(parts)),
    open: parts.length,
  };
}
