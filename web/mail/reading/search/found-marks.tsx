import { useEffect } from 'react';
import { matchesIn } from './folded.ts';
import { foundWords } from './found-words.ts';

/** Rows of results, and open messages. The text of HTML messages is in frames, which are not marked. */
const MARKED = '[data-row], article';
const NAME = 'found';
/** After this many characters, nothing more is marked, so that long conversations stay fast. */
const MAX_CHARACTERS = 300_000;
const MAX_RANGES = 2_000;
const PAUSE_MS = 100;

/** Marks the words of a search on the page, without changing the page: the browser paints ranges of the text (CSS highlights). */
export default function FoundMarks({ q }: { q: string }) {
  useEffect(() => {
    if (!('highlights' in CSS)) return undefined;
    const words = foundWords(q);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const mark = () => {
      timer = undefined;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(words)));
    };
    const observer = new MutationObserver(() => {
      timer ??= setTimeout(mark, PAUSE_MS);
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      CSS.highlights.delete(NAME);
    };
  }, [q]);
  return null;
}

function rangesOf(words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  let characters = 0;
  for (const root of document.querySelectorAll(MARKED)) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node.nodeValue ?? '';
      characters += text.length;
      if (characters > MAX_CHARACTERS) return ranges;
      for (const [from, to] of matchesIn(text, words)) {
        if (ranges.length === MAX_RANGES) return ranges;
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
