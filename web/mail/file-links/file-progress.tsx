import { useRef, useState } from 'react';
import { bytes } from '../../ui/amounts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { PauseIcon, PlayIcon } from '../../ui/icons.tsx';
import type { FileLink } from '../../../src/contract/mail/file-links.ts';
import { timeLeft } from './upload/rate.ts';
import { pauseUpload, resumeUpload, startUpload, type FileUpload, useUploads } from './upload/uploads.ts';

type LinkedFile = FileLink['files'][number];

/**
 * The upload progress of a linked file, with its controls. Renders nothing for an uploaded file without a problem.
 */
export function FileProgress({ mailbox, file }: { mailbox: string; file: LinkedFile }) {
  const upload = useUploads().find((each) => each.id === file.id);
  if (file.is_whole || upload?.state === 'done') return <Arrived file={file} />;
  if (upload === undefined || upload.state === 'another')
    return <Interrupted mailbox={mailbox} file={file} found={upload?.problem ?? null} />;
  const percent = percentOf(upload.sent, upload.octets);
  const isPaused = upload.state === 'paused';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2">
      <div className="min-w-0">
        <p
          className={
            upload.state === 'failed' ? 'text-sm text-bad' : 'truncate text-sm text-muted tabular-nums'
          }
          title={words(upload)}
          role={upload.state === 'failed' ? 'alert' : undefined}
        >
          {words(upload)}
        </p>
        {upload.state !== 'failed' && (
          <progress
            aria-label={`Upload of ${file.name}`}
            aria-valuetext={`${percent}%`}
            value={upload.sent}
            max={Math.max(1, upload.octets)}
            className="mt-1 block h-1 w-full appearance-none overflow-hidden rounded-full bg-quiet-soft [&::-moz-progress-bar]:bg-fill [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-fill"
          />
        )}
      </div>
      {upload.state !== 'failed' && (
        <IconButton
          label={isPaused ? `Resume ${file.name}` : `Pause ${file.name}`}
          onClick={() => (isPaused ? resumeUpload(file.id) : pauseUpload(file.id))}
        >
          {isPaused ? <PlayIcon /> : <PauseIcon />}
        </IconButton>
      )}
    </div>
  );
}

function Arrived({ file }: { file: LinkedFile }) {
  if (file.scan === 'infected')
    return (
      <p role="alert" className="text-sm text-bad">
        A virus was found in this file, so it cannot be downloaded. Remove the link.
      </p>
    );
  return <p className="text-sm text-muted">Uploaded</p>;
}

/**
 * Asks the user to choose a file again. The user left the page during the upload, and browsers do not remember the file.
 * @param found the reason why the file that the user chose last is not the same file; null before the first choice
 */
function Interrupted(props: { mailbox: string; file: LinkedFile; found: string | null }) {
  const { mailbox, file, found } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [isOther, setIsOther] = useState(false);
  const problem = isOther ? `This is a different file. Choose ${file.name} again.` : found;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <p role={problem === null ? undefined : 'alert'} className="min-w-0 flex-1 basis-48 text-sm text-warn">
        {problem ??
          `Upload interrupted at ${percentOf(file.received, file.octets)}%. Choose ${file.name} again to resume.`}
      </p>
      <Button onClick={() => picker.current?.click()}>Choose file</Button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={`Choose ${file.name} again`}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          target.value = '';
          if (chosen === undefined) return;
          const isSame = chosen.name === file.name && chosen.size === file.octets;
          setIsOther(!isSame);
          if (isSame) startUpload(mailbox, file.id, chosen, true);
        }}
      />
    </div>
  );
}

/** The progress in percent, which is below 100 until the upload is complete. */
const percentOf = (octets: number, of: number) =>
  octets >= of ? 100 : Math.floor((octets / Math.max(1, of)) * 100);

function words({ state, sent, octets, perSecond, problem }: FileUpload): string {
  const far = `${percentOf(sent, octets)}%`;
  switch (state) {
    case 'waiting':
      return 'Waiting';
    case 'comparing':
      return `Checking the file, ${far}`;
    case 'paused':
      return `Paused at ${far}`;
    case 'trying':
      return `${far}. ${problem === null ? '' : `${problem} `}Retrying automatically.`;
    case 'failed':
      return problem ?? '';
    default: {
      // All bytes are sent, but the service has not confirmed them yet.
      if (sent >= octets) return 'Finishing…';
      const left = timeLeft(octets - sent, perSecond);
      return [far, perSecond === null ? null : `${bytes(perSecond)}/s`, left].filter(Boolean).join(' · ');
    }
  }
}
