/** What a scanner for viruses said of a file. `unscanned`: it is too large for one. */
export const FILE_SCANS = ['clean', 'infected', 'unscanned'] as const;

export type FileScan = (typeof FILE_SCANS)[number];
