/** The result of a virus scan. `unscanned`: the file is too large for the scanner. */
export const FILE_SCANS = ['clean', 'infected', 'unscanned'] as const;

export type FileScan = (typeof FILE_SCANS)[number];
