import { Button } from '../../../ui/button.tsx';

/** What was answered stands at the end, and is in the conversation anyway: it is folded behind this. */
export function QuoteButton({ isOpen, onClick }: { isOpen: boolean; onClick(): void }) {
  return (
    <Button
      aria-expanded={isOpen}
      className="mt-1 h-6 justify-self-start px-2 sm:h-6"
      onClick={onClick}
      title={isOpen ? 'Hide quoted text' : 'Show quoted text'}
    >
      <span aria-hidden="true">···</span>
      <span className="sr-only">Quoted text</span>
    </Button>
  );
}
