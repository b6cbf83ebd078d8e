interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** Iterates over all items, beginning with the first page, or with the page at `first.cursor`. */
export async function* iterate<Item, Query extends { cursor?: string | undefined }>(
  first: Query | undefined,
  list: (query: Query | { cursor: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  let cursor: string | null | undefined = first?.cursor;
  do {
    const page: Page<Item> = await list({ ...first, ...(cursor === undefined ? {} : { cursor }) } as Query);
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
