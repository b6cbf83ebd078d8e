/** Where our own files are. */
export declare const OWN: string;
