import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import { nameOf, useFolders } from './folders.ts';

/** What a row of search results shows instead of the preview: the folder of the message, and the text around the match. */
export function FoundLine({ row: { found, preview } }: { row: ConversationRow }) {
  const folder = useFolders()?.find(({ id }) => id === found?.folder);
  return (
    <>
      {folder !== undefined && (
        <>
          <span className="rounded-sm bg-quiet-soft px-1 text-xs">
            <span className="sr-only">In </span>
            <bdi>{nameOf(folder)}</bdi>
          </span>{' '}
        </>
      )}
      <bdi>{found?.snippet ?? preview}</bdi>
    </>
  );
}
