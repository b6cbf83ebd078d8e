/** The times for which the web client can undo sending, in seconds. */
export const UNDO_SECONDS = [5, 10, 20, 30] as const;
export type UndoSeconds = (typeof UNDO_SECONDS)[number];
