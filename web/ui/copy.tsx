import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { toastFailure } from './toast.tsx';

const SHOWN_MS = 1500;

export interface CopyProps {
  text: string;
  /** The name of the text, such as "the address". */
  what: string;
  className?: string;
}

/** A button that copies a text and confirms the copy, also to screen readers. */
export function Copy({ text, what, className }: CopyProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    copyText(text).then(
      () => setIsCopied(true),
      () => toastFailure('The browser blocked copying. Select the text and copy it manually.'),
    );
  };
  return (
    <>
      <IconButton label={`Copy ${what}`} onClick={copy} {...(className !== undefined && { className })}>
        {isCopied ? <CheckIcon className="text-good" /> : <CopyIcon />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}

/** @throws if the browser blocks copying */
export async function copyText(text: string): Promise<void> {
  // A page without TLS has no clipboard API, but can copy a selection.
  if ('clipboard' in navigator) await navigator.clipboard.writeText(text);
  else if (!copySelected(text)) throw new Error('The browser blocked copying.');
}

function copySelected(text: string): boolean {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // The browser cannot select text behind an open dialog, so the field is added to the dialog.
  (activeElement?.closest('dialog') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  return isCopied;
}
