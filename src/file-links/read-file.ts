/** Bytes of a file from `start` up to and not including `end`, in pieces, read as they are taken. Throws where they are gone. */
export type ReadFile = (
  file: { projectId: string; id: string },
  range: { start: number; end: number },
) => AsyncIterable<Buffer>;
