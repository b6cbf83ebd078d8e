import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { classes } from '../../../ui/classes.ts';
import { QuoteButton } from './quote-button.tsx';

type Block = MailMessage['text'][number];

interface TextBodyProps {
  message: MailMessage;
  isFixedWidth: boolean;
}

/**
 * Plain text with links, and with quotes collapsed. Attack: stacked combining characters that extend beyond their line and cover other
 * messages. Therefore, the body clips its content.
 */
export function TextBody({ message: { text, text_is_cut }, isFixedWidth }: TextBodyProps) {
  const parts = partsOf(text.slice(0, text.findLastIndex(hasText) + 1));
  return (
    <div
      className={classes(
        'overflow-clip wrap-anywhere whitespace-pre-wrap',
        isFixedWidth ? 'font-mono text-sm' : 'font-sans',
      )}
    >
      {parts.map((blocks, at) =>
        (blocks[0]?.quote ?? 0) === 0 ? (
          <Blocks key={at} blocks={blocks} />
        ) : (
          <Quoted key={at} blocks={blocks} isFolded={at === parts.length - 1 && parts.length > 1} />
        ),
      )}
      {text_is_cut && (
        <p className="mt-3 text-sm text-muted">Message truncated. Use Show source to see all of it.</p>
      )}
      {text.length === 0 && <p className="text-muted">This message has no text.</p>}
    </div>
  );
}

function hasText({ runs }: Block): boolean {
  return runs.some((run) => run.text.trim() !== '');
}

/** Groups consecutive quoted blocks, and consecutive unquoted blocks. */
function partsOf(blocks: readonly Block[]): Block[][] {
  const parts: Block[][] = [];
  for (const block of blocks) {
    const last = parts.at(-1);
    if (last !== undefined && (last[0]?.quote ?? 0) > 0 === block.quote > 0) last.push(block);
    else parts.push([block]);
  }
  return parts;
}

function Quoted({ blocks, isFolded }: { blocks: readonly Block[]; isFolded: boolean }) {
  const [isOpen, setIsOpen] = useState(!isFolded);
  return (
    <>
      {isFolded && <QuoteButton isOpen={isOpen} onClick={() => setIsOpen(!isOpen)} />}
      {isOpen && <Blocks blocks={blocks} />}
    </>
  );
}

const MAX_QUOTES = 6;

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, at) => (
    <div
      key={at}
      // Each line has the direction of its own text.
      dir="auto"
      className={classes(
        '[unicode-bidi:plaintext]',
        block.quote > 0 && 'border-s-2 border-line ps-3',
        (block.quote > 0 || block.is_signature) && 'text-muted',
      )}
      style={{ marginInlineStart: `${Math.max(0, Math.min(block.quote, MAX_QUOTES) - 1) * 0.75}rem` }}
    >
      {block.runs.map((run, index) => (
        <Run key={index} run={run} />
      ))}
    </div>
  ));
}

/** A piece of a text from mail, which may be a link. */
export function Run({ run: { text, href } }: { run: Block['runs'][number] }) {
  const look = 'text-accent underline';
  if (href === undefined) return <span>{text}</span>;
  // A mailto link opens the composer above the message.
  if (href.startsWith('mailto:'))
    return (
      <Link
        to="."
        search={(before: Readonly<Record<string, string>>) => ({ ...before, compose: href })}
        rel="nofollow"
        className={look}
      >
        {text}
      </Link>
    );
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={look}>
      {text}
    </a>
  );
}
