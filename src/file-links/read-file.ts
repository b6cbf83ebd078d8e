/** Reads the bytes of a file from `start` up to, but not including, `end`, in pieces, on demand. Throws if the bytes were deleted. */
export type ReadFile = (
  file: { projectId: string; id: string },
  range: { start: number; end: number },
) => AsyncIterable<Buffer>;
