import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { MoreIcon } from '../../ui/icons.tsx';
import { ReadOnly } from './editor/read-only.tsx';

export interface QuoteProps {
  html: string;
  /** Whether a URL belongs to an image of this mailbox. Other images are hidden, so nothing is fetched from other servers. */
  isOwnImage(src: string): boolean;
  onRemove(): void;
  /** Makes the quote editable. Null in plain text, where quotes cannot be edited. */
  onEdit: (() => void) | null;
}

/** The quoted message, collapsed. The quote is sent unchanged. */
export function Quote({ html, isOwnImage, onRemove, onEdit }: QuoteProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="px-4 pb-3">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label="Quoted original"
        title="Quoted original"
        onClick={() => setIsOpen(!isOpen)}
        className="grid h-5 w-9 place-items-center rounded-full bg-quiet-soft text-muted hover:bg-hover hover:text-text"
      >
        <MoreIcon />
      </button>
      <div id={id} hidden={!isOpen} className="mt-2 text-muted">
        {isOpen && (
          <>
            <ReadOnly html={html} label="Quoted original" isOwnImage={isOwnImage} />
            <div className="mt-2 flex gap-2">
              {onEdit !== null && <Button onClick={onEdit}>Edit quote</Button>}
              <Button kind="quiet" onClick={onRemove}>
                Remove quote
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  );
}
