import { MoreIcon } from '../../../ui/icons.tsx';

/** The button that expands the quoted message at the end. Quotes are collapsed, because the conversation contains the original. */
export function QuoteButton({ isOpen, onClick }: { isOpen: boolean; onClick(): void }) {
  return (
    <button
      type="button"
      aria-label="Quoted text"
      aria-expanded={isOpen}
      title={isOpen ? 'Hide quoted text' : 'Show quoted text'}
      onClick={onClick}
      className="my-1 grid h-6 w-10 place-items-center justify-self-start rounded-full bg-quiet-soft text-muted hover:bg-hover hover:text-text"
    >
      <MoreIcon />
    </button>
  );
}
