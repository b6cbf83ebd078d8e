import { bytes } from '../../../ui/amounts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { FileIcon, ImageIcon } from '../../../ui/compose-icons.tsx';
import { CloseIcon, WarningIcon } from '../../../ui/icons.tsx';
import type { Limits } from '../draft/composition.ts';
import { type AttachedFile, isUploading, shownFiles } from './files.ts';
import { fileCapacityOf, tooMuch, totalOf } from './limits.ts';

export interface FileListProps {
  files: readonly AttachedFile[];
  limits: Limits | undefined;
  onRemove(key: string): void;
  /** Sends a file as a link, because the file is too large for mail. */
  onLink(key: string, file: File): void;
}

/** The attached files with their upload progress and total size. Inline images appear only in the text. */
export function FileList({ files, limits, onRemove, onLink }: FileListProps) {
  const shown = shownFiles(files);
  if (shown.length === 0) return null;
  const problem = limits === undefined ? null : tooMuch(files, limits);
  return (
    <div className="px-4">
      <ul aria-label="Files" className="flex flex-wrap gap-1.5">
        {shown.map((file) => (
          <FileItem
            key={file.key}
            file={file}
            onRemove={() => onRemove(file.key)}
            onLink={(offered) => onLink(file.key, offered)}
          />
        ))}
      </ul>
      {problem === null ? (
        limits !== undefined &&
        totalOf(files) > fileCapacityOf(limits) / 2 && (
          <p className="pt-1 text-sm text-muted">
            {bytes(totalOf(files))} of {bytes(fileCapacityOf(limits))}
          </p>
        )
      ) : (
        <p role="alert" className="pt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}

interface FileItemProps {
  file: AttachedFile;
  onRemove(): void;
  onLink(offered: File): void;
}

function FileItem({ file, onRemove, onLink }: FileItemProps) {
  const problem = isUploading(file) ? file.problem : null;
  const offered = isUploading(file) ? file.offered : undefined;
  const isOnItsWay = isUploading(file) && problem === null;
  const Icon = file.type.startsWith('image/') ? ImageIcon : FileIcon;
  return (
    <li
      className={classes(
        'relative flex max-w-full items-center gap-2 overflow-hidden rounded-md border ps-2.5',
        problem === null
          ? 'border-line bg-panel'
          : offered === undefined
            ? 'w-full border-bad bg-bad-soft'
            : 'w-full flex-wrap border-line bg-panel sm:flex-nowrap',
      )}
    >
      {problem === null || offered !== undefined ? (
        <Icon className="text-muted" />
      ) : (
        <WarningIcon className="text-bad" />
      )}
      {problem === null ? (
        <>
          <span dir="auto" className="max-w-56 min-w-0 truncate" title={file.name}>
            {file.name}
          </span>
          <span className="text-sm text-muted tabular-nums">
            {isOnItsWay ? `${Math.floor(file.progress * 100)}%` : bytes(file.octets)}
          </span>
        </>
      ) : (
        <span
          role="alert"
          dir="auto"
          className={classes(
            'min-w-0 flex-1 basis-64 py-1.5 pe-2 text-sm',
            offered === undefined && 'text-bad',
          )}
        >
          {problem}
          {offered !== undefined && ' You can upload it and send a download link instead.'}
        </span>
      )}
      <span className="ms-auto flex items-center gap-2">
        {offered !== undefined && (
          <Button className="my-1" aria-label={`Send as link: ${file.name}`} onClick={() => onLink(offered)}>
            Send as link
          </Button>
        )}
        <IconButton label={isOnItsWay ? `Cancel ${file.name}` : `Remove ${file.name}`} onClick={onRemove}>
          <CloseIcon />
        </IconButton>
      </span>
      {isOnItsWay && (
        <progress
          aria-label={file.name}
          value={file.progress}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none [&::-moz-progress-bar]:bg-fill [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-fill"
        />
      )}
    </li>
  );
}
