import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Copy } from '../ui/copy.tsx';
import { download } from '../ui/download.ts';
import { DownloadIcon } from '../ui/icons.tsx';

/** Shows new recovery codes once. Not a dialog: a click outside would close a dialog, and the codes would be lost. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => list.current?.focus(), []);
  return (
    <Card
      title="Save your recovery codes"
      aside={
        <span className="flex flex-wrap gap-2">
          <Button
            icon={<DownloadIcon />}
            onClick={() => download('posthorn-recovery-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}
          >
            Download
          </Button>
          <Button onClick={onDone}>I saved them</Button>
        </span>
      }
      className="mb-4 max-w-3xl"
      isNew
    >
      <p className="mb-3 text-pretty text-muted">
        Each code lets you sign in once if you lose your phone or passkey. You won’t see them again: store
        them separately from your password.
      </p>
      <div className="flex items-start gap-1 rounded-md border border-line bg-sunken p-3">
        <ol
          ref={list}
          tabIndex={-1}
          aria-label="Recovery codes"
          className="grid flex-1 grid-cols-1 gap-x-8 gap-y-1 font-mono text-sm outline-none sm:grid-cols-2"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <Copy text={codes.join('\n')} what="the recovery codes" />
      </div>
    </Card>
  );
}
