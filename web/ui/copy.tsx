import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';

const SHOWN_MS = 1500;

export interface CopyProps {
  text: string;
  /** What is copied: "the address". */
  what: string;
  className?: string;
}

/** Copies, and says so in its place and to screen readers. */
export function Copy({ text, what, className }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    copyText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  };
  return (
    <>
      <IconButton label={`Copy ${what}`} onClick={copy} {...(className !== undefined && { className })}>
        {state === 'copied' ? <CheckIcon className="text-good" /> : <CopyIcon />}
      </IconButton>
      <span role="status" className="sr-only">
        {state === 'copied' && 'Copied'}
        {state === 'refused' && 'The browser did not allow to copy. Select the text and copy it by hand.'}
      </span>
    </>
  );
}

/** @throws where the browser forbids it, or has no clipboard for a page that came without TLS */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
